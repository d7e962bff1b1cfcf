"""The memories of a workspace: remember, judge by outcomes, show, change and forget them.

Changes are optimistic: computed from the memory as stored, and repeated if another write came first.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Protocol, get_args

from graph.catalogue import Catalogue
from graph.errors import Conflict, InvalidInput, StaleMemory, UnknownMemories, UnknownObjects
from graph.feedback import FeedbackStore
from graph.memories import EvidenceKind, Memories, Memory, MemoryDifference, MemoryState, Outcome
from graph.workspaces import Stamp, Workspaces
from services.best_effort import best_effort
from services.encoders import Encoder
from services.feedback.outcomes import outcomes_of, settle
from services.identity import make_intent_id, make_memory_id, normal_intent, normal_objects
from services.limits import DISCOVERY_CHARACTERS, NOTE_CHARACTERS
from services.memories.forgetting import Forgotten, forget_ids
from services.memories.remembering import (
    TRIES,
    Entry,
    Remembered,
    as_utc,
    encode_intents,
    lost_to_others,
    pause,
    remember_entries,
)
from services.memories.states import Feedback, after_outcome, counted
from services.texts import fault_in

PAGE = 500


class MemoryStore(Memories, Catalogue, FeedbackStore, Workspaces, Protocol):
    """The ports that the service uses."""


class MemoryService:
    """Operations on memories. Each raises `UnknownMemories` for a memory that does not exist, and with a `revision`
    `StaleMemory` where that is not the stored one."""

    def __init__(self, store: MemoryStore, encoder: Encoder | None, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._encoder = encoder
        self._clock = clock

    def check(self, workspace: str) -> tuple[MemoryDifference, ...]:
        """Find memories whose relationships differ from their properties. What a write is just changing differs in one
        of two reads only, and is left out."""
        found = self._store.check_memories(workspace)
        again = set(self._store.check_memories(workspace)) if found else ()
        return tuple(difference for difference in found if difference in again)

    def remember(
        self,
        workspace: str,
        intent: str,
        objects: Iterable[str],
        *,
        evidence: Feedback | None = None,
        statement: str | None = None,
        dialect: str | None = None,
    ) -> Memory:
        """Upsert the memory of this intent with these objects; without evidence a new one is proposed.

        Raises `UnknownObjects` unless the catalogue has all of them live, and `UnknownMemories` where evidence of a
        failure is for a memory that does not exist, as a failure creates none.
        """
        entry = Entry(
            intent=normal_intent(intent),
            objects=normal_objects(objects),
            feedback=evidence and checked(evidence),
            statement=statement,
            dialect=dialect,
        )
        self._check_live(workspace, entry.objects)
        [result] = self.remember_all(workspace, [entry])
        if result.conflict is not None:
            raise result.conflict
        if result.memory is None:
            raise UnknownMemories(workspace, (make_memory_id(entry.intent, entry.objects),))
        return result.memory

    def settle(self, workspace: str, discovery: str, served: Sequence[str]) -> bool:
        """Apply the objects actually used as the outcome of a recorded discovery, at most once.

        It changes the trust of the discovery's rule and judges the memories with a large share in it. Returns whether
        this call applied it.
        """
        found = settle(self._store, workspace, discovery, served)
        if found is None:
            return False
        for memory_id, outcome in outcomes_of(found, served).items():
            with suppress(UnknownMemories, Conflict):  # forgotten since, or contended: one outcome less
                self._judge(workspace, memory_id, Feedback(kind="recalled", outcome=outcome, discovery=discovery))
        return True

    def _settle_quietly(self, workspace: str, discovery: str | None, served: Sequence[str]) -> None:
        """Best-effort `settle`: what was learned is stored already, and must not fail for this."""
        if discovery is not None and served:
            with best_effort("applying an outcome"):
                self.settle(workspace, discovery, served)

    def remember_all(self, workspace: str, entries: Sequence[Entry]) -> tuple[Remembered, ...]:
        """Remember entries (in normal form, their objects known), in one commit if no other write interferes.

        Returns the result of each, in order.
        """
        results = remember_entries(self._store, workspace, entries, encoder=self._encoder, at=self._now())
        for entry, result in zip(entries, results, strict=True):
            if result.memory is not None and entry.feedback is not None and entry.feedback.outcome == "success":
                self._settle_quietly(workspace, entry.feedback.discovery, entry.objects)
        return results

    def feedback(
        self,
        workspace: str,
        memory_id: str,
        outcome: Outcome,
        *,
        note: str = "",
        discovery: str | None = None,
        request: str | None = None,
        revision: int | None = None,
    ) -> Memory:
        """Record a user's or an agent's outcome for this memory. Returns the memory after it."""
        given = Feedback(kind="feedback", outcome=outcome, note=note, discovery=discovery, request=request)
        judged = self._judge(workspace, memory_id, given, revision=revision)
        if outcome == "success":
            self._settle_quietly(workspace, discovery, judged.objects)
        return judged

    def confirm(self, workspace: str, memory_id: str, *, note: str = "", revision: int | None = None) -> Memory:
        """Mark the memory confirmed by a user, whatever its outcomes."""
        return self._judge(workspace, memory_id, Feedback(kind="confirmed", note=note), revision=revision)

    def refute(self, workspace: str, memory_id: str, *, note: str = "", revision: int | None = None) -> Memory:
        """Mark the memory refuted by a user; only a user can confirm it again."""
        return self._judge(
            workspace, memory_id, Feedback(kind="refuted", outcome="failure", note=note), revision=revision
        )

    def edit(
        self,
        workspace: str,
        memory_id: str,
        *,
        intent: str | None = None,
        objects: Iterable[str] | None = None,
        revision: int | None = None,
    ) -> Memory:
        """Give the memory another intent or other objects, and so another id; it keeps its outcomes.

        Raises `Conflict` where a memory of that intent with those objects exists.
        """
        before = self._at_revision(workspace, memory_id, revision)
        after = replace(
            before,
            intent=before.intent if intent is None else normal_intent(intent),
            objects=before.objects if objects is None else normal_objects(objects),
            revision=0,
        )
        after = replace(after, id=make_memory_id(after.intent, after.objects), intent_id=make_intent_id(after.intent))
        if after.id == memory_id:
            return before
        if objects is not None:
            self._check_live(workspace, after.objects)
        embeddings = encode_intents(self._encoder, [(after.intent_id, after.intent)])
        if self._store.save_memories(workspace, [after], embeddings=embeddings, instead_of=before) != (True,):
            raise Conflict(
                f"memory {memory_id} with another intent or other objects",
                found=f"there is one like that: {after.id}",
                hint="Forget one of the two, or give feedback to the one that is right",
            )
        return self.show(workspace, after.id)

    def forget(self, workspace: str, ids: Sequence[str], *, revision: int | None = None) -> tuple[Forgotten, ...]:
        """Delete memories. Returns the result of each id, in order; without a `revision` failures are reported there,
        not raised."""
        if revision is not None:
            for memory_id in ids:
                self._at_revision(workspace, memory_id, revision)
        return tuple(forget_ids(self._store, workspace, list(dict.fromkeys(ids)), revision=revision))

    def forget_all(self, workspace: str) -> tuple[Forgotten, ...]:
        """Delete all memories, a page at a time. Returns the result of each."""
        report: list[Forgotten] = []
        after: str | None = None
        while page := self._store.list_memories(workspace, after=after, limit=PAGE):
            after = page[-1].id
            report += forget_ids(self._store, workspace, [memory.id for memory in page])
        return tuple(report)

    def list(
        self,
        workspace: str,
        *,
        state: MemoryState | None = None,
        suspended: bool | None = None,
        intent: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> tuple[Memory, ...]:
        """List at most `limit` memories by id, those after `after`; with `intent`, those of exactly this one."""
        return self._store.list_memories(
            workspace,
            state=state,
            suspended=suspended,
            intent_id=None if intent is None else make_intent_id(normal_intent(intent)),
            after=after,
            limit=limit,
        )

    def show(self, workspace: str, memory_id: str) -> Memory:
        found = self._store.show_memories(workspace, [memory_id])
        if not found:
            raise UnknownMemories(workspace, (memory_id,))
        return found[0]

    def count(self, workspace: str, ids: Sequence[str]) -> int:
        """Count those of these that exist."""
        return len(self._store.show_memories(workspace, ids))

    def show_stamp(self, workspace: str) -> Stamp:
        return self._store.show_stamp(workspace)

    def _judge(self, workspace: str, memory_id: str, feedback: Feedback, *, revision: int | None = None) -> Memory:
        feedback = checked(feedback)
        for tried in range(TRIES):
            before = self.show(workspace, memory_id)
            if counted(before, feedback):
                return before
            if revision is not None and before.revision != revision:
                raise StaleMemory(memory_id, revision)
            after = after_outcome(before, feedback, at=self._now())
            if self._store.save_memories(workspace, [after]) == (True,):
                return replace(after, revision=before.revision + 1)
            pause(tried)
        raise lost_to_others(memory_id)

    def _at_revision(self, workspace: str, memory_id: str, revision: int | None) -> Memory:
        memory = self.show(workspace, memory_id)
        if revision is not None and memory.revision != revision:
            raise StaleMemory(memory_id, revision)
        return memory

    def _check_live(self, workspace: str, ids: Sequence[str]) -> None:
        live = {item.id for item in self._store.show_objects(workspace, ids) if not item.gone}
        if unknown := tuple(item for item in ids if item not in live):
            raise UnknownObjects(workspace, unknown)

    def _now(self) -> datetime:
        return as_utc(self._clock())


def checked(feedback: Feedback) -> Feedback:
    """Return the feedback in the form that is stored. Raises `InvalidInput`."""
    fault = fault_in(feedback.note, limit=NOTE_CHARACTERS, layout=True)
    if feedback.kind not in get_args(EvidenceKind):
        fault = f"{feedback.kind!r} is no kind of evidence"
    elif feedback.outcome not in get_args(Outcome):
        fault = f"{feedback.outcome!r} is no outcome"
    elif feedback.discovery is not None:
        fault = fault or fault_in(feedback.discovery, limit=DISCOVERY_CHARACTERS)
    if fault is None:
        return replace(feedback, outcome="failure") if feedback.kind == "refuted" else feedback
    raise InvalidInput(
        "evidence for a memory",
        found=fault,
        hint="Kinds are executed_sql, confirmed, annotated, feedback and refuted; outcomes success and failure",
    )
