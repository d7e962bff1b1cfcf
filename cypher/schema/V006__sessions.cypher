// Sessions with their chunks: ids are unique within a session, archived chunks have a label of their own, so that
// whoever asks for chunks does not meet them.
CREATE CONSTRAINT session_id IF NOT EXISTS FOR (s:Session) REQUIRE (s.workspace, s.id) IS UNIQUE;
CREATE CONSTRAINT chunk_id IF NOT EXISTS FOR (c:Chunk) REQUIRE (c.workspace, c.session, c.id) IS UNIQUE;
CREATE CONSTRAINT archived_id IF NOT EXISTS FOR (a:Archived) REQUIRE (a.workspace, a.session, a.id) IS UNIQUE;
CREATE CONSTRAINT tombstone_id IF NOT EXISTS FOR (t:Tombstone) REQUIRE (t.workspace, t.session, t.chunk) IS UNIQUE;

// The workspace alone, for its deletion.
CREATE INDEX session_workspace IF NOT EXISTS FOR (s:Session) ON (s.workspace);
CREATE INDEX chunk_workspace IF NOT EXISTS FOR (c:Chunk) ON (c.workspace);
CREATE INDEX archived_workspace IF NOT EXISTS FOR (a:Archived) ON (a.workspace);
CREATE INDEX tombstone_workspace IF NOT EXISTS FOR (t:Tombstone) ON (t.workspace);

// Pages: sessions by id, chunks in order of ingestion, tombstones by chunk.
CREATE INDEX session_order IF NOT EXISTS FOR (s:Session) ON (s.workspace, s.sort_key);
CREATE INDEX chunk_order IF NOT EXISTS FOR (c:Chunk) ON (c.workspace, c.session, c.position);
CREATE INDEX archived_order IF NOT EXISTS FOR (a:Archived) ON (a.workspace, a.session, a.position);
CREATE INDEX tombstone_order IF NOT EXISTS FOR (t:Tombstone) ON (t.workspace, t.session, t.sort_key);

// The names that queries use, made known before the first of their kind is written.
UNWIND ['Session', 'Chunk', 'Archived', 'Tombstone'] AS name
CALL db.createLabel(name);
UNWIND ['CONTAINS', 'PREMISE', 'OF'] AS name
CALL db.createRelationshipType(name);
UNWIND [
  'session', 'added', 'chunks', 'tokens', 'archived', 'premises', 'tombstones', 'position', 'pinned', 'importance',
  'archived_at', 'vector', 'vector_model', 'grade', 'weight', 'belief', 'reasons', 'chunk', 'digest', 'reason'
] AS name
CALL db.createProperty(name);
