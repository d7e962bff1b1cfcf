"""The ports: what services may ask of a store, by noun, in domain values.

Both back ends (`graph.embedded`, `graph.neo4j`) keep every promise made here, and each operation but those of
`Store` has one query file of its name under `cypher/`. All operations are safe to call from several threads; each is
one transaction, done whole or not at all; those that take a workspace raise `UnknownWorkspace` where there is none,
and `StoreUnavailable` where the store does not answer. Results of many are sorted by id (by Unicode code point).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

from graph.values import (
    ByPosition,
    CatalogueSaved,
    Changes,
    Chunk,
    ChunksAdded,
    DataObject,
    Discovery,
    DiscoveryEvidence,
    Embeddings,
    Expectation,
    Health,
    JoinPath,
    Listing,
    Memory,
    MemoryState,
    Neighbourhood,
    ObjectKind,
    ObjectsRemoved,
    Premise,
    PremisesAdded,
    Question,
    Reference,
    Reply,
    Scores,
    Session,
    SessionContents,
    Stamp,
    Tombstone,
    Trust,
    Workspace,
)


class Workspaces(Protocol):
    """The workspaces themselves, and the replies kept for idempotency keys."""

    def create_workspace(self, name: str, *, incarnation: str, at: datetime) -> tuple[Workspace, bool]:
        """The workspace, and whether this call made it; one that exists is left as it is, but that it counts as made
        at the earliest `at` that it was asked for with (so that a copy is as old as what it was copied from)."""
        ...

    def show_workspace(self, name: str) -> Workspace:
        """The workspace with its stamp and counts."""
        ...

    def show_stamp(self, name: str) -> Stamp:
        """Its stamp alone: cheap, whatever the workspace's size."""
        ...

    def list_workspaces(self) -> tuple[Workspace, ...]:
        """All of them, by name."""
        ...

    def delete_workspace(self, name: str, *, stamp: Stamp | None = None) -> None:
        """Deletes it with every node that carries its name. No other workspace's data is touched. With the `stamp` that
        it was last seen at, raises `StaleRevision` (and deletes nothing) where that is not its stamp any more."""
        ...

    def claim_reply(self, workspace: str, reply: Reply, *, keep_since: datetime) -> Reply | None:
        """Stores `reply` under its key if the key is free (or older than `keep_since`) and returns None; otherwise
        returns the one that is there, unchanged. Replies older than `keep_since` are dropped."""
        ...

    def save_reply(self, workspace: str, reply: Reply) -> None:
        """Replaces the claimed reply by the final one."""
        ...

    def drop_reply(self, workspace: str, key: str) -> None:
        """Frees a key whose request failed; nothing happens where it is not there."""
        ...


class Catalogue(Protocol):
    """Tables, attributes, and references between attributes."""

    def save_objects(
        self,
        workspace: str,
        objects: Sequence[DataObject],
        *,
        references: Sequence[Reference] = (),
        dropped_references: Sequence[Reference] = (),
        gone: Sequence[str] = (),
        embeddings: Embeddings | None = None,
    ) -> CatalogueSaved:
        """Creates or replaces `objects` (they are live afterwards), adds and drops references, then marks `gone`, which
        may name some of `objects`: they are stored as they are given, and gone.

        An embedding that is not given stays only where table, name and description are as they were. Memories that
        name an object now gone are suspended, those whose objects are all live again are restored. Raises
        `UnknownObjects` (and writes nothing) where an attribute's table or an end of an added reference is neither in
        the workspace nor among `objects`, or an id of `gone` is not in the workspace. References that exist, and
        dropped ones that do not, are passed over. Where nothing would change, the version stays as it is.
        """
        ...

    def show_objects(self, workspace: str, ids: Sequence[str]) -> tuple[DataObject, ...]:
        """Those of `ids` that are there, gone ones too, by id."""
        ...

    def list_objects(
        self,
        workspace: str,
        *,
        kind: ObjectKind | None = None,
        containing: Sequence[str] = (),
        tables: Sequence[str] | None = None,
        source: str | None = None,
        gone: bool | None = False,
        after: str | None = None,
        limit: int = 100,
    ) -> tuple[DataObject, ...]:
        """At most `limit` objects by id, those after `after`. `containing`: each part is in `folded`; `tables`: the
        attributes of these tables only; `gone` None: live and gone ones."""
        ...

    def list_references(self, workspace: str, ids: Sequence[str]) -> tuple[Reference, ...]:
        """The references with at least one end among `ids`, sorted."""
        ...

    def join_paths(self, workspace: str, tables: Sequence[str]) -> tuple[JoinPath, ...]:
        """For each two of these tables, the earlier named first, the shortest path between them over references, of
        JOIN_STEPS steps at most; of several the one whose tables come first by id. Live tables and attributes alone
        join; two that do not join have no path. In the order of the pairs."""
        ...

    def remove_objects(self, workspace: str, ids: Sequence[str], *, stamp: Stamp | None = None) -> ObjectsRemoved:
        """Deletes those of `ids` that are there with all their relationships, a table with its attributes. Memories
        keep naming them, and are suspended until objects of these ids come back. With a `stamp`, raises
        `StaleRevision` (and deletes nothing) where the catalogue has moved on since."""
        ...


class Memories(Protocol):
    """Memories: intent -> objects."""

    def save_memories(
        self,
        workspace: str,
        memories: Sequence[Memory],
        *,
        embeddings: Embeddings | None = None,
        instead_of: Memory | None = None,
    ) -> tuple[bool, ...]:
        """Saves each memory whose `revision` is the stored one (0: none stored), with revision + 1; in order, whether
        it was saved (False: somebody else's write came first). `missing` is worked out by the store. Embeddings are by
        `intent_id`; one stored earlier under another model is replaced. Ids in one call are distinct. A memory may name
        objects that are not there: it is then suspended. `instead_of` is forgotten where all were saved; raises
        `StaleRevision` (and saves nothing) where it is not there at its revision then."""
        ...

    def load_memories(self, workspace: str, memories: Sequence[Memory]) -> None:
        """Stores memories as they are given, `revision` (1 or more) and all, whatever is there under their ids: for
        copies, never for what somebody decided upon a memory read earlier. `missing` is worked out by the store, which
        leaves the embedding of an intent that is there alone. Ids in one call are distinct. Memories that are there
        just so are passed over; where all are, the version stays as it is."""
        ...

    def show_memories(self, workspace: str, ids: Sequence[str]) -> tuple[Memory, ...]:
        """Those of `ids` that are there, by id."""
        ...

    def list_memories(
        self,
        workspace: str,
        *,
        state: MemoryState | None = None,
        suspended: bool | None = None,
        intent_id: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> tuple[Memory, ...]:
        """At most `limit` memories by id, those after `after`."""
        ...

    def forget_memories(self, workspace: str, ids: Sequence[str], *, revision: int | None = None) -> tuple[str, ...]:
        """Deletes those of `ids` that are there (and, where `revision` is given, have it), each with its expectation
        and with its intent where no other memory has it; the ids deleted, sorted."""
        ...


class EvidenceSource(Protocol):
    """The evidence for a question, and what it is derived from."""

    def evidence(self, workspace: str, question: Question) -> DiscoveryEvidence:
        """See `DiscoveryEvidence`. One read; it is exact up to EXACT_LIMIT objects and memories."""
        ...

    def nearest_objects(
        self, workspace: str, intents: Sequence[str], *, model: str, limit: int = 50
    ) -> dict[str, Scores]:
        """For each of these stored intents that has an embedding of `model`: the `limit` live objects nearest to it by
        cosine, negatives left out, rounded to 6 decimals, best first, ties by id."""
        ...

    def save_expectations(
        self, workspace: str, expectations: Sequence[Expectation], *, stamp: Stamp, form: str
    ) -> None:
        """Keeps them as made for the catalogue of `stamp` and for `form`; those of memories that are not there any
        more, or of a catalogue that has moved on since, are passed over. Does not move the workspace's version."""
        ...


class ChangeFeed(Protocol):
    """Changes of a workspace, to derive indexes from."""

    def changes(self, workspace: str, *, since: int) -> Changes:
        """What was written after version `since` (0: everything)."""
        ...

    def list_ids(self, workspace: str) -> Listing:
        """All ids of objects and intents."""
        ...


class EmbeddingStore(Protocol):
    """Embeddings of data objects and intents."""

    def list_unembedded(
        self,
        workspace: str,
        *,
        of: Literal["objects", "intents"],
        model: str,
        after: str | None = None,
        limit: int = 500,
    ) -> tuple[str, ...]:
        """Ids of live objects, or of intents, without an embedding of `model`."""
        ...

    def show_embeddings(
        self, workspace: str, ids: Sequence[str], *, of: Literal["objects", "intents"]
    ) -> tuple[Embeddings, ...]:
        """The embeddings of those of `ids` that have one, bit for bit as they were stored: one value for each model, by
        model, its ids sorted."""
        ...

    def save_embeddings(self, workspace: str, embeddings: Embeddings, *, of: Literal["objects", "intents"]) -> None:
        """Stores them where the ids are (still) there, replacing older ones. Moves the workspace's version, and for
        objects the catalogue's."""
        ...


class FeedbackStore(Protocol):
    """Recorded discoveries and the trust earned by their outcomes."""

    def record_discovery(self, workspace: str, discovery: Discovery, *, keep: int, keep_since: datetime) -> None:
        """Keeps the record, and of all records the latest `keep` at most, none older than `keep_since`. Does not move
        the workspace's version."""
        ...

    def show_discoveries(self, workspace: str, ids: Sequence[str]) -> tuple[Discovery, ...]:
        """The records of those of `ids` that are there, by id."""
        ...

    def earn_trust(self, workspace: str, discovery: str, gains: Mapping[str, float], *, bound: float) -> bool:
        """Adds each rule's gain to its lead (which stays within -bound and bound) and counts one outcome, once for each
        discovery: whether it was counted now, and not before or never recorded. Does not move the workspace's
        version."""
        ...

    def list_trust(self, workspace: str) -> tuple[Trust, ...]:
        """What each rule has earned, by rule."""
        ...

    def load_trust(self, workspace: str, trust: Sequence[Trust]) -> None:
        """Stores what rules earned as it is given, whatever is there under their names: for copies. What is not given
        stays. Does not move the workspace's version."""
        ...

    def reset_trust(self, workspace: str) -> int:
        """Forgets what all rules earned; of how many rules there was something."""
        ...


class GraphExplorer(Protocol):
    """The graph as people walk it."""

    def neighbourhood(self, workspace: str, around: str, *, depth: int, limit: int = 200) -> Neighbourhood:
        """The nodes within `depth` (0..4) relationships of the object, memory or intent with this id (looked up in this
        order), the nearest first where `limit` cuts; the workspace's own node is neither shown nor walked through.
        Raises `NotFound`."""
        ...


class Sessions(Protocol):
    """Sessions, each a life of its own: what is written to one moves neither the workspace's version nor another's.

    Operations here and on chunks and premises raise `UnknownSession` where there is none of the id."""

    def save_session(
        self, workspace: str, session: str, *, incarnation: str, at: datetime, added: int = 0
    ) -> tuple[Session, bool]:
        """The session, and whether this call made it. One that exists is left as it is, but that it counts as made at
        the earliest `at` and with the largest `added` that it was asked for with (as copies do)."""
        ...

    def show_session(self, workspace: str, session: str) -> Session:
        """The session with its counts: cheap, whatever its size."""
        ...

    def list_sessions(self, workspace: str, *, after: str | None = None, limit: int = 100) -> tuple[Session, ...]:
        """At most `limit` sessions by id, those after `after`."""
        ...

    def delete_session(self, workspace: str, session: str) -> Session:
        """Deletes it with chunks, archive, premises and tombstones; what it was."""
        ...


class SessionReader(Protocol):
    """The contents of a session, whole or since an earlier read. Raises `UnknownSession` where there is none of the id."""

    def read_session(self, workspace: str, session: str) -> SessionContents:
        """All live chunks and the premises among them."""
        ...

    def read_added(self, workspace: str, session: str, *, since: SessionContents) -> SessionContents:
        """The same answer, for one who has what was read before: where nothing but additions came after it, a store may
        read these alone."""
        ...


class Chunks(Protocol):
    """The chunks of a session, its archive, and what is left of what was evicted."""

    def add_chunks(
        self,
        workspace: str,
        session: str,
        chunks: Sequence[Chunk],
        *,
        digests: Mapping[str, str],
        premises: Sequence[Premise] = (),
    ) -> ChunksAdded:
        """Adds the chunks that are not there at the end, in the order given, then `premises` as `add_premises` does;
        ids in one call are distinct. `digests` are the SHA-256 of their texts by id. Raises `ChunkConflict`, and adds
        nothing, where a chunk of an id is there (archived ones too) with another text. What an addition costs does not
        depend on the session's size."""
        ...

    def load_chunks(
        self, workspace: str, session: str, chunks: Sequence[Chunk], *, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[int, int]:
        """Stores chunks as they are given, position, archive and all, and tombstones, whatever is there under their
        ids: for copies. How many (of both) were not there, and how many were other. Raises `InvalidInput`, and stores
        nothing, where another chunk is at the position of one."""
        ...

    def list_chunks(
        self, workspace: str, session: str, *, archived: bool = False, after: int = -1, limit: int = 100
    ) -> tuple[Chunk, ...]:
        """At most `limit` live (or archived) chunks by position, those after position `after`."""
        ...

    def list_tombstones(
        self, workspace: str, session: str, *, after: str | None = None, limit: int = 100
    ) -> tuple[Tombstone, ...]:
        """At most `limit` tombstones by chunk, those after chunk `after`."""
        ...

    def evict_chunks(
        self, workspace: str, session: str, ids: Sequence[str], *, at: datetime, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[str, ...]:
        """Archives those of `ids` that are live, and puts up those of `tombstones` that are for them; the ids archived,
        sorted."""
        ...

    def restore_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Brings archived ones among `ids` back to their places, and takes their tombstones away; the ids, sorted."""
        ...

    def purge_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Deletes those of `ids` that are there, live or archived, with text, embedding and premises; tombstones stay.
        The ids deleted, sorted."""
        ...

    def show_chunk_embeddings(
        self, workspace: str, session: str, *, ids: Sequence[str] | None = None
    ) -> tuple[Embeddings, ...]:
        """The embeddings of those of `ids` (None: of all live chunks) that have one, bit for bit: one value for each
        model, by model, its ids sorted."""
        ...

    def save_chunk_embeddings(self, workspace: str, session: str, embeddings: Embeddings) -> None:
        """Stores them where the chunks are (still) there, replacing older ones. Does not move the session's version."""
        ...


class Premises(Protocol):
    """What chunks rest on."""

    def add_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> PremisesAdded:
        """Adds premises between chunks of the session, archived ones too. Self-loops are passed over; of duplicates,
        also of one that is there, the most trusted grade and the largest weight stay. A belief that is given is
        stored. Raises `UnknownChunks`, and adds nothing, where an end is not there."""
        ...

    def load_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> tuple[int, int]:
        """Stores premises as they are given, whatever is there between the same chunks: for copies. Self-loops are
        passed over. How many were not there, and how many were other. Raises `UnknownChunks` as `add_premises` does."""
        ...

    def list_premises(self, workspace: str, session: str, chunks: Sequence[str]) -> tuple[Premise, ...]:
        """The premises of these chunks, sorted by chunk, then premise."""
        ...

    def save_beliefs(self, workspace: str, session: str, premises: Sequence[Premise]) -> int:
        """Notes `belief` and `reasons` on those that are (still) there; how many. Does not move the version."""
        ...


class Liveness(Protocol):
    """How liveness runs along the premises among live chunks, worked out where they are stored. Relevance comes as
    values by position (positions that are not named have 0), and answers are by position, those that are 0 left out.
    Sums are made in order of ingestion, so that both stores give the same to the last bit."""

    def one_hop(self, workspace: str, session: str, relevance: ByPosition) -> ByPosition:
        """What each chunk gets from those that need it: the sum of its dependents' relevance."""
        ...

    def damped_hops(
        self, workspace: str, session: str, relevance: ByPosition, *, factors: Sequence[float]
    ) -> ByPosition:
        """sum over k of factors[k - 1] (A^T)^k r, for at most HOP_LIMIT factors; A has a row for each dependent."""
        ...

    def closure_gains(self, workspace: str, session: str, gains: ByPosition) -> ByPosition:
        """The largest gain among the others that a chunk rests on, over premises of any number; negatives count as 0.
        Safe on cycles: a chunk is none of its own premises."""
        ...


class Store(
    Workspaces,
    Catalogue,
    Memories,
    EvidenceSource,
    ChangeFeed,
    EmbeddingStore,
    FeedbackStore,
    GraphExplorer,
    Sessions,
    SessionReader,
    Chunks,
    Premises,
    Liveness,
    Protocol,
):
    """A whole store. Opening it (see each back end's `open_store`) brings its schema up to date."""

    url: str
    """Its address without credentials, for people."""

    is_remote: bool
    """Whether asking it crosses a wire: then liveness is worked out where premises are stored."""

    def health(self) -> Health:
        """What works and what does not; never raises for a store that cannot be reached."""
        ...

    def close(self) -> None:
        """Gives everything back; may be called twice."""
        ...
