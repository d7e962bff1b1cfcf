"""The discovery service: an intent in, the data objects that serve it out, with the reasons.

It strings together what the other modules do; it holds vectors of recent intents and no other state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import get_args
from uuid import uuid4

from graph.catalogue import ObjectKind
from graph.errors import EncoderUnavailable, InvalidInput
from graph.evidence import DiscoveryEvidence
from graph.feedback import Discovery, Trial, Trust
from graph.memories import day_of
from graph.store import Store
from services.best_effort import best_effort
from services.catalogue_index import MOST_RESULTS, CatalogueIndexes
from services.discovery.answering import candidates_and_scores, intent_similarities, object_similarities
from services.discovery.answers import Answer, Hit, first_ids, rank
from services.discovery.arms import DiscoveryArm, parse_arm
from services.discovery.evidence import Gathering, Inquiry
from services.discovery.expectations import Expectations
from services.discovery.intent_vectors import IntentVectors
from services.discovery.joining import join_hits
from services.discovery.registry_score import lift
from services.discovery.reindexing import Reindexed, Reindexing
from services.discovery.rules import Attribution, lift_parts, recall
from services.discovery.trust import judge, leave_one_out
from services.encoders import Encoder
from services.identity import normal_intent
from services.measures import CUT
from services.words import asks_something

KEPT_DISCOVERIES = 10_000
KEPT_DISCOVERY_DAYS = 90
NOTHING_ASKED = "nothing was looked for: the intent holds no word that tells objects apart"


class DiscoveryService:
    """Answers questions, records answers, and keeps what answers need up to date."""

    def __init__(
        self,
        store: Store,
        registries: CatalogueIndexes,
        encoder: Encoder | None,
        *,
        missing: str | None = None,
        missed: bool = True,
        clock: Callable[[], datetime],
    ) -> None:
        """`missing`: why there is no encoder, in words. `missed` False: somebody chose that, and no answer says it."""
        self._missed = missed
        self._store = store
        self._registries = registries
        self._clock = clock
        self._vectors = IntentVectors(encoder, missing=missing)
        self._gathering = Gathering(store, registries, Expectations(store, self._vectors))
        self._upkeep = Reindexing(store, registries, encoder, self._vectors)

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
        """The at most `limit` (1..200) objects that serve the intent, best first; none where nothing speaks for any.

        `join`: also how their tables join. `memory_retriever`: likeness of intents as another retriever sees it.
        `may_write` False: expectations are made and used, but not kept. Raises `InvalidInput` for an intent without
        words, a limit out of bounds, an unknown kind, and a retriever and a rule that do not go together.
        """
        asked = normal_intent(intent)
        if not 1 <= limit <= MOST_RESULTS:
            raise InvalidInput(f"limit {limit}", found="out of bounds", hint=f"Ask for 1 to {MOST_RESULTS} results")
        if kinds is not None and not set(kinds) <= set(get_args(ObjectKind)):
            known = ", ".join(get_args(ObjectKind))
            raise InvalidInput(f"kinds {', '.join(map(str, kinds))}", found="no such kind", hint=f"There are {known}")
        chosen = parse_arm(retriever, rule, memory_retriever=memory_retriever)
        if not asks_something(asked) and not self._registries.current(workspace).named(asked):
            return _answer(asked, (), chosen, degraded=(NOTHING_ASKED,))
        vector, reason = self._vectors.vector(asked) if chosen.wants_vector else (None, None)
        if reason is not None and "neural" in (retriever, memory_retriever):
            raise EncoderUnavailable("the retriever `neural`", found=reason, hint="Ask with `blend`, which needs none")
        if not self._missed and self._vectors.model is None:
            reason = None
        inquiry = Inquiry(
            workspace=workspace,
            intent=asked,
            plan=chosen,
            vector=vector,
            model=self._vectors.model,
            use_memory=use_memory,
            limit=limit,
            kinds=kinds,
            may_write=may_write,
            today=day_of(self._clock()),
        )
        try:
            gathered = self._gathering.gather(inquiry)
        except EncoderUnavailable as error:  # it broke between the question and what memories expected
            reason, inquiry = str(error), replace(inquiry, vector=None)
            gathered = self._gathering.gather(inquiry)
        board, base = candidates_and_scores(inquiry, gathered)
        recalled = recall(
            board,
            gathered.memories if inquiry.recalls else (),
            kin=intent_similarities(self._store, self._vectors, inquiry, gathered),
            likeness=object_similarities(inquiry, gathered, board, self._store),
        )
        judged = chosen.rule(encoded=inquiry.vector is not None)
        heard, tried = judge(chosen, judged, base, recalled, gathered.evidence.trust)

        shown = lift_parts(board, heard) if chosen.blends else heard
        results = rank(gathered.registry, board, shown, recalled, intent=asked, limit=limit, kinds=kinds)

        def first(verdict: Attribution) -> tuple[str, ...]:
            scores = lift(board, verdict.score) if chosen.blends else verdict.score
            return first_ids(gathered.registry, board, scores, intent=asked, limit=CUT)

        trials: tuple[Trial, ...] = ()
        if recalled.memories and tried:
            trials = tuple(Trial(rule=name, results=first(one)) for name, one in tried.items())
            if chosen.trusts:
                trials += leave_one_out(trials[-1], tried[chosen.name], recalled, first=first)
        answer = _answer(asked, results, chosen, degraded=_degraded(reason, gathered.evidence), trials=trials)
        return replace(answer, join=join_hits(self._store, workspace, results)) if join else answer

    def record(self, workspace: str, answer: Answer) -> None:
        """Keeps the answer, so that an outcome can refer to it; as best it can: it never fails."""
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
        """What outcomes have earned each rule here, by rule."""
        return self._store.list_trust(workspace)

    def reset_trust(self, workspace: str) -> int:
        """Forgets it, so that every rule starts anew; of how many rules there was something."""
        return self._store.reset_trust(workspace)

    def refresh(self, workspace: str, *, limit: int = 500) -> int:
        """Makes at most `limit` expectations that are missing or stale; how many it made."""
        return self._upkeep.refresh(workspace, limit=limit)

    def reindex(self, workspace: str, *, progress: Callable[[int, int | None], None] | None = None) -> Reindexed:
        """Embeds what has no embedding of the encoder's model, then makes all missing expectations."""
        return self._upkeep.reindex(workspace, progress=progress or (lambda _done, _total: None))


def _answer(
    intent: str,
    results: tuple[Hit, ...],
    chosen: DiscoveryArm,
    *,
    degraded: tuple[str, ...],
    trials: tuple[Trial, ...] = (),
) -> Answer:
    return Answer(
        discovery=f"d_{uuid4().hex[:24]}",
        intent=intent,
        results=results,
        retriever=chosen.retriever,
        rule=chosen.name,
        degraded=degraded,
        trials=trials,
    )


def _degraded(reason: str | None, evidence: DiscoveryEvidence) -> tuple[str, ...]:
    notes = [] if reason is None else [reason]
    if evidence.unembedded:
        notes.append(f"{evidence.unembedded} objects have no embedding yet: `retinue reindex` makes them")
    return tuple(notes)
