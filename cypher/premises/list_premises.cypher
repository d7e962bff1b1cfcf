// list_premises: the premises of these chunks
// mode: read
// workspace: string          session: string          chunks: list<string>
// -> there: boolean          premises: list<map>
MATCH (:Workspace {name: $workspace})
{{find_session}}
WITH s IS NOT NULL AS there
CALL () {
  UNWIND $chunks AS id
  MATCH (c:Chunk {workspace: $workspace, session: $session, id: id})-[p:PREMISE]->(d)
    USING INDEX SEEK c:Chunk(workspace, session, id)
  RETURN collect(p {.grade, .weight, .belief, .reasons, chunk: c.id, premise: d.id}) AS premises
}
RETURN there, premises
