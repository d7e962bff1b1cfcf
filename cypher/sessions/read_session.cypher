// read_session: the live chunks of a session from a position on and the premises among them, packed into one record
// mode: read          also serves: read_added
// workspace: string          session: string          position: integer, 0 for all
// -> session: map or null
// -> revision: integer, the version of the last write that changed more than it added
// -> ids: list<string>          texts: list<string>          kinds: list<string>
// -> roles: list<string>, empty for none          call_ids: list<string>, empty for none
// -> positions: list<integer>          tokens: list<integer>
// -> pinned: list<boolean>          importance: list<float>
// -> sources: list<integer>, positions          targets: list<integer>, positions
// -> grades: list<string>          weights: list<float>
// -> lost: list<[id, id]>          others: integer, the premises of archived chunks, where all is asked for
MATCH (:Workspace {name: $workspace})
{{find_session}}
WITH s {{session}} AS session, s.revision AS revision
CALL () {
  MATCH (c:Chunk {workspace: $workspace, session: $session, archived: false})
    USING INDEX SEEK c:Chunk(workspace, session, archived, position)
  WHERE c.position >= $position
  RETURN
    collect(c.id) AS ids,
    collect(c.text) AS texts,
    collect(c.kind) AS kinds,
    collect(coalesce(c.role, '')) AS roles,
    collect(coalesce(c.call_id, '')) AS call_ids,
    collect(c.position) AS positions,
    collect(c.tokens) AS tokens,
    collect(c.pinned) AS pinned,
    collect(c.importance) AS importance
}
CALL () {
  MATCH (c:Chunk {workspace: $workspace, session: $session, archived: false})-[p:PREMISE]->(d:Chunk)
    USING INDEX SEEK c:Chunk(workspace, session, archived, position)
  WHERE c.position >= $position AND NOT d.archived
  RETURN
    collect(c.position) AS sources,
    collect(d.position) AS targets,
    collect(p.grade) AS grades,
    collect(p.weight) AS weights
}
CALL () {
  MATCH (c:Chunk {workspace: $workspace, session: $session, archived: false})-[:PREMISE]->(d:Chunk)
    USING INDEX SEEK c:Chunk(workspace, session, archived, position)
  WHERE c.position >= $position AND d.archived
  RETURN collect([c.id, d.id]) AS lost
}
CALL () {
  // In the key: a WHERE before it would be tested on all that was found.
  MATCH (c:Chunk {workspace: $workspace, session: $session, archived: CASE $position WHEN 0 THEN true END})
    -[p:PREMISE]->()
    USING INDEX SEEK c:Chunk(workspace, session, archived, position)
  WHERE c.position >= 0
  RETURN count(p) AS others
}
RETURN
  session, revision, ids, texts, kinds, roles, call_ids, positions, tokens, pinned, importance, sources, targets, grades,
  weights, lost, others
