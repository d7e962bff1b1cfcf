"""Write memories optimistically: read, apply, save unless another write came first, and repeat for the rest.

Outcomes are applied by `states`; a memory that several entries of one batch are about is saved once.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from graph.embeddings import Embeddings
from graph.errors import Conflict, EncoderUnavailable
from graph.memories import Memories, Memory
from services.encoders import Encoder
from services.identity import make_intent_id, make_memory_id
from services.memories.states import Feedback, after_outcome, counted

TRIES = 24
LONGEST_WAIT_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing to remember: intent and objects in normal form. A failure counts against an existing memory, and
    creates none."""

    intent: str
    objects: tuple[str, ...]
    feedback: Feedback | None = None
    statement: str | None = None
    dialect: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The result of an entry: its memory, None for a failure without one; or the conflict after all retries."""

    memory: Memory | None = None
    conflict: Conflict | None = None


def remember_entries(
    store: Memories, workspace: str, entries: Sequence[Entry], *, encoder: Encoder | None, at: datetime
) -> tuple[Remembered, ...]:
    """Remember entries, each independently of the others. Returns their results, in order."""
    ids = [make_memory_id(entry.intent, entry.objects) for entry in entries]
    results: list[Remembered] = [Remembered()] * len(entries)
    waiting = set(ids)
    embeddings: Embeddings | None = None
    for tried in range(TRIES):
        known = {memory.id: memory for memory in store.show_memories(workspace, sorted(waiting))}
        if tried == 0:
            new = {make_intent_id(e.intent): e.intent for i, e in zip(ids, entries, strict=True) if i not in known}
            embeddings = encode_intents(encoder, sorted(new.items()))
        for position, (memory_id, entry) in enumerate(zip(ids, entries, strict=True)):
            if memory_id in waiting:
                memory = _with_entry(known.get(memory_id), memory_id, entry, at=at)
                results[position] = Remembered(memory=memory and replace(memory, revision=memory.revision + 1))
                if memory is not None:
                    known[memory_id] = memory
        changed = [known[memory_id] for memory_id in sorted(waiting) if memory_id in known]
        saved = store.save_memories(workspace, changed, embeddings=embeddings) if changed else ()
        waiting = {memory.id for memory, done in zip(changed, saved, strict=True) if not done}
        if not waiting:
            break
        pause(tried)
    return tuple(
        Remembered(conflict=lost_to_others(memory_id)) if memory_id in waiting else result
        for memory_id, result in zip(ids, results, strict=True)
    )


def _with_entry(memory: Memory | None, memory_id: str, entry: Entry, *, at: datetime) -> Memory | None:
    feedback = entry.feedback
    failed = feedback is not None and feedback.outcome == "failure"
    if memory is None and failed:
        return None
    if memory is None:
        memory = Memory(
            id=memory_id,
            intent_id=make_intent_id(entry.intent),
            intent=entry.intent,
            objects=entry.objects,
            state="proposed",
            created_at=at,
            last_used_at=at,
            times=0,
        )
    if feedback is not None and counted(memory, feedback):
        return memory
    memory = replace(memory, times=memory.times + 1, last_used_at=max(memory.last_used_at, at))
    if entry.statement is not None and not failed:
        memory = replace(memory, statement=entry.statement, dialect=entry.dialect)
    if feedback is None:
        return memory
    return after_outcome(memory, feedback, at=as_utc(feedback.at) if feedback.at else at)


def encode_intents(encoder: Encoder | None, intents: Sequence[tuple[str, str]]) -> Embeddings | None:
    """Embed intents (id, text). Returns None without an encoder, or where it fails: memories are saved without."""
    if encoder is None or not intents:
        return None
    try:
        matrix = encoder.encode([text for _, text in intents])
    except EncoderUnavailable:
        return None
    return Embeddings(model=encoder.name, ids=tuple(intent_id for intent_id, _ in intents), matrix=matrix)


def pause(tried: int) -> None:
    """Wait at random, longer with each try, so that writers of one memory do not collide again."""
    time.sleep(random.uniform(0, min(LONGEST_WAIT_SECONDS, 0.002 * 2**tried)))


def lost_to_others(memory_id: str) -> Conflict:
    return Conflict(
        f"a change to memory {memory_id}",
        found=f"others changed it first, {TRIES} times in a row",
        hint="Nothing was changed; try again",
    )


def as_utc(at: datetime) -> datetime:
    """An instant in UTC; one without a zone is taken to be in UTC already."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
