// The memories made last.
CREATE INDEX memory_made IF NOT EXISTS FOR (m:Memory) ON (m.workspace, m.created_at);
