"""The discovery service: an intent in, the data objects that serve it out, with the reasons.

It strings together the other modules of this room; its only state is a cache of recent intents' vectors.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol, get_args
from uuid import uuid4

from graph.catalogue import Catalogue, ObjectKind
from graph.embeddings import FloatArray
from graph.errors import EncoderUnavailable, InvalidInput
from graph.feedback import Discovery, FeedbackStore, Trust
from graph.memories import day_of
from services.best_effort import best_effort
from services.catalogue_index import MOST_RESULTS, CatalogueIndexes
from services.discovery import answering
from services.discovery.answers import Answer
from services.discovery.arms import DiscoveryArm, parse_arm
from services.discovery.evidence import Gathered, Gathering, Inquiry
from services.discovery.expectations import Expectations
from services.discovery.intent_vectors import IntentVectors
from services.discovery.joining import join_hits
from services.discovery.reindexing import Reindexed, Reindexing, ReindexingStore
from services.encoders import Encoder
from services.identity import normal_intent
from services.words import asks_something

KEPT_DISCOVERIES = 10_000
KEPT_DISCOVERY_DAYS = 90
NOTHING_ASKED = "no search was run: the intent contains only stop words"


class DiscoveryStore(ReindexingStore, Catalogue, FeedbackStore, Protocol):
    """The ports that discovery uses."""


class DiscoveryService:
    """Answer questions, record answers, and keep what answers need up to date."""

    def __init__(
        self,
        store: DiscoveryStore,
        indexes: CatalogueIndexes,
        encoder: Encoder | None,
        *,
        missing: str | None = None,
        missed: bool = True,
        clock: Callable[[], datetime],
    ) -> None:
        """`missing`: why there is no encoder, in words. `missed` False: that is intended, and answers do not say it."""
        self._missed = missed or encoder is not None
        self._store = store
        self._indexes = indexes
        self._clock = clock
        self._vectors = IntentVectors(encoder, missing=missing)
        self._gathering = Gathering(store, indexes, Expectations(store, self._vectors))
        self._reindexing = Reindexing(store, indexes, encoder, self._vectors)

    def discover(
        self,
        workspace: str,
        intent: str,
        *,
        limit: int = 10,
        kinds: Collection[ObjectKind] | None = None,
        use_memory: bool = True,
        retriever: str = "blend",
        rule: str | None = None,
        join: bool = False,
        memory_retriever: str | None = None,
        may_write: bool = True,
    ) -> Answer:
        """Find the at most `limit` (1..200) objects that serve the intent, best first; none where no score is above 0.

        `join`: also how their tables join. `memory_retriever`: compare intents as another retriever does.
        `may_write` False: expectations are computed and used, but not stored. Raises `InvalidInput` for an intent
        without words, a limit out of bounds, an unknown kind, and a retriever and a rule that do not go together.
        """
        asked = normal_intent(intent)
        _check(limit=limit, kinds=kinds)
        arm = parse_arm(retriever, rule, memory_retriever=memory_retriever)
        discovery = f"d_{uuid4().hex[:24]}"
        if not asks_something(asked) and not self._indexes.current(workspace).named(asked):
            return Answer(
                discovery=discovery,
                intent=asked,
                results=(),
                retriever=arm.retriever,
                rule=arm.name,
                degraded=(NOTHING_ASKED,),
            )
        vector, missing = self._vector(asked, arm)
        inquiry = Inquiry(
            workspace=workspace,
            intent=asked,
            arm=arm,
            vector=vector,
            missing=missing,
            model=self._vectors.model,
            use_memory=use_memory,
            limit=limit,
            kinds=kinds,
            may_write=may_write,
            today=day_of(self._clock()),
        )
        answer = answering.answer(*self._gather(inquiry), discovery=discovery)
        return replace(answer, join=join_hits(self._store, workspace, answer.results)) if join else answer

    def _vector(self, intent: str, arm: DiscoveryArm) -> tuple[FloatArray | None, str | None]:
        """The intent's vector, or why there is none, where an answer should say it."""
        if not arm.wants_vector:
            return None, None
        vector, reason = self._vectors.vector(intent)
        if reason is not None and "neural" in (arm.retriever, arm.memory_retriever):
            raise EncoderUnavailable("the retriever `neural`", found=reason, hint="Ask with `blend`, which needs none")
        return vector, reason if self._missed else None

    def _gather(self, inquiry: Inquiry) -> tuple[Inquiry, Gathered]:
        """The evidence, and the inquiry that it answers: by words alone if the encoder fails on a memory's intent."""
        try:
            return inquiry, self._gathering.gather(inquiry)
        except EncoderUnavailable as error:
            by_words = replace(inquiry, vector=None, missing=str(error))
            return by_words, self._gathering.gather(by_words)

    def record(self, workspace: str, answer: Answer) -> None:
        """Record the answer, so that an outcome can refer to it. Best effort: a failing store raises nothing."""
        now = self._clock()
        found = Discovery(
            id=answer.discovery,
            intent=answer.intent,
            retriever=answer.retriever,
            rule=answer.rule,
            results=tuple(hit.id for hit in answer.results),
            trials=answer.trials,
            at=now,
        )
        with best_effort("recording a discovery"):
            self._store.record_discovery(
                workspace, found, keep=KEPT_DISCOVERIES, keep_since=now - timedelta(days=KEPT_DISCOVERY_DAYS)
            )

    def list_trust(self, workspace: str) -> tuple[Trust, ...]:
        """The trust that outcomes earned each rule, by rule."""
        return self._store.list_trust(workspace)

    def reset_trust(self, workspace: str) -> int:
        """Reset the trust of all rules. Returns how many had any."""
        return self._store.reset_trust(workspace)

    def refresh(self, workspace: str, *, limit: int = 500) -> int:
        """Compute at most `limit` expectations that are missing or stale. Returns how many it computed."""
        return self._reindexing.refresh(workspace, limit=limit)

    def reindex(self, workspace: str, *, progress: Callable[[int, int | None], None] | None = None) -> Reindexed:
        """Embed objects and intents without an embedding of the encoder's model, then compute missing expectations."""
        return self._reindexing.reindex(workspace, progress=progress or (lambda _done, _total: None))


def _check(*, limit: int, kinds: Collection[ObjectKind] | None) -> None:
    if not 1 <= limit <= MOST_RESULTS:
        raise InvalidInput(f"limit {limit}", found="out of bounds", hint=f"Ask for 1 to {MOST_RESULTS} results")
    if kinds is not None and not set(kinds) <= set(get_args(ObjectKind)):
        known = ", ".join(get_args(ObjectKind))
        raise InvalidInput(f"kinds {', '.join(map(str, kinds))}", found="no such kind", hint=f"There are {known}")
