// Of which write a memory's parts are, as one number beside them; a memory without it is taken as it is read.
CALL db.createProperty('seal');
