"""An inverted index as arrays of raw counts, updated by deltas; `weights` computes scores from them.

An index is immutable: an update returns a new one that shares what it can, so readers need no lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from services.words import pieces

Ints = NDArray[np.int64]
Terms = Callable[[str], tuple[str, ...]]
"""The terms of one piece of text: `services.words.piece_words` or `piece_grams`."""

MOST_OFTEN = 65_535  # occurrences of a term in a document are counted up to this
PIECES_KEPT = 10_000  # pieces of queries cached with their terms: n-grams are costly to cut and look up


class Vocabulary:
    """Term -> number, in order of arrival. It only grows, so several indexes may share it."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.numbers: dict[str, int] = {}
        self._pieces: dict[str, list[int]] = {}
        self._lock = Lock()

    def number(self, terms: Iterable[str]) -> list[int]:
        with self._lock:
            return [self.numbers.setdefault(term, len(self.numbers)) for term in terms]

    def read(self, text: str) -> tuple[list[int], list[str]]:
        """Return the numbers of the text's terms, repeated as they occur, and the terms without a number."""
        numbers: list[int] = []
        strange: list[str] = []
        for piece in pieces(text):
            known = self._pieces.get(piece)
            if known is None:
                terms = self.terms(piece)
                known = [self.numbers[term] for term in terms if term in self.numbers]
                if len(known) < len(terms):
                    strange += (term for term in terms if term not in self.numbers)
                else:
                    self._keep(piece, known)
            numbers += known
        return numbers, strange

    def _keep(self, piece: str, numbers: list[int]) -> None:
        if len(self._pieces) >= PIECES_KEPT:
            self._pieces.clear()
        self._pieces[piece] = numbers


@dataclass(frozen=True, eq=False)
class Index:
    """Postings grouped by term: `slots[starts[t]:starts[t + 1]]` are the documents that hold term t, each once.

    Each document has a slot; slots of removed ones are reused. `ids[slot]` is the id, "" for a free slot.
    """

    vocabulary: Vocabulary
    ids: tuple[str, ...] = ()
    starts: Ints = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    slots: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    counts: NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, dtype=np.uint16))

    @cached_property
    def slot_of(self) -> dict[str, int]:
        return {item: slot for slot, item in enumerate(self.ids) if item}

    @property
    def size(self) -> int:
        """The number of documents."""
        return len(self.slot_of)

    @cached_property
    def frequencies(self) -> Ints:
        """The document frequency of each term."""
        return np.diff(self.starts)

    def postings(self, numbers: NDArray[np.intp]) -> tuple[NDArray[np.int32], NDArray[np.uint16], Ints]:
        """Return the postings of these terms, term after term: slots, counts, and the number of postings of each."""
        starts, stops = self.starts[numbers], self.starts[numbers + 1]
        places = list(map(slice, starts.tolist(), stops.tolist()))
        slots = np.concatenate([self.slots[:0], *(self.slots[place] for place in places)])
        counts = np.concatenate([self.counts[:0], *(self.counts[place] for place in places)])
        return slots, counts, stops - starts

    def changed(self, *, removed: Iterable[str], texts: Mapping[str, str]) -> Index:
        """Return the index without `removed` and with `texts` (id -> text), added or replaced."""
        leaving = {self.slot_of[item] for item in (*removed, *texts) if item in self.slot_of}
        ids = list(self.ids)
        for slot in leaving:
            ids[slot] = ""
        starts, slots, counts = self._without(leaving)
        free = [slot for slot, item in enumerate(ids) if not item] if leaving or len(self.slot_of) < len(ids) else []
        ids.extend("" for _ in range(len(texts) - len(free)))
        places = [*free, *range(len(self.ids), len(ids))][: len(texts)]
        for slot, item in zip(places, texts, strict=True):
            ids[slot] = item
        numbers, where, how_often = _count(self.vocabulary, texts.values(), places)
        starts = np.concatenate([starts, np.full(len(self.vocabulary.numbers) + 1 - len(starts), starts[-1])])
        at = starts[numbers + 1]
        added = np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=len(starts) - 1))])
        return Index(
            self.vocabulary,
            ids=tuple(ids),
            starts=starts + added,
            slots=np.insert(slots, at, where) if len(slots) else where,
            counts=np.insert(counts, at, how_often) if len(counts) else how_often,
        )

    def _without(self, leaving: set[int]) -> tuple[Ints, NDArray[np.int32], NDArray[np.uint16]]:
        if not leaving:
            return self.starts, self.slots, self.counts
        stays = np.ones(len(self.ids), dtype=bool)
        stays[list(leaving)] = False
        kept = stays[self.slots]
        before = np.concatenate([[0], np.cumsum(kept)])
        return before[self.starts], self.slots[kept], self.counts[kept]


def _count(
    vocabulary: Vocabulary, texts: Iterable[str], slots: Sequence[int]
) -> tuple[Ints, NDArray[np.int32], NDArray[np.uint16]]:
    """Return term numbers, slots and counts of the texts, sorted by term, then slot.

    Each distinct piece is cut once: 10^5 objects hold 10^6 pieces, but few distinct ones.
    """
    seen: dict[str, int] = {}
    flat: list[int] = []
    lengths: list[int] = []
    for text in texts:
        found = pieces(text)
        lengths.append(len(found))
        flat.extend([seen.setdefault(piece, len(seen)) for piece in found])
    terms = [vocabulary.number(vocabulary.terms(piece)) for piece in seen]
    sizes = np.array([len(numbers) for numbers in terms], dtype=np.int64)
    offsets = np.cumsum(sizes) - sizes
    pool = np.array([number for numbers in terms for number in numbers], dtype=np.int64)
    piece = np.array(flat, dtype=np.int64)
    span = sizes[piece]
    within = np.arange(span.sum()) - np.repeat(np.cumsum(span) - span, span)
    number = pool[np.repeat(offsets[piece], span) + within]
    slot = np.repeat(np.repeat(np.array(slots, dtype=np.int64), lengths), span)
    width = max(slots, default=0) + 1
    key, count = np.unique(number * width + slot, return_counts=True)
    return key // width, (key % width).astype(np.int32), np.minimum(count, MOST_OFTEN).astype(np.uint16)
