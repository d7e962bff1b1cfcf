"""Sessions of agents: their chunks, the premises among them, and which to keep under a budget."""

from services.sessions.answers import Applied, Retained
from services.sessions.importing import LogImported, import_log
from services.sessions.inputs import GivenChunk
from services.sessions.live_sets import LiveSet
from services.sessions.service import SessionService

__all__ = [
    "Applied",
    "GivenChunk",
    "LiveSet",
    "LogImported",
    "Retained",
    "SessionService",
    "import_log",
]
