"""The evidence for one question: what a store gathers in one read, and the port that answers it.

Combining evidence into scores is done by the rules of `services.discovery`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol

from graph.embeddings import FloatArray
from graph.feedback import Trust
from graph.memories import MemoryState
from graph.workspaces import Stamp

Similarity = Literal["lexical", "neural", "mean"]

LEXICAL_LIMIT = 50  # lexical object candidates that a question carries to the store
INTENT_LIMIT = 200  # lexical intent similarities a question carries beyond EXACT_LIMIT intents
EXPECTED_LIMIT = 5  # objects of an expectation that are relationships of the memory, for people to walk
EXACT_LIMIT = 2_000  # up to so many objects, and memories, the evidence is exact: all of them are scored


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
    counts no more of them than `vector_limit` has no use for the others, and reading them is dear. With
    `held_vectors` the embeddings of the memories' intents come with them, but for these intents (ids), whose embeddings
    the caller has.

    Memories are ranked by similarity: the first `memory_limit` are evidence, and the first `top_k` of the confirmed
    ones make Eq. 1's term. `latest` asks for so many of the memories made last, whatever they are about, with what is
    known of them but for those in `held_latest` (ids), which the caller knows. `form` names the registry score that
    expectations must have been made with to be current. `today` is the UTC day on which memories have the age that
    they are weighed with; without it they do not age.
    """

    objects: Scores = Scores()
    intents: Scores = Scores()
    vector: FloatArray | None = None
    model: str | None = None
    similarity: Similarity = "lexical"
    use_memory: bool = True
    vector_limit: int = LEXICAL_LIMIT
    nearest_only: bool = False
    held_vectors: tuple[str, ...] | None = None
    top_k: int = 5
    alpha: float = 0.5
    memory_limit: int = 10
    latest: int = 0
    held_latest: tuple[str, ...] = ()
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

    `confidence` = (s + 1) / (s + f + 1) over its outcomes as they fade (`graph.memories`), half of that while proposed,
    and halved again with each IDLE_HALF_LIFE_DAYS between its last use and the question's `today`. `successes` and
    `failures` are the outcomes themselves. `expected` is None while it is not made for the catalogue as it is and the
    question's `form`. `share` is Eq. 1's alpha * similarity for the `top_k` nearest confirmed memories, else 0.
    `vector` (d,) is the intent's embedding of the question's model, where there is one and `held_vectors` asks for it.
    """

    id: str
    intent_id: str
    intent: str
    state: MemoryState
    similarity: float
    confidence: float
    successes: int
    failures: int
    share: float
    objects: tuple[str, ...]
    expected: Expectation | None
    vector: FloatArray | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestMemory:
    """A memory made lately, and its expectation where that is current, as in `MemoryEvidence`."""

    id: str
    intent_id: str
    intent: str
    objects: tuple[str, ...]
    expected: Expectation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryEvidence:
    """The evidence for one question, by one read of one state of the graph.

    `cosines` (ids sorted, values rounded to 6 decimals, empty without a vector) hold the `vector_limit` objects
    nearest to the question (at equal cosine the smaller id first) and, unless it asks for the nearest only, its own
    candidates and every object that a memory in `memories` found, where these have an embedding of the question's
    model; objects that are gone are never there. `terms` is Eq. 1's memory term by object, sorted by id. `memories` by
    falling similarity, then id: the first `memory_limit` together with the first `top_k` confirmed ones.
    `latest` are the ids of the memories made last that are neither refuted nor suspended, the last first, then by id;
    `learned` those of them that the question does not hold, in this order.
    `unembedded` counts live objects without an embedding of the question's model (0 without a vector).
    `partial`: the workspace has so many memories that nearer ones than these may be left out.
    `trust` is by rule, whatever was asked.
    """

    stamp: Stamp
    cosines: Scores = Scores()
    terms: Scores = Scores()
    memories: tuple[MemoryEvidence, ...] = ()
    latest: tuple[str, ...] = ()
    learned: tuple[LatestMemory, ...] = ()
    partial: bool = False
    unembedded: int = 0
    trust: tuple[Trust, ...] = ()


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
