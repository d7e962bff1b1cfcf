// The names that queries use, made known before the first of their kind is written: a server warns of names that it
// has never met, and such a warning is to mean a slip of ours.
UNWIND ['Workspace', 'Leaving', 'DataObject', 'Table', 'Attribute', 'Memory', 'Intent', 'Discovery', 'Reply'] AS name
CALL db.createLabel(name);
UNWIND ['HOLDS', 'HAS_ATTRIBUTE', 'REFERENCES', 'FOR', 'FOUND', 'EXPECTED', 'ASKED_IN'] AS name
CALL db.createRelationshipType(name);
UNWIND [
  'workspace', 'name', 'incarnation', 'created_at', 'version', 'catalogue_version', 'removed_version', 'written',
  'objects', 'intents', 'locked', 'id', 'sort_key', 'kind', 'description', 'table', 'data_type', 'source', 'folded',
  'gone', 'embedding', 'embedding_model', 'embedding_digest', 'intent_id', 'text', 'state', 'confidence',
  'last_used_at', 'times', 'successes', 'failures', 'evidence', 'statement', 'dialect', 'revision', 'missing',
  'suspended', 'support', 'expected_at', 'expected_form', 'score', 'rank', 'intent',
  'retriever', 'rule', 'results', 'at', 'key', 'request', 'status', 'body'
] AS name
CALL db.createProperty(name);
