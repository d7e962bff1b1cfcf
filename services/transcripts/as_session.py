"""A log as a session: chunks with ids, texts and tokens in order, and the premises among them; nothing is stored here.

What a store takes is all in the values; `as_session` gives the same to the policies without one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from services.retention.relevance import EncoderName, TextEncoder, index_texts
from services.retention.session_arrays import PremiseGrade, TokenCounter, count_tokens, make_chunks
from services.retention.sessions import SessionArrays
from services.transcripts.linking import Found, infer_premises, premises_of
from services.transcripts.reading import Fault, read_log
from services.transcripts.steps import Kind, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedChunk:
    """A step as a chunk: `id` is the message's, or `line-N`, with `.2`, `.3` for its further parts."""

    id: str
    text: str
    tokens: int
    position: int
    kind: Kind
    role: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedPremise:
    """`chunk` rests on `premise`, both by id."""

    chunk: str
    premise: str
    grade: PremiseGrade
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoggedSession:
    """What went in, and `faults` by line for what did not, or not wholly."""

    chunks: tuple[LoggedChunk, ...]
    premises: tuple[LoggedPremise, ...]
    faults: tuple[Fault, ...]
    steps: tuple[Step, ...]
    found: tuple[Found, ...]


def read_session(lines: Iterable[str], *, counter: TokenCounter = count_tokens) -> LoggedSession:
    """The session of a JSONL log in any of the shapes of `shapes`; the same lines give the same values."""
    steps, faults = read_log(lines)
    found = infer_premises(steps)
    return LoggedSession(
        chunks=tuple(
            LoggedChunk(
                id=step.id, text=step.piece.text, tokens=counter(step.piece.text), position=place,
                kind=step.piece.kind, role=step.piece.role, line=step.line,
            )
            for place, step in enumerate(steps)
        ),
        premises=tuple(
            LoggedPremise(
                chunk=steps[item.step].id, premise=steps[item.premise].id, grade=item.grade, weight=item.weight
            )
            for item in found
        ),
        faults=faults,
        steps=steps,
        found=found,
    )  # fmt: skip


def as_session(
    logged: LoggedSession, *, encoder: EncoderName = "hashing", neural: TextEncoder | None = None
) -> SessionArrays:
    """The session as policies see it."""
    texts = [chunk.text for chunk in logged.chunks]
    return SessionArrays(
        make_chunks(texts, tokens=[chunk.tokens for chunk in logged.chunks]),
        premises=premises_of(logged.steps, logged.found),
        index=index_texts(texts, encoder=encoder, neural=neural),
    )
