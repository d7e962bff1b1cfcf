// list_references: the references with an end among these objects
// mode: read, kept plan
// workspace: string          ids: list<string>
// -> pairs: list<[id, id]>
MATCH (:Workspace {name: $workspace})
CALL () {
  UNWIND $ids AS id
  MATCH (o:DataObject {workspace: $workspace, id: id})-[r:REFERENCES]-()
    USING INDEX SEEK o:DataObject(workspace, id)
  WITH DISTINCT r
  RETURN collect([startNode(r).id, endNode(r).id]) AS pairs
}
RETURN pairs
