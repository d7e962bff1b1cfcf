"""An agent's log as a session: steps become chunks, with the premises that are read off them.

Reading logs belongs to `services.transcripts`; here what it finds is stored, in batches that may be sent again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from services.sessions.inputs import GivenChunk
from services.sessions.service import SessionService
from services.sessions.token_counters import counter_of
from services.transcripts.as_session import read_session
from services.transcripts.reading import Fault

BATCH = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LogImported:
    """How many steps and premises are in the session now by this log, and what could not be read, by line."""

    session: str
    added: int
    unchanged: int
    premises: int
    by_grade: dict[str, int]
    faults: tuple[Fault, ...]


def import_log(
    service: SessionService,
    workspace: str,
    session: str,
    lines: Iterable[str],
    *,
    counter: str = "words",
    progress: Callable[[int, int | None], None] = lambda _done, _total: None,
) -> LogImported:
    """The same log again adds nothing; a longer one adds what is new. Raises `ChunkConflict` where the session holds
    other texts under its ids."""
    logged = read_session(lines, counter=counter_of(counter))
    service.ensure(workspace, session)
    added = unchanged = premises = 0
    buried: set[str] = set()
    for start in range(0, len(logged.chunks), BATCH):
        chunks = [GivenChunk(id=it.id, text=it.text, tokens=it.tokens) for it in logged.chunks[start : start + BATCH]]
        done = service.add_chunks(workspace, session, chunks)
        added += len(done.added)
        unchanged += len(chunks) - len(done.added)
        buried.update(done.buried)
        progress(start + len(chunks), len(logged.chunks))
    for start in range(0, len(logged.premises), BATCH):
        batch = logged.premises[start : start + BATCH]
        given = [it for it in batch if it.chunk not in buried and it.premise not in buried]
        premises += service.add_premises(workspace, session, given).added
    return LogImported(
        session=session,
        added=added,
        unchanged=unchanged,
        premises=premises,
        by_grade=dict(Counter(it.grade for it in logged.premises)),
        faults=logged.faults,
    )
