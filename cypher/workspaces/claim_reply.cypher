// claim_reply: stores a reply under its key where the key is free, else returns the stored one
// mode: write, locked
// workspace: string          key: string          request: string          status: integer          body: string
// at: datetime          keep_since: datetime, replies older than this are dropped
// -> stored: map or null
CALL () {
  MATCH (old:Reply {workspace: $workspace})
  WHERE old.at < $keep_since
  WITH old
  LIMIT 1000
  DELETE old
  RETURN count(old) AS dropped
}
CALL () {
  MATCH (same:Reply {workspace: $workspace, key: $key})
  WHERE same.at < $keep_since
  DELETE same
  RETURN count(same) AS freed
}
OPTIONAL MATCH (r:Reply {workspace: $workspace, key: $key})
FOREACH (x IN CASE WHEN r IS NULL THEN [w] ELSE [] END |
  CREATE (:Reply {workspace: x.name, key: $key, request: $request, status: $status, body: $body, at: $at})
)
RETURN r {.key, .request, .status, .body, .at} AS stored
