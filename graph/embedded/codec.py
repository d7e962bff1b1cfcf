"""The form that each kind of record has on disk: JSON for people and later versions, bytes for vectors.

What is written by one released version is read by the next; a form that changes needs a migration.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np

from graph.catalogue import DataObject
from graph.chunks import Chunk, Tombstone
from graph.embedded.changes import (
    Change,
    KeptExpectation,
    Kind,
    SessionRecord,
    Vector,
    WorkspaceRecord,
    parts_of,
    reference_ends,
)
from graph.evidence import Expectation
from graph.feedback import Discovery, Trial, Trust
from graph.memories import Memory, OutcomeEvidence
from graph.premises import Premise
from graph.workspaces import Reply


def encode(change: Change) -> tuple[str | None, bytes | None]:
    """Its body as JSON and, for vectors, the bytes beside it; lone surrogates raise `UnicodeEncodeError`."""
    if change.value is None:
        return None, None
    body = json.dumps(_PLAIN[change.kind](change.value), ensure_ascii=False, separators=(",", ":"))
    blob = change.value.values.astype("<f4", copy=False).tobytes() if isinstance(change.value, Vector) else None
    return body, blob


def decode(kind: Kind, record_id: str, body: str | None, blob: bytes | None) -> Any:
    """The value that `encode` took apart."""
    if body is None:
        return None
    if blob is not None:
        return Vector(model=_model(body), values=np.frombuffer(blob, dtype="<f4"))
    return _VALUE[kind](record_id, json.loads(body))


@lru_cache(maxsize=16)  # one string a model, not one a vector
def _model(body: str) -> str:
    return str(json.loads(body))


def _plain_workspace(record: WorkspaceRecord) -> list[object]:
    versions = [record.version, record.catalogue_version, record.removed_version]
    return [record.incarnation, record.created_at.isoformat(), *versions]


def _workspace(_: str, plain: list[Any]) -> WorkspaceRecord:
    incarnation, created_at, version, catalogue_version, removed_version = plain
    return WorkspaceRecord(
        incarnation=incarnation,
        created_at=datetime.fromisoformat(created_at),
        version=version,
        catalogue_version=catalogue_version,
        removed_version=removed_version,
    )


def _plain_object(it: DataObject) -> dict[str, object]:
    return {
        "kind": it.kind,
        "name": it.name,
        "description": it.description,
        "table": it.table,
        "data_type": it.data_type,
        "source": it.source,
        "gone": it.gone,
        "folded": it.folded,
    }


def _plain_memory(it: Memory) -> dict[str, object]:
    return {
        "intent_id": it.intent_id,
        "intent": it.intent,
        "objects": it.objects,
        "state": it.state,
        "created_at": it.created_at.isoformat(),
        "last_used_at": it.last_used_at.isoformat(),
        "times": it.times,
        "successes": it.successes,
        "failures": it.failures,
        "evidence": [
            [e.kind, e.outcome, e.at.isoformat(), e.state, e.note, e.discovery, e.request] for e in it.evidence
        ],
        "statement": it.statement,
        "dialect": it.dialect,
        "revision": it.revision,
    }


def _memory(record_id: str, plain: dict[str, Any]) -> Memory:
    plain["objects"] = tuple(plain["objects"])
    plain["created_at"] = datetime.fromisoformat(plain["created_at"])
    plain["last_used_at"] = datetime.fromisoformat(plain["last_used_at"])
    plain["evidence"] = tuple(
        OutcomeEvidence(
            kind=kind,
            outcome=outcome,
            at=datetime.fromisoformat(at),
            state=state,
            note=note,
            discovery=discovery,
            request=request[0] if request else None,
        )
        # evidence written before requests were named has no seventh part
        for kind, outcome, at, state, note, discovery, *request in plain["evidence"]
    )
    return Memory(id=record_id, **plain)


def _plain_expectation(kept: KeptExpectation) -> list[object]:
    it = kept.expectation
    return [kept.catalogue_version, kept.form, it.support, it.objects, it.scores]


def _expectation(record_id: str, plain: list[Any]) -> KeptExpectation:
    catalogue_version, form, support, objects, scores = plain
    expectation = Expectation(memory=record_id, objects=tuple(objects), scores=tuple(scores), support=support)
    return KeptExpectation(expectation=expectation, catalogue_version=catalogue_version, form=form)


def _plain_discovery(it: Discovery) -> list[object]:
    trials = [[[trial.rule, trial.without], *trial.results] for trial in it.trials]
    return [it.intent, it.retriever, it.rule, it.results, it.at.isoformat(), trials, it.judged]


def _discovery(record_id: str, plain: list[Any]) -> Discovery:
    intent, retriever, rule, results, at, *more = plain
    trials, judged = more or ([], False)  # records written before trust was earned have neither
    return Discovery(
        id=record_id,
        intent=intent,
        retriever=retriever,
        rule=rule,
        results=tuple(results),
        at=datetime.fromisoformat(at),
        trials=tuple(_trial(*each) for each in trials),
        judged=judged,
    )


def _trial(name: str | list[str | None], *results: str) -> Trial:
    """Trials from before memories were judged name the rule alone."""
    rule, without = (name, None) if isinstance(name, str) else name
    return Trial(rule=rule or "", results=results, without=without)


def _plain_trust(it: Trust) -> list[object]:
    return [it.lead, it.outcomes]


def _trust(record_id: str, plain: list[Any]) -> Trust:
    lead, outcomes = plain
    return Trust(rule=record_id, lead=lead, outcomes=outcomes)


def _plain_reply(it: Reply) -> list[object]:
    return [it.request, it.status, it.body, it.at.isoformat()]


def _reply(record_id: str, plain: list[Any]) -> Reply:
    request, status, body, at = plain
    return Reply(key=record_id, request=request, status=status, body=body, at=datetime.fromisoformat(at))


def _plain_session(it: SessionRecord) -> list[object]:
    return [it.incarnation, it.created_at.isoformat(), it.version, it.added]


def _session(_: str, plain: list[Any]) -> SessionRecord:
    incarnation, created_at, version, added = plain
    when = datetime.fromisoformat(created_at)
    return SessionRecord(incarnation=incarnation, created_at=when, version=version, added=added)


def _plain_chunk(it: Chunk) -> list[object]:
    archived_at = None if it.archived_at is None else it.archived_at.isoformat()
    return [it.text, it.tokens, it.position, it.pinned, it.importance, archived_at]


def _chunk(record_id: str, plain: list[Any]) -> Chunk:
    text, tokens, position, pinned, importance, archived_at = plain
    return Chunk(
        id=parts_of(record_id)[1],
        text=text,
        tokens=tokens,
        position=position,
        pinned=pinned,
        importance=importance,
        archived_at=None if archived_at is None else datetime.fromisoformat(archived_at),
    )


def _plain_premise(it: Premise) -> list[object]:
    return [it.grade, it.weight, it.belief, it.reasons]


def _premise(record_id: str, plain: list[Any]) -> Premise:
    _, chunk, premise = parts_of(record_id)
    grade, weight, belief, reasons = plain
    return Premise(chunk=chunk, premise=premise, grade=grade, weight=weight, belief=belief, reasons=tuple(reasons))


def _plain_tombstone(it: Tombstone) -> list[object]:
    return [it.digest, it.reason, it.at.isoformat()]


def _tombstone(record_id: str, plain: list[Any]) -> Tombstone:
    digest, reason, at = plain
    return Tombstone(chunk=parts_of(record_id)[1], digest=digest, reason=reason, at=datetime.fromisoformat(at))


_PLAIN: dict[Kind, Callable[[Any], object]] = {
    Kind.WORKSPACE: _plain_workspace,
    Kind.OBJECT: _plain_object,
    Kind.OBJECT_VECTOR: lambda vector: vector.model,
    Kind.REFERENCE: lambda _: True,  # its id says it all
    Kind.INTENT: lambda text: text,
    Kind.INTENT_VECTOR: lambda vector: vector.model,
    Kind.MEMORY: _plain_memory,
    Kind.EXPECTATION: _plain_expectation,
    Kind.DISCOVERY: _plain_discovery,
    Kind.REPLY: _plain_reply,
    Kind.TRUST: _plain_trust,
    Kind.SESSION: _plain_session,
    Kind.CHUNK: _plain_chunk,
    Kind.CHUNK_VECTOR: lambda vector: vector.model,
    Kind.PREMISE: _plain_premise,
    Kind.TOMBSTONE: _plain_tombstone,
}
_VALUE: dict[Kind, Callable[[str, Any], Any]] = {
    Kind.WORKSPACE: _workspace,
    Kind.OBJECT: lambda record_id, plain: DataObject(id=record_id, **plain),
    Kind.REFERENCE: lambda record_id, _: reference_ends(record_id),
    Kind.INTENT: lambda _, text: text,
    Kind.MEMORY: _memory,
    Kind.EXPECTATION: _expectation,
    Kind.DISCOVERY: _discovery,
    Kind.REPLY: _reply,
    Kind.TRUST: _trust,
    Kind.SESSION: _session,
    Kind.CHUNK: _chunk,
    Kind.PREMISE: _premise,
    Kind.TOMBSTONE: _tombstone,
}
