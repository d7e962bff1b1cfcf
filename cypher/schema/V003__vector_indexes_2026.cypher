// As on line 5, and with the properties by which a search filters inside the index: the small workspace beside a
// large one gets its own nearest, never what is left of everybody's.
CYPHER 25 CREATE VECTOR INDEX object_embedding IF NOT EXISTS FOR (o:DataObject) ON (o.embedding)
WITH [o.workspace, o.embedding_model, o.gone]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
CYPHER 25 CREATE VECTOR INDEX intent_embedding IF NOT EXISTS FOR (i:Intent) ON (i.embedding)
WITH [i.workspace, i.embedding_model]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
