"""Lines as rows: each is checked whole, so that a store is given nothing but what could have come from one.

What is wrong with a line is said in a sentence (`Unreadable`); which line it is, the caller knows.
"""

from __future__ import annotations

import binascii
import json
from base64 import b64decode
from collections.abc import Callable

import numpy as np

from graph.catalogue import DataObject, ObjectKind
from graph.chunks import Chunk, Tombstone
from graph.errors import InvalidInput
from graph.feedback import Trust
from graph.memories import EvidenceKind, Memory, MemoryState, Outcome, OutcomeEvidence
from graph.premises import Premise, PremiseGrade
from services.transfer.fields import Fields, Unreadable, share_of, text_of
from services.transfer.rows import (
    FORM,
    VERSION,
    ChunkRow,
    Embedding,
    EndRow,
    IntentRow,
    MemoryRow,
    ObjectRow,
    PremiseRow,
    ReferenceRow,
    Row,
    SessionRow,
    TombstoneRow,
    TrustRow,
    WorkspaceRow,
)


def check_header(line: bytes) -> None:
    """Raises `InvalidInput` where this is not the first line of a file that can be read here."""
    try:
        plain = _parsed(line)
    except Unreadable:
        plain = None
    if not isinstance(plain, dict) or plain.get("form") != FORM:
        raise InvalidInput(
            "an import",
            found=f"the file does not begin with a line that says `form`: {FORM!r}",
            hint="Give a file that `retinue export` has written; a catalogue goes in with `retinue catalog import`",
        )
    if plain.get("version") != VERSION or isinstance(plain["version"], bool):
        raise InvalidInput(
            "an import",
            found=f"the file is of version {plain.get('version')!r}; this Retinue reads version {VERSION}",
            hint="Import it with the Retinue that wrote it, or a newer one",
        )


def read_row(line: bytes) -> Row:
    """The row. Raises `Unreadable`."""
    fields = Fields(_parsed(line))
    kind = fields.take("row")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise Unreadable(f"`row` is none of {', '.join(_READERS)}")
    row = read(fields)
    fields.end()
    return row


def _parsed(line: bytes) -> object:
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError) as error:  # a UnicodeDecodeError is a ValueError
        raise Unreadable(f"no JSON: {str(error)[:200]}") from error


def _object(fields: Fields, *, kind: ObjectKind) -> ObjectRow:
    item = DataObject(
        id=fields.text("id"),
        kind=kind,
        name=fields.text("name"),
        description=fields.text("description"),
        table=fields.text("table") if kind == "attribute" else None,
        data_type=fields.optional_text("data_type"),
        source=fields.text("source"),
        gone=fields.truth("gone"),
    )
    embedding = fields.take("embedding")
    return ObjectRow(item=item, embedding=None if embedding is None else _embedding(embedding))


def _memory(fields: Fields) -> MemoryRow:
    memory = Memory(
        id=fields.text("id"),
        intent_id=fields.text("intent_id"),
        intent=fields.text("intent"),
        objects=tuple(sorted(set(fields.many("objects", text_of)))),
        state=fields.one_of("state", MemoryState),
        created_at=fields.instant("created_at"),
        last_used_at=fields.instant("last_used_at"),
        times=fields.count("times"),
        successes=fields.count("successes"),
        failures=fields.count("failures"),
        evidence=fields.many("evidence", _evidence),
        statement=fields.optional_text("statement"),
        dialect=fields.optional_text("dialect"),
        revision=fields.count("revision", least=1),
    )
    return MemoryRow(memory=memory)


def _evidence(plain: object, _: str) -> OutcomeEvidence:
    fields = Fields(plain)
    made = OutcomeEvidence(
        kind=fields.one_of("kind", EvidenceKind),
        outcome=fields.one_of("outcome", Outcome),
        at=fields.instant("at"),
        state=fields.one_of("state", MemoryState),
        note=fields.text("note"),
        discovery=fields.optional_text("discovery"),
        request=fields.later_text("request"),
    )
    fields.end()
    return made


def _trust(fields: Fields) -> TrustRow:
    lead = fields.number("lead")
    return TrustRow(trust=Trust(rule=fields.text("rule"), lead=lead, outcomes=fields.count("outcomes")))


def _chunk(fields: Fields) -> ChunkRow:
    archived_at = fields.optional_instant("archived_at")
    chunk = Chunk(
        id=fields.text("id"),
        text=fields.text("text"),
        tokens=fields.count("tokens", least=1),
        pinned=fields.truth("pinned"),
        importance=fields.share("importance"),
        position=fields.count("position"),
        archived_at=archived_at,
    )
    embedding = fields.take("embedding")
    made = None if embedding is None else _embedding(embedding)
    return ChunkRow(session=fields.text("session"), chunk=chunk, embedding=made)


def _premise(fields: Fields) -> PremiseRow:
    belief = fields.take("belief")
    premise = Premise(
        chunk=fields.text("chunk"),
        premise=fields.text("premise"),
        grade=fields.one_of("grade", PremiseGrade),
        weight=fields.share("weight"),
        belief=None if belief is None else share_of(belief, "belief"),
        reasons=fields.many("reasons", text_of),
    )
    if premise.belief is None and premise.reasons:
        raise Unreadable("`reasons` are of no belief")
    return PremiseRow(session=fields.text("session"), premise=premise)


def _tombstone(fields: Fields) -> TombstoneRow:
    tombstone = Tombstone(
        chunk=fields.text("chunk"),
        digest=fields.text("digest"),
        reason=fields.text("reason"),
        at=fields.instant("at"),
    )
    return TombstoneRow(session=fields.text("session"), tombstone=tombstone)


def _embedding(plain: object) -> Embedding:
    fields = Fields(plain)
    model, encoded = fields.text("model"), fields.text("float32")
    fields.end()
    try:
        raw = b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Unreadable("`float32` is no base64") from error
    if not model or not raw or len(raw) % 4:
        raise Unreadable("`float32` is no whole vector of a named model")
    return Embedding(model=model, vector=np.frombuffer(raw, dtype="<f4").astype(np.float32, copy=False))


_READERS: dict[str, Callable[[Fields], Row]] = {
    "workspace": lambda it: WorkspaceRow(name=it.text("name"), created_at=it.instant("created_at")),
    "table": lambda it: _object(it, kind="table"),
    "attribute": lambda it: _object(it, kind="attribute"),
    "reference": lambda it: ReferenceRow(reference=(it.text("from"), it.text("to"))),
    "memory": _memory,
    "intent": lambda it: IntentRow(id=it.text("id"), embedding=_embedding(it.take("embedding"))),
    "trust": _trust,
    "session": lambda it: SessionRow(id=it.text("id"), created_at=it.instant("created_at"), added=it.count("added")),
    "chunk": _chunk,
    "premise": _premise,
    "tombstone": _tombstone,
    "end": lambda it: EndRow(rows=it.count("rows")),
}
