"""Limits at every door: those of the services, and those of one request. The server's checks are its OpenAPI schema."""

from services.limits import DISCOVERY_CHARACTERS as DISCOVERY_CHARACTERS
from services.limits import ID_CHARACTERS as ID_CHARACTERS
from services.limits import INTENT_CHARACTERS as INTENT_CHARACTERS
from services.limits import NOTE_CHARACTERS as NOTE_CHARACTERS
from services.limits import OBJECTS_OF_A_MEMORY as OBJECTS_OF_A_MEMORY
from services.limits import QUERY_CHARACTERS as QUERY_CHARACTERS
from services.limits import SOURCE_CHARACTERS as SOURCE_CHARACTERS
from services.limits import STATEMENT_CHARACTERS as STATEMENT_CHARACTERS
from services.limits import TEXT_CHARACTERS as TEXT_CHARACTERS
from services.limits import TOKENS_OF_A_CHUNK as TOKENS_OF_A_CHUNK

PAGE = 1_000  # items of one page
RESULTS = 100  # of one discovery
GRAPH_NODES = 1_000
GRAPH_DEPTH = 4
ROOTS = 1_000  # chunks that a live set starts from
ITEMS = 100_000  # objects, references, chunks or premises in one call
PREMISES_OF_A_CHUNK = 10_000
FORGOTTEN_IDS = 10_000  # memories forgotten by one call
BODY_BYTES = 16 * 1024 * 1024  # a catalogue of 50,000 described columns is about half of it
