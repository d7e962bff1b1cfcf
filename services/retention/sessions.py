"""A session as policies see it: chunks, premises, an index of relevance, and what is derived from them once.

What does not depend on a query is kept here and extended as the session grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from graph.errors import InvalidInput
from services.retention.arms import RetentionArm
from services.retention.beliefs.beliefs import Beliefs, believe
from services.retention.beliefs.term_cosines import TermCosines
from services.retention.coverage import ShownIdentifiers, fill_covering
from services.retention.liveness import Layers
from services.retention.policies import Believed, Case
from services.retention.relevance import Relevance
from services.retention.selection import Dependencies, least_costs
from services.retention.session_arrays import ChunkArrays, PremiseArrays, RealArray, make_chunks
from services.retention.units import Units, single_units, units_of, with_pairs


class SessionArrays:
    """Chunks in order of ingestion, the premises among them and the index over their texts."""

    def __init__(self, chunks: ChunkArrays, *, premises: PremiseArrays, index: Relevance) -> None:
        if premises.count != len(chunks):
            raise InvalidInput(
                "premises", found=f"for {premises.count} chunks, not {len(chunks)}", hint="Give both whole"
            )
        self.chunks, self.premises, self.index = chunks, premises, index
        self._least: dict[tuple[int, float], RealArray] = {}

    @cached_property
    def layers(self) -> Layers:
        return Layers(self.premises)

    @cached_property
    def beliefs(self) -> Beliefs:
        return believe(self.chunks.texts, premises=self.premises, index=self.index)

    @cached_property
    def term_cosines(self) -> TermCosines:
        return TermCosines(self.beliefs.terms)

    @cached_property
    def shown(self) -> ShownIdentifiers:
        return ShownIdentifiers().extended(self.chunks.texts)

    @cached_property
    def units(self) -> Units | None:
        """Calls with their results; None where there are none."""
        return units_of(self.chunks) if (self.chunks.calls >= 0).any() else None

    @cached_property
    def paired(self) -> Believed:
        """The premises, and that calls and their results rest on each other, all certain."""
        premises = with_pairs(self.premises, self.chunks.calls)
        return Believed(premises=premises, beliefs=np.ones(len(premises)), layers=Layers(premises))

    @cached_property
    def paired_beliefs(self) -> Believed:
        """What is believed, and that calls and their results rest on each other."""
        believed = self.beliefs.believed
        premises = with_pairs(replace(believed.premises, weights=believed.beliefs), self.chunks.calls)
        return Believed(premises=premises, beliefs=premises.weights, layers=Layers(premises, weights=premises.weights))

    def case(self, query: str, arm: RetentionArm, *, cosines: RealArray | None = None) -> Case:
        """Return the inputs of an arm for this query; `cosines`, if given, are those of the index.

        Where the session has calls with results, and the arm does not refuse, units are kept together: groups of
        premises get them as premises of each other.
        """
        units = self.units if arm["pairs"] else None
        pairs = units is not None and arm.policy.grouped
        return Case(
            chunks=self.chunks,
            premises=self.paired.premises if pairs else self.premises,
            layers=self.paired.layers if pairs else self.layers,
            units=units,
            cosines=self.index.score(query) if cosines is None else cosines,
            words=lambda: self.term_cosines.score(query),
            believed=lambda: self.paired_beliefs if pairs else self.beliefs.believed,
            cover=lambda basket: fill_covering(basket, self.shown, query, units=units or single_units(self.chunks)),
            least=self._least_costs,
        )

    def _least_costs(self, dependencies: Dependencies) -> RealArray:
        key = (id(dependencies.premises), max(dependencies.cut_below, dependencies.ignore_below))
        if key not in self._least:
            self._least[key] = least_costs(self.chunks, dependencies)
        return self._least[key]

    def warm(self) -> None:
        """Compute now what the first query would wait for."""
        _ = self.layers.settled, self.beliefs.believed.layers.settled
        self.term_cosines.warm()

    def extended(
        self, texts: Sequence[str], *, premises: PremiseArrays, index: Relevance | None = None, **more: object
    ) -> SessionArrays:
        """Return the session with further chunks at its end, equal to one built at once; `premises` are all of them.

        `more` are the further chunks' tokens, pins, importance, ages and calls, as `make_chunks` takes them.
        """
        fresh = make_chunks(texts, **more)  # type: ignore[arg-type]
        old = self.chunks
        ages = np.concatenate((old.ages + len(fresh), fresh.ages))
        chunks = ChunkArrays(
            texts=(*old.texts, *fresh.texts),
            tokens=np.concatenate((old.tokens, fresh.tokens)),
            pinned=np.concatenate((old.pinned, fresh.pinned)),
            importance=np.concatenate((old.importance, fresh.importance)),
            ages=ages,
            is_call=np.concatenate((old.is_call, fresh.is_call)),
            calls=np.concatenate((old.calls, fresh.calls)),
        )
        grown = SessionArrays(chunks, premises=premises, index=self.index.extended(texts) if index is None else index)
        if "beliefs" in self.__dict__:
            grown.beliefs = self.beliefs.extended(texts, premises=premises, index=grown.index)
        if "shown" in self.__dict__:
            grown.shown = self.shown.extended(texts)
        if "term_cosines" in self.__dict__:
            grown.term_cosines = TermCosines(grown.beliefs.terms, posts=self.term_cosines.posts)
        return grown
