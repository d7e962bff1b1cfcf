// Keys: an id is unique within its workspace. Each also finds its node, so that MERGE neither scans nor doubles.
CREATE CONSTRAINT schema_number IF NOT EXISTS FOR (s:Schema) REQUIRE s.number IS UNIQUE;
CREATE CONSTRAINT workspace_name IF NOT EXISTS FOR (w:Workspace) REQUIRE w.name IS UNIQUE;
CREATE CONSTRAINT object_id IF NOT EXISTS FOR (o:DataObject) REQUIRE (o.workspace, o.id) IS UNIQUE;
CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (m:Memory) REQUIRE (m.workspace, m.id) IS UNIQUE;
CREATE CONSTRAINT intent_id IF NOT EXISTS FOR (i:Intent) REQUIRE (i.workspace, i.id) IS UNIQUE;
CREATE CONSTRAINT discovery_id IF NOT EXISTS FOR (d:Discovery) REQUIRE (d.workspace, d.id) IS UNIQUE;
CREATE CONSTRAINT reply_key IF NOT EXISTS FOR (r:Reply) REQUIRE (r.workspace, r.key) IS UNIQUE;

// The workspace alone: a composite key does not serve `{workspace: ...}`.
CREATE INDEX object_workspace IF NOT EXISTS FOR (o:DataObject) ON (o.workspace);
CREATE INDEX memory_workspace IF NOT EXISTS FOR (m:Memory) ON (m.workspace);
CREATE INDEX intent_workspace IF NOT EXISTS FOR (i:Intent) ON (i.workspace);
CREATE INDEX leaving_name IF NOT EXISTS FOR (l:Leaving) ON (l.name);

// What was written since a version.
CREATE INDEX object_version IF NOT EXISTS FOR (o:DataObject) ON (o.workspace, o.version);
CREATE INDEX intent_version IF NOT EXISTS FOR (i:Intent) ON (i.workspace, i.version);

// Pages in the order of code points.
CREATE INDEX object_order IF NOT EXISTS FOR (o:DataObject) ON (o.workspace, o.sort_key);
CREATE INDEX memory_order IF NOT EXISTS FOR (m:Memory) ON (m.workspace, m.sort_key);
CREATE INDEX intent_order IF NOT EXISTS FOR (i:Intent) ON (i.workspace, i.sort_key);

// Live objects without an embedding of a model are two ranges beside it.
CREATE INDEX object_model IF NOT EXISTS FOR (o:DataObject) ON (o.workspace, o.gone, o.embedding_model);
CREATE INDEX intent_model IF NOT EXISTS FOR (i:Intent) ON (i.workspace, i.embedding_model);

// Memories that wait for their objects, and records by age.
CREATE INDEX memory_suspended IF NOT EXISTS FOR (m:Memory) ON (m.workspace, m.suspended);
CREATE INDEX discovery_age IF NOT EXISTS FOR (d:Discovery) ON (d.workspace, d.at);
CREATE INDEX reply_age IF NOT EXISTS FOR (r:Reply) ON (r.workspace, r.at);
