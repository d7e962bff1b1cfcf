"""Liveness asked of the store, in the form that policies ask for it: values by place of a session's live chunks."""

from __future__ import annotations

import numpy as np

from graph.embeddings import Array
from graph.premises import ByPosition, Liveness
from graph.session_contents import SessionContents
from services.retention.session_arrays import RealArray


class StoredHops:
    """See `services.retention.policies.Hops`; for the session as it was read."""

    def __init__(self, store: Liveness, workspace: str, contents: SessionContents) -> None:
        self._store = store
        self._workspace = workspace
        self._session = contents.session.id
        self._positions: Array = contents.positions

    def one_hop(self, relevance: RealArray, /) -> RealArray:
        return self._dense(self._store.one_hop(self._workspace, self._session, self._sparse(relevance)))

    def damped_hops(self, relevance: RealArray, /, *, gamma: float, depth: int) -> RealArray:
        factors = [gamma**step for step in range(depth)]
        given = self._sparse(relevance)
        return self._dense(self._store.damped_hops(self._workspace, self._session, given, factors=factors))

    def best_below(self, gains: RealArray, /) -> RealArray:
        return self._dense(self._store.closure_gains(self._workspace, self._session, self._sparse(gains)))

    def _sparse(self, values: RealArray) -> ByPosition:
        places = np.flatnonzero(values)
        return ByPosition(positions=self._positions[places], values=values[places])

    def _dense(self, heard: ByPosition) -> RealArray:
        """Chunks that were added since the session was read are left out."""
        values = np.zeros(len(self._positions))
        places = np.searchsorted(self._positions, heard.positions)
        known = places < len(values)
        known[known] = self._positions[places[known]] == heard.positions[known]
        values[places[known]] = heard.values[known]
        return values
