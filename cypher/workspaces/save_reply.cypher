// save_reply: replaces the claimed reply by the final one
// mode: write, locked
// workspace: string          key: string          request: string          status: integer          body: string
// at: datetime
// -> saved: integer
MERGE (r:Reply {workspace: $workspace, key: $key})
SET r.request = $request, r.status = $status, r.body = $body, r.at = $at
RETURN 1 AS saved
