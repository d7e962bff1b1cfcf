"""Input of chunks and premises, checked before it reaches a store."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph.chunks import CHUNK_KINDS, CHUNK_ROLES, Chunk, ChunkKind, ChunkRole
from graph.errors import InvalidInput
from graph.premises import PREMISE_GRADES, Premise
from services.limits import ID_CHARACTERS, TEXT_CHARACTERS, TOKENS_OF_A_CHUNK
from services.retention.session_arrays import TokenCounter
from services.texts import fault_in, says_something

ROLE_OF: Mapping[ChunkKind, ChunkRole] = {
    "call": "assistant",
    "result": "tool",
    "thought": "assistant",
    "system": "system",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenChunk:
    """A chunk to add. `tokens` None: count them. `role` None: that of its kind in ROLE_OF, if there is one. `premises`:
    ids of the chunks that it needs, as declared."""

    id: str
    text: str
    tokens: int | None = None
    kind: ChunkKind = "note"
    role: ChunkRole | None = None
    call_id: str | None = None
    pinned: bool = False
    importance: float = 0.0
    premises: tuple[str, ...] = ()


def check_id(key: str, *, of: str) -> str:
    fault = fault_in(key, limit=ID_CHARACTERS) or (None if key else "it is empty")
    if fault:
        raise InvalidInput(f"the id of a {of}", found=fault, hint=f"Give an id of 1 to {ID_CHARACTERS:,} characters")
    return key


def chunks_of(given: Sequence[GivenChunk], *, counter: TokenCounter) -> tuple[Chunk, ...]:
    """Return the chunks to add. Raises `InvalidInput` for an invalid one, and for two different ones with one id."""
    made: dict[str, Chunk] = {}
    for it in given:
        chunk = _chunk(it, counter=counter)
        if made.setdefault(chunk.id, chunk) != chunk:
            raise InvalidInput(f"chunk {chunk.id!r}", found="it comes twice, and differs", hint="Give each id once")
    return tuple(made.values())


def check_premises(given: Sequence[Premise]) -> tuple[Premise, ...]:
    """Return the premises without beliefs. Raises `InvalidInput` for an id, grade or weight that cannot be stored."""
    made = []
    for it in given:
        check_id(it.chunk, of="chunk"), check_id(it.premise, of="premise")
        if it.grade not in PREMISE_GRADES:
            raise _unknown("grade", it.grade, PREMISE_GRADES)
        _check_share(it.weight, f"the weight of the premise {it.premise!r} of {it.chunk!r}")
        made.append(Premise(chunk=it.chunk, premise=it.premise, grade=it.grade, weight=float(it.weight)))
    return tuple(made)


def declared(given: Sequence[GivenChunk]) -> tuple[Premise, ...]:
    """Return the premises that the chunks name themselves."""
    return check_premises([Premise(chunk=it.id, premise=premise) for it in given for premise in it.premises])


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _chunk(it: GivenChunk, *, counter: TokenCounter) -> Chunk:
    check_id(it.id, of="chunk")
    fault = fault_in(it.text, limit=TEXT_CHARACTERS, layout=True)
    if fault or not says_something(it.text):
        raise InvalidInput(
            f"the text of chunk {it.id!r}",
            found=fault or "nothing to read in it",
            hint=f"Give a text of 1 to {TEXT_CHARACTERS:,} characters",
        )
    tokens = counter(it.text) if it.tokens is None else it.tokens
    if not 1 <= tokens <= TOKENS_OF_A_CHUNK:
        raise InvalidInput(f"the tokens of chunk {it.id!r}", found=str(tokens), hint="A chunk costs at least one token")
    _check_share(it.importance, f"the importance of chunk {it.id!r}")
    if it.kind not in CHUNK_KINDS:
        raise _unknown("kind", it.kind, CHUNK_KINDS)
    if it.role is not None and it.role not in CHUNK_ROLES:
        raise _unknown("role", it.role, CHUNK_ROLES)
    if it.call_id is not None:
        if it.kind not in ("call", "result"):
            raise InvalidInput(
                f"call id {it.call_id!r} of chunk {it.id!r}",
                found=f"the kind {it.kind}",
                hint="Give call ids to chunks of the kinds call and result",
            )
        check_id(it.call_id, of="call")
    return Chunk(
        id=it.id,
        text=it.text,
        tokens=tokens,
        kind=it.kind,
        role=it.role or ROLE_OF.get(it.kind),
        call_id=it.call_id,
        pinned=it.pinned,
        importance=float(it.importance),
    )


def _unknown(what: str, given: str, known: Sequence[str]) -> InvalidInput:
    return InvalidInput(f"{what} {given!r}", found="none", hint=f"One of {', '.join(known)}")


def _check_share(value: float, asked: str) -> None:
    if not (math.isfinite(value) and 0 <= value <= 1):
        raise InvalidInput(asked, found=str(value), hint="Give a number within 0 and 1")
