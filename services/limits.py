"""Limits of what the services take, the same at every door; each is checked where its values come in."""

ID_CHARACTERS = 1_000  # of an object, a session or a chunk
INTENT_CHARACTERS = 10_000
NOTE_CHARACTERS = 2_000
DISCOVERY_CHARACTERS = 500  # the id of a discovery
STATEMENT_CHARACTERS = 1_000_000  # parsing takes some 3 s per million, and no query that a person reads is longer
SOURCE_CHARACTERS = 1_000  # where a catalogue comes from
TEXT_CHARACTERS = 1_000_000  # of a chunk
QUERY_CHARACTERS = 100_000  # a question to a session
OBJECTS_OF_A_MEMORY = 1_000
TOKENS_OF_A_CHUNK = 2**40  # sums over a session stay whole numbers on every store
