// Keys: an id is unique within its workspace. Each also finds its node, so that MERGE neither scans nor doubles.
CREATE CONSTRAINT schema_number IF NOT EXISTS FOR (s:Schema) REQUIRE s.number IS UNIQUE;
CREATE CONSTRAINT workspace_name IF NOT EXISTS FOR (w:Workspace) REQUIRE w.name IS UNIQUE;
CREATE CONSTRAINT object_id IF NOT EXISTS FOR (o:DataObject) REQUIRE (o.workspace, o.id) IS UNIQUE;
CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (m:Memory) REQUIRE (m.workspace, m.id) IS UNIQUE;
CREATE CONSTRAINT intent_id IF NOT EXISTS FOR (i:Intent) REQUIRE (i.workspace, i.id) IS UNIQUE;
CREATE CONSTRAINT discovery_id IF NOT EXISTS FOR (d:Discovery) REQUIRE (d.workspace, d.id) IS UNIQUE;
CREATE CONSTRAINT trust_rule IF NOT EXISTS FOR (t:Trust) REQUIRE (t.workspace, t.rule) IS UNIQUE;
CREATE CONSTRAINT reply_key IF NOT EXISTS FOR (r:Reply) REQUIRE (r.workspace, r.key) IS UNIQUE;
CREATE CONSTRAINT session_id IF NOT EXISTS FOR (s:Session) REQUIRE (s.workspace, s.id) IS UNIQUE;
CREATE CONSTRAINT chunk_id IF NOT EXISTS FOR (c:Chunk) REQUIRE (c.workspace, c.session, c.id) IS UNIQUE;
CREATE CONSTRAINT tombstone_id IF NOT EXISTS FOR (t:Tombstone) REQUIRE (t.workspace, t.session, t.chunk) IS UNIQUE;

// The workspace alone: a composite key does not serve `{workspace: ...}`.
CREATE INDEX object_workspace IF NOT EXISTS FOR (o:DataObject) ON (o.workspace);
CREATE INDEX memory_workspace IF NOT EXISTS FOR (m:Memory) ON (m.workspace);
CREATE INDEX intent_workspace IF NOT EXISTS FOR (i:Intent) ON (i.workspace);
CREATE INDEX trust_workspace IF NOT EXISTS FOR (t:Trust) ON (t.workspace);
CREATE INDEX session_workspace IF NOT EXISTS FOR (s:Session) ON (s.workspace);
CREATE INDEX chunk_workspace IF NOT EXISTS FOR (c:Chunk) ON (c.workspace);
CREATE INDEX tombstone_workspace IF NOT EXISTS FOR (t:Tombstone) ON (t.workspace);
CREATE INDEX leaving_name IF NOT EXISTS FOR (l:Leaving) ON (l.name);

// What was written since a version.
CREATE INDEX object_version IF NOT EXISTS FOR (o:DataObject) ON (o.workspace, o.version);
CREATE INDEX intent_version IF NOT EXISTS FOR (i:Intent) ON (i.workspace, i.version);

// Pages in the order of code points; of chunks, the live ones and the archived ones in order of ingestion.
CREATE INDEX object_order IF NOT EXISTS FOR (o:DataObject) ON (o.workspace, o.sort_key);
CREATE INDEX memory_order IF NOT EXISTS FOR (m:Memory) ON (m.workspace, m.sort_key);
CREATE INDEX intent_order IF NOT EXISTS FOR (i:Intent) ON (i.workspace, i.sort_key);
CREATE INDEX session_order IF NOT EXISTS FOR (s:Session) ON (s.workspace, s.sort_key);
CREATE INDEX chunk_order IF NOT EXISTS FOR (c:Chunk) ON (c.workspace, c.session, c.archived, c.position);
CREATE INDEX tombstone_order IF NOT EXISTS FOR (t:Tombstone) ON (t.workspace, t.session, t.sort_key);

// Live objects without an embedding of a model are two ranges beside it.
CREATE INDEX object_model IF NOT EXISTS FOR (o:DataObject) ON (o.workspace, o.gone, o.embedding_model);
CREATE INDEX intent_model IF NOT EXISTS FOR (i:Intent) ON (i.workspace, i.embedding_model);

// Memories that wait for their objects, and records by age.
CREATE INDEX memory_suspended IF NOT EXISTS FOR (m:Memory) ON (m.workspace, m.suspended);
CREATE INDEX discovery_age IF NOT EXISTS FOR (d:Discovery) ON (d.workspace, d.at);
CREATE INDEX reply_age IF NOT EXISTS FOR (r:Reply) ON (r.workspace, r.at);

// The names that queries use, made known before the first of their kind is written: a server warns of names that it
// has never met, and such a warning is to mean a slip of ours.
UNWIND [
  'Workspace', 'Leaving', 'DataObject', 'Table', 'Attribute', 'Memory', 'Intent', 'Discovery', 'Trust', 'Reply',
  'Session', 'Chunk', 'Archived', 'Tombstone'
] AS name
CALL db.createLabel(name);
UNWIND [
  'HOLDS', 'HAS_ATTRIBUTE', 'REFERENCES', 'FOR', 'FOUND', 'EXPECTED', 'ASKED_IN', 'IN', 'CONTAINS', 'PREMISE', 'OF'
] AS name
CALL db.createRelationshipType(name);
UNWIND [
  'workspace', 'name', 'incarnation', 'created_at', 'version', 'catalogue_version', 'removed_version', 'written',
  'objects', 'intents', 'locked', 'id', 'sort_key', 'kind', 'description', 'table', 'data_type', 'source', 'folded',
  'gone', 'embedding', 'embedding_model', 'embedding_digest', 'intent_id', 'text', 'state', 'confidence',
  'last_used_at', 'times', 'successes', 'failures', 'evidence', 'statement', 'dialect', 'revision', 'seal', 'missing',
  'suspended', 'support', 'expected', 'expected_at', 'expected_form', 'score', 'rank', 'intent',
  'retriever', 'rule', 'results', 'trials', 'judged', 'at', 'lead', 'outcomes', 'key', 'request', 'status', 'body',
  'session', 'added', 'chunks', 'tokens', 'archived', 'premises', 'tombstones', 'position', 'pinned', 'importance',
  'role', 'call_id', 'archived_at', 'vector', 'vector_model', 'grade', 'weight', 'belief', 'reasons', 'chunk', 'digest',
  'reason'
] AS name
CALL db.createProperty(name);
