"""The domain's values: frozen records that services and stores exchange.

Nothing here knows a store, a door or a rule. Instants are aware UTC datetimes; vectors are float32 of unit length.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
"""Embeddings: float32, rows of unit length."""
Array = NDArray[Any]

ObjectKind = Literal["table", "attribute"]
MemoryState = Literal["proposed", "confirmed", "refuted"]
EvidenceKind = Literal["executed_sql", "confirmed", "annotated", "feedback", "refuted", "recalled"]
Outcome = Literal["success", "failure"]
Similarity = Literal["lexical", "neural", "mean"]
PremiseGrade = Literal["declared", "observed", "inferred"]
PREMISE_GRADES: tuple[PremiseGrade, ...] = get_args(PremiseGrade)  # the earlier, the more trusted

LEXICAL_LIMIT = 50  # lexical object candidates that a question carries to the store
INTENT_LIMIT = 200  # lexical intent similarities a question carries beyond EXACT_LIMIT intents
HOP_LIMIT = 8  # how many premises far liveness is damped, at most
JOIN_STEPS = 6  # references on the longest path between two tables
EXACT_LIMIT = 2_000  # up to so many objects, and memories, the evidence is exact: all of them are scored


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """The state of a workspace's graph that an answer was made from.

    `incarnation` differs between two workspaces that had the same name in turn; `version` grows with each write
    to objects, references, memories or intents; `catalogue_version` is the `version` of the latest write to
    objects or references. Versions of two incarnations must not be compared.
    """

    incarnation: str
    version: int
    catalogue_version: int

    def has_catalogue_of(self, other: Stamp) -> bool:
        return (self.incarnation, self.catalogue_version) == (other.incarnation, other.catalogue_version)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A workspace and what it holds. `objects` counts live tables and attributes, `gone` those marked gone."""

    name: str
    created_at: datetime
    stamp: Stamp
    tables: int = 0
    attributes: int = 0
    gone: int = 0
    references: int = 0
    memories: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DataObject:
    """A table or an attribute (column). `table` is the id of an attribute's table, None for a table.

    `source` names where it was imported from. A gone object is kept, out of every answer, until it comes back
    or is removed. `folded` is the text that `containing` filters and people's full-text search look at, made by
    the services' tokeniser (case and accents folded); it is derived and takes no part in equality.
    """

    id: str
    kind: ObjectKind
    name: str
    description: str = ""
    table: str | None = None
    data_type: str | None = None
    source: str = ""
    gone: bool = False
    folded: str = field(default="", compare=False)


Reference = tuple[str, str]
"""Two attribute ids: the first refers to (is a foreign key of) the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinPath:
    """How two tables join: the tables from the one to the other, and for each step between two of them all references
    that lead from either to the other, sorted (several columns of one key, or several keys)."""

    tables: tuple[str, ...]
    steps: tuple[tuple[Reference, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Embeddings:
    """Vectors of one model: row i of `matrix` (n x d, float32, unit length) belongs to `ids[i]`."""

    model: str
    ids: tuple[str, ...]
    matrix: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One outcome that spoke for or against a memory, and the state it left the memory in.

    `request` names the request that brought it, where its sender gave it a key: sent again, it counts once.
    """

    kind: EvidenceKind
    outcome: Outcome
    at: datetime
    state: MemoryState
    note: str = ""
    discovery: str | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """An intent and the data objects that served it; no trajectory.

    `id` is derived from intent and objects, `intent_id` from the intent alone. `objects` is the truth of what
    was found, sorted; `missing` are those of them that the catalogue does not hold live now, and a memory with
    any is `suspended`: it weighs nothing until they are back. `revision` is 0 for a memory that no store holds
    yet and grows by 1 with each save. `statement` is the SQL it came from, literals masked unless asked otherwise.
    `evidence` keeps the latest outcomes, oldest first; `times` counts how often it was met.
    """

    id: str
    intent_id: str
    intent: str
    objects: tuple[str, ...]
    state: MemoryState
    created_at: datetime
    last_used_at: datetime
    times: int = 1
    successes: int = 0
    failures: int = 0
    evidence: tuple[Evidence, ...] = ()
    statement: str | None = None
    dialect: str | None = None
    revision: int = 0
    missing: tuple[str, ...] = ()

    @property
    def suspended(self) -> bool:
        return bool(self.missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueSaved:
    """What a write to the catalogue did beyond itself: memories that it suspended or brought back (ids, sorted)."""

    stamp: Stamp
    suspended: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectsRemoved:
    """The ids that are gone for good (a table's attributes go with it), sorted, and the memories it suspended."""

    ids: tuple[str, ...]
    suspended: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What changed in a workspace since a version, so that arrays derived from it can be caught up.

    `objects` are all objects (gone ones too) written since, by id; `references` all references of the workspace,
    sorted, or None where the catalogue is as it was; `intents` (id, text) stored since, by id. What was deleted
    since does not show here: where `removed` says so, the reader asks `list_ids` and drops what is not there.
    """

    stamp: Stamp
    objects: tuple[DataObject, ...]
    references: tuple[Reference, ...] | None
    intents: tuple[tuple[str, str], ...]
    removed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All ids of objects (gone ones too) and intents of a workspace, sorted."""

    objects: tuple[str, ...]
    intents: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Parallel ids and scores, best first, ties by id."""

    ids: tuple[str, ...] = ()
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """What a store needs to gather the evidence for one intent.

    `vector` (d,) and its `model` are None without an encoder. `objects` are the lexical candidates (ids of live
    objects; at most LEXICAL_LIMIT are used in scoring, more may be named to learn their cosines), `intents` the
    lexical similarity, within 0 and 1, of the stored intents: all of them up to EXACT_LIMIT, the best INTENT_LIMIT
    beyond; an intent that is not named has 0. `similarity` says what a memory's similarity is made of: the lexical
    one, the cosine of embeddings (negative counts as 0), or the mean of both (the lexical one alone for an intent
    without an embedding of `model`). `nearest_only` leaves out the cosines of all but the nearest objects: a rule that
    counts no more of them than `vector_limit` has no use for the others, and reading them is dear.

    Memories are ranked twice: by similarity among the confirmed ones (the first `top_k` make Eq. 1's term), and by
    `reach` = max(0, (similarity - reach_floor) / (1 - reach_floor)) ** reach_power * weight * confidence (the first
    `reach_limit`). `form` names the registry score that expectations must have been made with to be current. `today`
    is the UTC day on which memories have the age that they are weighed with; without it they do not age.
    """

    objects: Scores = Scores()
    intents: Scores = Scores()
    vector: FloatArray | None = None
    model: str | None = None
    similarity: Similarity = "lexical"
    use_memory: bool = True
    vector_limit: int = LEXICAL_LIMIT
    nearest_only: bool = False
    top_k: int = 5
    alpha: float = 0.5
    reach_power: float = 4.0
    reach_floor: float = 0.0
    reach_limit: int = 10
    form: str = ""
    today: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What the registry alone scores for a memory's own intent: its best objects (at most 50), best first.

    `support`, within 0 and 1, says how far the registry itself would have found the memory's objects.
    """

    memory: str
    objects: tuple[str, ...]
    scores: tuple[float, ...]
    support: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEvidence:
    """A memory near to the question. Only live, not refuted memories with similarity above 0 are evidence.

    `confidence` = (s + 1) / (s + f + 1) over its outcomes as they fade (`graph.standing`), half of that while proposed,
    and halved again with each IDLE_HALF_LIFE_DAYS between its last use and the question's `today`. `weight` =
    min(1, support / .5) ** 2, and 1 while `expected` is None: not made yet for the catalogue as it is and the
    question's `form`. `share` is Eq. 1's alpha * similarity for the `top_k` nearest confirmed memories, else 0.
    """

    id: str
    intent_id: str
    intent: str
    state: MemoryState
    similarity: float
    confidence: float
    weight: float
    reach: float
    share: float
    objects: tuple[str, ...]
    expected: Expectation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryEvidence:
    """The evidence for one question, by one read of one state of the graph.

    `cosines` (ids sorted, values rounded to 6 decimals, empty without a vector) hold the `vector_limit` objects
    nearest to the question (at equal cosine the smaller id first) and, unless it asks for the nearest only, its own
    candidates and every object that a memory in `memories` found, where these have an embedding of the question's
    model; objects that are gone are never there. `terms` is Eq. 1's memory term by object, sorted by id. `memories` by
    falling reach, then falling similarity, then id: the first `reach_limit` by reach together with the first `top_k`
    by similarity.
    `unembedded` counts live objects without an embedding of the question's model (0 without a vector).
    `approximate` says that vector candidates came from an index and not from all objects. `trust` is by rule, whatever
    was asked.
    """

    stamp: Stamp
    cosines: Scores = Scores()
    terms: Scores = Scores()
    memories: tuple[MemoryEvidence, ...] = ()
    unembedded: int = 0
    approximate: bool = False
    trust: tuple[Trust, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a rule that is to be judged by outcomes would have put first for a question, had it been trusted fully;
    `without` the memory of this id, where that is what is to be judged."""

    rule: str
    results: tuple[str, ...]
    without: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """The record of one answer, so that a later outcome can refer to it: `results` are object ids, best first.

    `trials` are what the outcome judges, the registry alone first, then rules, then the rule without a memory that was
    loud; none where the rule earns no trust. `judged`: an outcome has been counted.
    """

    id: str
    intent: str
    retriever: str
    rule: str
    results: tuple[str, ...]
    at: datetime
    trials: tuple[Trial, ...] = ()
    judged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What a rule has earned in a workspace: `lead` sums, over `outcomes`, how much better it was than no memory."""

    rule: str
    lead: float
    outcomes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session and what it holds: live `chunks` with their `tokens`, `archived` ones, `premises` among all of them,
    and `tombstones`.

    `added` is the position of the next chunk, so it counts all that were ever added. `version` grows with each write
    to its chunks or premises, beliefs and embeddings aside; `incarnation` differs between two sessions that had the
    same id in turn.
    """

    id: str
    incarnation: str
    created_at: datetime
    version: int = 0
    added: int = 0
    chunks: int = 0
    tokens: int = 0
    archived: int = 0
    premises: int = 0
    tombstones: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a session, whole or gone. `position` is given by the store, in order of ingestion, and is never given
    twice; -1 where no store has given one. `tokens` is its cost, `importance` within 0 and 1.

    An archived chunk is out of reach of whatever reads sessions, until it is restored.
    """

    id: str
    text: str
    tokens: int
    pinned: bool = False
    importance: float = 0.0
    position: int = -1
    archived_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunksAdded:
    """What became of chunks that were to be added, each by id in the order given: `added`, `updated` (its pin, tokens
    or importance), `unchanged`, or not added again because it is `archived`, or was evicted and left a tombstone
    (`buried`)."""

    session: Session
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()
    buried: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Premise:
    """`chunk` needs `premise`, both by id. `weight`, within 0 and 1, comes with the premise; `belief`, within 0 and 1
    and not set off against others, is what was made of it since, for `reasons` in words."""

    chunk: str
    premise: str
    grade: PremiseGrade = "declared"
    weight: float = 1.0
    belief: float | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PremisesAdded:
    """How many premises were new, are trusted more than before, or were there; self-loops are none of these."""

    session: Session
    added: int = 0
    updated: int = 0
    unchanged: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """What is left of a chunk that was evicted: its id, the SHA-256 of its text in hexadecimal, why, and when.

    Without a digest it stands for any text: a chunk of this id is not added again.
    """

    chunk: str
    digest: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SessionContents:
    """The live chunks of a session as parallel arrays, by position, and the premises among them, by dependent, then
    premise: `sources` and `targets` are places in these arrays, `grades` indices into PREMISE_GRADES.

    `lost` are pairs of ids: a live chunk, and a premise of it that is archived; sorted.
    """

    session: Session
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    positions: Array
    tokens: Array
    pinned: Array
    importance: Array
    sources: Array
    targets: Array
    grades: Array
    weights: Array
    lost: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ByPosition:
    """A value for each of some chunks: `positions` ascending, `values` in the same order."""

    positions: Array
    values: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node as people see it: its labels, and properties without embeddings."""

    id: str
    labels: tuple[str, ...]
    properties: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """A relationship between two nodes, each named by its first label and its id."""

    type: str
    start: tuple[str, str]
    end: tuple[str, str]
    properties: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """Nodes by (first label, id) and the relationships among them; `truncated` where the limit cut it."""

    nodes: tuple[Node, ...]
    relationships: tuple[Relationship, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What was answered to a request with an idempotency key; `status` 0 while the first request is under way."""

    key: str
    request: str
    status: int
    body: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What a store says of itself. `ready` only where it is reachable, its schema current, its indexes online.
    `mended` is what it found broken when it was opened and made anew, in words."""

    ready: bool
    store: str
    server: str
    schema: int
    problems: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
