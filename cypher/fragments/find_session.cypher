// find_session: looks the session `s` up; null where there is none
OPTIONAL MATCH (s:Session {workspace: $workspace, id: $session})
  USING INDEX SEEK s:Session(workspace, id)
