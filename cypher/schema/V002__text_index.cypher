// For people: CALL db.index.fulltext.queryNodes('object_text', 'words') in Neo4j Browser.
CREATE FULLTEXT INDEX object_text IF NOT EXISTS FOR (o:DataObject) ON EACH [o.folded]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
