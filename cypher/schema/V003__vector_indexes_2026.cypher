// As on release 5, and with the properties by which a search filters inside the index: a small workspace beside a large
// one gets its own nearest, not those of all that remain after filtering.
CYPHER 25 CREATE VECTOR INDEX object_embedding IF NOT EXISTS FOR (o:DataObject) ON (o.embedding)
WITH [o.workspace, o.embedding_model, o.gone]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
CYPHER 25 CREATE VECTOR INDEX intent_embedding IF NOT EXISTS FOR (i:Intent) ON (i.embedding)
WITH [i.workspace, i.embedding_model]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
