// show_discoveries: the records of answers with these ids
// mode: read
// workspace: string          ids: list<string>
// -> discoveries: list<map>
MATCH (w:Workspace {name: $workspace})
CALL () {
  UNWIND $ids AS id
  MATCH (d:Discovery {workspace: $workspace, id: id})
  RETURN collect(d {.id, .intent, .retriever, .rule, .results, .at, .trials, .judged}) AS discoveries
}
RETURN discoveries
