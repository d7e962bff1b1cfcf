"""The contents of a session as parallel arrays, and the port that reads them.

Nothing here writes; the values of single chunks and premises are in their own modules.
"""

from dataclasses import dataclass
from typing import Protocol

from graph.embeddings import Array
from graph.sessions import Session


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SessionContents:
    """The live chunks of a session as parallel arrays, by position, and the premises among them, by dependent, then
    premise: `sources` and `targets` are places in these arrays, `grades` indices into PREMISE_GRADES. `kinds` and
    `roles` are indices into CHUNK_KINDS and CHUNK_ROLES, -1 for no role.

    `lost` are pairs of ids: a live chunk, and a premise of it that is archived; sorted.
    """

    session: Session
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    kinds: Array
    roles: Array
    call_ids: tuple[str | None, ...]
    positions: Array
    tokens: Array
    pinned: Array
    importance: Array
    sources: Array
    targets: Array
    grades: Array
    weights: Array
    lost: tuple[tuple[str, str], ...] = ()


class SessionReader(Protocol):
    """The contents of a session, whole or since an earlier read. Raises `UnknownSession`."""

    def read_session(self, workspace: str, session: str) -> SessionContents:
        """Return all live chunks and the premises among them."""
        ...

    def read_added(self, workspace: str, session: str, *, since: SessionContents) -> SessionContents:
        """Return the same as `read_session`; where only additions followed `since`, a store may read these alone."""
        ...
