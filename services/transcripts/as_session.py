"""A log as a session: its steps as chunks in order, and the premises among them. Nothing is stored here."""

from collections.abc import Iterable
from dataclasses import dataclass

from graph.chunks import Chunk
from graph.premises import Premise
from services.retention.session_arrays import TokenCounter, count_tokens
from services.transcripts.linking import infer_premises
from services.transcripts.reading import LogFault, read_log


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoggedSession:
    """`lines` has the line of each chunk, from 1 on; `faults` name those that could not be read, or not wholly. The id
    of a chunk is the message's, or `line-N`, with `.2`, `.3` for its further parts."""

    chunks: tuple[Chunk, ...]
    premises: tuple[Premise, ...]
    faults: tuple[LogFault, ...]
    lines: tuple[int, ...]


def read_session(lines: Iterable[str], *, counter: TokenCounter = count_tokens) -> LoggedSession:
    """Read a JSONL log in any of the formats of `message_formats`. The same lines give the same values."""
    steps, faults = read_log(lines)
    chunks = tuple(
        Chunk(
            id=step.id,
            text=step.piece.text,
            tokens=counter(step.piece.text),
            kind=step.piece.chunk_kind(),
            role=step.piece.chunk_role(),
            call_id=step.piece.call or None,
            position=place,
        )
        for place, step in enumerate(steps)
    )
    premises = tuple(
        Premise(chunk=chunks[it.step].id, premise=chunks[it.premise].id, grade=it.grade, weight=it.weight)
        for it in infer_premises(steps)
    )
    return LoggedSession(chunks=chunks, premises=premises, faults=faults, lines=tuple(step.line for step in steps))
