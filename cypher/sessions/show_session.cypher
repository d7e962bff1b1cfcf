// show_session: the session with its counts
// mode: read
// workspace: string          session: string
// -> session: map or null
MATCH (:Workspace {name: $workspace})
OPTIONAL MATCH (s:Session {workspace: $workspace, id: $session})
  USING INDEX SEEK s:Session(workspace, id)
RETURN
  s {
    .id, .incarnation, .created_at, .version, .added, .chunks, .tokens, .archived, .premises, .tombstones
  } AS session
