// What rules have earned: one node for each rule of a workspace.
CREATE CONSTRAINT trust_rule IF NOT EXISTS FOR (t:Trust) REQUIRE (t.workspace, t.rule) IS UNIQUE;
CREATE INDEX trust_workspace IF NOT EXISTS FOR (t:Trust) ON (t.workspace);
CALL db.createRelationshipType('IN');
UNWIND ['trials', 'judged', 'lead', 'outcomes'] AS name
CALL db.createProperty(name);
