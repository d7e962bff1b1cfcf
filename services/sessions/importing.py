"""Import of an agent's log into a session, in batches that may be sent again. `services.transcripts` reads the log."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from services.sessions.inputs import GivenChunk
from services.sessions.service import SessionService
from services.sessions.token_counters import counter_of
from services.transcripts.as_session import read_session
from services.transcripts.reading import LogFault

BATCH = 1_000
LOG_COUNTER = "bytes"  # a budget in words overflows the context of a model


@dataclass(frozen=True, slots=True, kw_only=True)
class LogImported:
    """Counts of the chunks and premises of the log, how tokens were counted, and the lines that could not be read."""

    session: str
    added: int
    unchanged: int
    premises: int
    by_grade: dict[str, int]
    counter: str
    faults: tuple[LogFault, ...]


def import_log(
    service: SessionService,
    workspace: str,
    session: str,
    lines: Iterable[str],
    *,
    counter: str = LOG_COUNTER,
    pins: bool = True,
    progress: Callable[[int, int | None], None] = lambda _done, _total: None,
) -> LogImported:
    """Add the steps of a JSONL log as chunks, with their premises; what is there already is left alone.

    `pins`: system messages and the user's first message are pinned. Raises `ChunkConflict` if the session holds other
    texts under the same ids.
    """
    logged = read_session(lines, counter=counter_of(counter))
    service.ensure(workspace, session)
    first = next((it.id for it in logged.chunks if (it.kind, it.role) == ("message", "user")), None)
    added = unchanged = premises = 0
    buried: set[str] = set()
    for start in range(0, len(logged.chunks), BATCH):
        chunks = [
            GivenChunk(
                id=it.id,
                text=it.text,
                tokens=it.tokens,
                kind=it.kind,
                role=it.role,
                call_id=it.call_id,
                pinned=pins and (it.kind == "system" or it.id == first),
            )
            for it in logged.chunks[start : start + BATCH]
        ]
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
        counter=counter,
        faults=logged.faults,
    )
