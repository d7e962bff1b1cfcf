// show_memories: those of these memories that are there
// mode: read
// workspace: string          ids: list<string>
// -> memories: list<[map, seal]>, the seal null where none was kept
MATCH (:Workspace {name: $workspace})
CALL () {
  UNWIND $ids AS id
  MATCH (m:Memory {workspace: $workspace, id: id})
  RETURN collect([m {
    .id, .intent_id, .intent, .objects, .state, .created_at, .last_used_at, .times, .successes, .failures, .evidence,
    .statement, .dialect, .revision, .missing
  }, m.seal]) AS memories
}
RETURN memories
