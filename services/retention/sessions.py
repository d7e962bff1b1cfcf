"""A session as policies see it: chunks, premises, an index of relevance, and what is derived from them once.

What does not depend on a query is kept here and extended as the session grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from graph.errors import InvalidInput
from services.retention.beliefs.beliefs import Beliefs, believe
from services.retention.beliefs.term_cosines import TermCosines
from services.retention.liveness import Layers
from services.retention.policies import Case
from services.retention.relevance import Relevance
from services.retention.selection import Dependencies, least_costs
from services.retention.session_arrays import ChunkArrays, PremiseArrays, RealArray, make_chunks


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

    def case(self, query: str, *, cosines: RealArray | None = None) -> Case:
        """Return the inputs of a policy for this query; `cosines`, if given, are those of the index."""
        return Case(
            chunks=self.chunks,
            premises=self.premises,
            layers=self.layers,
            cosines=self.index.score(query) if cosines is None else cosines,
            words=lambda: self.term_cosines.score(query),
            believed=lambda: self.beliefs.believed,
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

        `more` are the further chunks' tokens, pins, importance and ages, as `make_chunks` takes them.
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
        )
        grown = SessionArrays(chunks, premises=premises, index=self.index.extended(texts) if index is None else index)
        if "beliefs" in self.__dict__:
            grown.beliefs = self.beliefs.extended(texts, premises=premises, index=grown.index)
        if "term_cosines" in self.__dict__:
            grown.term_cosines = TermCosines(grown.beliefs.terms, posts=self.term_cosines.posts)
        return grown
