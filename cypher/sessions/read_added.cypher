// read_added: what came to a session from a position on, live chunks and what they rest on, packed into one record
// mode: read
// workspace: string          session: string          position: integer
// -> session: map or null
// -> revision: integer, the version of the last write that touched more than what is new
// -> ids: list<string>          texts: list<string>          positions: list<integer>          tokens: list<integer>
// -> pinned: list<boolean>          importance: list<float>
// -> sources: list<integer>, positions          targets: list<integer>, positions
// -> grades: list<string>          weights: list<float>
// -> lost: list<[id, id]>
MATCH (:Workspace {name: $workspace})
{{find_session}}
WITH
  s {{session}} AS session,
  coalesce(s.revision, s.version) AS revision
CALL () {
  MATCH (c:Chunk {workspace: $workspace, session: $session})
    USING INDEX SEEK c:Chunk(workspace, session, position)
  WHERE c.position >= $position
  RETURN
    collect(c.id) AS ids,
    collect(c.text) AS texts,
    collect(c.position) AS positions,
    collect(c.tokens) AS tokens,
    collect(c.pinned) AS pinned,
    collect(c.importance) AS importance
}
CALL () {
  MATCH (c:Chunk {workspace: $workspace, session: $session})-[p:PREMISE]->(d:Chunk)
    USING INDEX SEEK c:Chunk(workspace, session, position)
  WHERE c.position >= $position
  RETURN
    collect(c.position) AS sources,
    collect(d.position) AS targets,
    collect(p.grade) AS grades,
    collect(p.weight) AS weights
}
CALL () {
  MATCH (c:Chunk {workspace: $workspace, session: $session})-[:PREMISE]->(d:Archived)
    USING INDEX SEEK c:Chunk(workspace, session, position)
  WHERE c.position >= $position
  RETURN collect([c.id, d.id]) AS lost
}
RETURN session, revision, ids, texts, positions, tokens, pinned, importance, sources, targets, grades, weights, lost
