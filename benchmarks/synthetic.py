"""Warehouses, memories and questions that nobody wrote, and an encoder that encodes nothing; all from seeds.

Words follow Zipf's law and names are put together as people do it: a question meets 2.9 postings for each object, as
it meets 2.7 in real catalogues. Texts that share words get vectors near each other, so that indexes find something.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from graph.catalogue import DataObject
from graph.embeddings import FloatArray
from services.catalogue import SourceCatalogue
from services.identity import normal_intent
from services.memories import Entry, Feedback
from services.words import pieces

WIDTH = 384
COLUMNS = 19  # a table, to make twenty objects
MEMORY_SHARE = 10  # a memory for ten objects
HEAD = """
    id name date code type status amount number account customer order product price total time user key value city
    country region district address email phone start end year month day count rate level group category item sale
    payment invoice loan card balance currency client employee department store school student course teacher grade
    score team player match season league event venue flight airport airline train station patient doctor hospital
    drug test result sample gene protein disease book author publisher library member film actor director song artist
    album race driver circuit lap point position company stock market trade bank branch policy claim agent vehicle
    model engine color size weight height length width area population income tax budget project task skill language
"""
STARTS = "b c ch d f g gr h j k l m n p pl qu r s sh st t v"
MIDDLES = "a e i o u ee ai ou y"
ENDS = "b ck d ft g l m nd ng p r rm s t x"
ASKING = ("how many", "what is the", "list all", "show the", "which", "average", "find every", "total number of")
TYPES = ("INTEGER", "TEXT", "REAL", "DATE", "VARCHAR(64)")


@cache
def vocabulary(size: int = 6_000) -> tuple[str, ...]:
    random = np.random.default_rng(1)
    parts = [a + b + c for a in STARTS.split() for b in MIDDLES.split() for c in ("", "", *ENDS.split())]
    words = dict.fromkeys(HEAD.split())
    while len(words) < size:
        words.setdefault("".join(parts[row] for row in random.integers(len(parts), size=random.integers(1, 3))))
    return tuple(words)


class Speech:
    """Draws words, the common ones often."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self._words = vocabulary()
        shares = np.cumsum(1 / (np.arange(len(self._words)) + 20.0))
        self._shares = shares / shares[-1]

    def words(self, count: int) -> list[str]:
        return [self._words[row] for row in np.searchsorted(self._shares, self.random.random(count)).tolist()]

    def name(self) -> str:
        words = self.words(int(self.random.integers(1, 3)))
        return words[0] + "".join(map(str.title, words[1:])) if self.random.random() < 0.3 else "_".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Warehouse:
    """A catalogue, its memories to be, and questions that none of them asks."""

    catalogue: SourceCatalogue
    memories: tuple[Entry, ...]
    questions: tuple[str, ...]

    @property
    def texts(self) -> list[str]:
        """What an encoder will be asked to encode in the end."""
        names = {item.id: item.name for item in self.catalogue.objects if item.kind == "table"}
        tables = ((names.get(item.table or ""), item) for item in self.catalogue.objects)
        return [
            *(" ".join(filter(None, (table, item.name, item.description))) for table, item in tables),
            *(entry.intent for entry in self.memories),
            *self.questions,
        ]


def warehouse(size: int, *, questions: int = 64, seed: int = 7) -> Warehouse:
    """`size` objects in tables of COLUMNS columns, a tenth as many memories; equal seeds make equal ones."""
    speech = Speech(seed)
    objects = list(_objects(size, speech))
    columns: dict[str, list[DataObject]] = {item.id: [] for item in objects if item.kind == "table"}
    for item in objects:
        if item.table is not None:
            columns[item.table].append(item)
    tables = list(columns)
    keys = [
        (columns[table][0].id, columns[other][0].id)
        for table, other in zip(tables[1:], speech.random.integers(0, np.arange(1, len(tables))).tolist(), strict=True)
        for other in [tables[other]]
        if columns[table] and columns[other]
    ]
    asked = [_asking(speech, tables, columns) for _ in range(max(1, size // MEMORY_SHARE) + questions)]
    evidence = Feedback(kind="confirmed")
    return Warehouse(
        catalogue=SourceCatalogue(source="synthetic", objects=tuple(objects), references=tuple(keys)),
        memories=tuple(Entry(intent=text, objects=found, feedback=evidence) for text, found in asked[questions:]),
        questions=tuple(text for text, _ in asked[:questions]),
    )


def _objects(size: int, speech: Speech) -> Iterator[DataObject]:
    for number in range(0, size, COLUMNS + 1):
        table = f"w.t{number}"
        yield DataObject(
            id=table, kind="table", name="_".join(speech.words(2)), description=" ".join(speech.words(3)), source="w"
        )
        for column in range(min(COLUMNS, size - number - 1)):
            yield DataObject(
                id=f"{table}.c{column}",
                kind="attribute",
                name=speech.name(),
                description=" ".join(speech.words(int(speech.random.integers(0, 6)))),
                table=table,
                data_type=TYPES[column % len(TYPES)],
                source="w",
            )


def _asking(speech: Speech, tables: Sequence[str], columns: dict[str, list[DataObject]]) -> tuple[str, tuple[str, ...]]:
    """An intent in its normal form, and the two to four objects of one table that serve it; it names half of them."""
    random = speech.random
    own = columns[table := tables[int(random.integers(len(tables)))]]
    used = [own[row] for row in random.permutation(len(own))[: random.integers(1, 4)].tolist()]
    named = [word for item in used[: (len(used) + 1) // 2] for word in pieces(item.name)]
    text = " ".join([ASKING[random.integers(len(ASKING))], *named, *speech.words(int(random.integers(4, 8)))])
    return normal_intent(text), tuple(sorted({table, *(item.id for item in used)}))


class SyntheticEncoder:
    """A text's vector is the sum of its words' seeded vectors, rare words counting more; each is made once and held."""

    name = "synthetic"

    def __init__(self) -> None:
        self._numbers = {word: number for number, word in enumerate(vocabulary())}
        random = np.random.default_rng(2)
        self._pool = random.standard_normal((len(self._numbers) + 1, WIDTH), dtype=np.float32)
        self._pool *= np.log2(2 + np.arange(len(self._pool), dtype=np.float32))[:, None]
        self._held: dict[str, FloatArray] = {}

    def encode(self, texts: Sequence[str]) -> FloatArray:
        for text in texts:
            if text not in self._held:
                self._held[text] = self._make(text)
        return np.stack([self._held[text] for text in texts])

    def _make(self, text: str) -> FloatArray:
        rows = [self._numbers.get(piece, len(self._numbers)) for piece in pieces(text)]
        total: FloatArray = self._pool[rows].sum(axis=0)
        return total / np.linalg.norm(total)
