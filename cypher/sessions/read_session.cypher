// read_session: all live chunks of a session and the premises among them, packed into one record
// mode: read
// workspace: string          session: string
// -> session: map or null
// -> ids: list<string>          texts: list<string>          positions: list<integer>          tokens: list<integer>
// -> pinned: list<boolean>          importance: list<float>
// -> sources: list<integer>, positions          targets: list<integer>, positions
// -> grades: list<string>          weights: list<float>
// -> lost: list<[id, id]>          others: integer, the premises of archived chunks
MATCH (:Workspace {name: $workspace})
{{find_session}}
WITH
  s {{session}} AS session
CALL () {
  MATCH (c:Chunk {workspace: $workspace, session: $session})
    USING INDEX SEEK c:Chunk(workspace, session, position)
  WHERE c.position >= 0
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
  WHERE c.position >= 0
  RETURN
    collect(c.position) AS sources,
    collect(d.position) AS targets,
    collect(p.grade) AS grades,
    collect(p.weight) AS weights
}
CALL () {
  MATCH (c:Chunk {workspace: $workspace, session: $session})-[:PREMISE]->(d:Archived)
    USING INDEX SEEK c:Chunk(workspace, session, position)
  WHERE c.position >= 0
  RETURN collect([c.id, d.id]) AS lost
}
CALL () {
  MATCH (c:Archived {workspace: $workspace, session: $session})-[p:PREMISE]->()
    USING INDEX SEEK c:Archived(workspace, session, position)
  WHERE c.position >= 0
  RETURN count(p) AS others
}
RETURN
  session, ids, texts, positions, tokens, pinned, importance, sources, targets, grades, weights, lost, others
