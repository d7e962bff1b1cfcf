// list_tombstones: a page of tombstones, by chunk
// mode: read
// workspace: string          session: string          after: string, a sort key          limit: integer
// -> there: boolean          tombstones: list<map>
MATCH (:Workspace {name: $workspace})
{{find_session}}
WITH s IS NOT NULL AS there
CALL () {
  MATCH (t:Tombstone {workspace: $workspace, session: $session})
    USING INDEX SEEK t:Tombstone(workspace, session, sort_key)
  WHERE t.sort_key > $after
  WITH t
  ORDER BY t.sort_key
  LIMIT $limit
  RETURN collect(t {.chunk, .digest, .reason, .at}) AS tombstones
}
RETURN there, tombstones
