// show_memories: those of these memories that exist
// mode: read
// workspace: string          ids: list<string>
// -> memories: list<[map, seal]>
MATCH (:Workspace {name: $workspace})
CALL () {
  UNWIND $ids AS id
  MATCH (m:Memory {workspace: $workspace, id: id})
  RETURN collect([m {{memory}}, m.seal]) AS memories
}
RETURN memories
