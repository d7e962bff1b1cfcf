// list_sessions: a page of sessions, by id
// mode: read
// workspace: string          after: string, a sort key          limit: integer
// -> sessions: list<map>
MATCH (:Workspace {name: $workspace})
CALL () {
  MATCH (s:Session {workspace: $workspace})
  WHERE s.sort_key > $after
  WITH s
  ORDER BY s.workspace, s.sort_key
  LIMIT $limit
  RETURN collect(s {{session}}) AS sessions
}
RETURN sessions
