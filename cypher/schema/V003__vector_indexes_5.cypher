// Dimensions are left out: one index holds the vectors of several models, and a query meets those of its own length.
// Quantisation is off: without rescoring it moves scores by up to 4e-3.
CREATE VECTOR INDEX object_embedding IF NOT EXISTS FOR (o:DataObject) ON o.embedding
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
CREATE VECTOR INDEX intent_embedding IF NOT EXISTS FOR (i:Intent) ON i.embedding
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};
