// What a memory expects, in one text beside the relationships; a memory without it counts as one without expectation.
CALL db.createProperty('expected');
