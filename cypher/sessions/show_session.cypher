// show_session: the session with its counts
// mode: read
// workspace: string          session: string
// -> session: map or null
MATCH (:Workspace {name: $workspace})
{{find_session}}
RETURN s {{session}} AS session
