"""Which chunk introduces a word, and which uses of it call for a premise.

In a log what comes first introduces; where the order of a log is lost, the place in the sentence tells: what is
introduced stands late in its sentence, what is used stands early.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from services.retention.chunks import BoolArray, IntArray, RealArray
from services.retention.liveness import expand
from services.retention.mentions import Mentions, Shared, find
from services.retention.premises import Premises

MOST_MENTIONS = 32
RARE_WORD = 4  # a word in so few texts may name a thing, as an identifier does
KINDS = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Introductions:
    """By token the row that introduces it, and how reliable that rule is among the declared premises."""

    row: IntArray
    reliability: float
    telling: BoolArray  # by token: rare enough to tie a use to its introduction


def introductions(mentions: Mentions, premises: Premises, shared: Shared) -> Introductions:
    """Learnt from the premises that share a telling token: does the premise say it first, or later in its sentence?"""
    telling = (mentions.frequency > 1) & (mentions.identifier | (mentions.frequency <= RARE_WORD))
    mark = telling[shared.tokens]
    tokens, pairs = shared.tokens[mark], shared.pairs[mark]
    first = mentions.first_row[tokens] == mentions.row_of[premises.targets[pairs]]
    # nine imagined premises for the order of a log, one against: a session is a log unless it shows otherwise
    by_order = (float(first.sum()) + 9) / (len(tokens) + 10)
    by_place = (float(shared.later_there[mark].sum()) + 5) / (len(tokens) + 10)
    if by_order >= 0.8 or by_order >= by_place:
        return Introductions(row=mentions.first_row, reliability=by_order, telling=telling)
    row_of_mention = np.repeat(np.arange(mentions.rows), np.diff(mentions.starts))
    order = np.lexsort((row_of_mention, -mentions.places, mentions.tokens))
    tokens = mentions.tokens[order]
    heads = np.flatnonzero(np.concatenate(([True], tokens[1:] != tokens[:-1]))) if len(tokens) else tokens
    latest = mentions.first_row.copy()
    latest[tokens[heads]] = row_of_mention[order][heads]
    return Introductions(row=latest, reliability=by_place, telling=telling)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inferred:
    """Premises that nobody declared, sorted by (source, target), each once, with the chance that they hold."""

    sources: IntArray
    targets: IntArray
    weights: RealArray


def infer_premises(
    mentions: Mentions, premises: Premises, shared: Shared, known: Introductions, *, believed: BoolArray, trust: float
) -> Inferred:
    """Uses of telling tokens that no believed premise explains; `believed` has a flag a premise.

    A kind of use calls for a premise as often as it is declared to in this session, over the recall of its
    declarations (Elkan and Noto), which is what its most often declared kind shows, drawn towards 1. Kept from .5 on.
    """
    count, size = premises.count, max(len(mentions.frequency), 1)
    here = expand(mentions.starts, mentions.row_of)
    chunk = np.repeat(np.arange(count), np.diff(mentions.starts)[mentions.row_of])
    token = mentions.tokens[here]
    often = np.bincount(token, minlength=size)
    use = known.telling[token] & (often[token] <= MOST_MENTIONS) & (known.row[token] != mentions.row_of[chunk])
    chunk, token = chunk[use], token[use]
    target = mentions.first_chunk[known.row[token]]
    good = believed[shared.pairs]
    explained = find(_keys(premises.sources, shared, good, size), chunk * size + token) >= 0
    # A chunk that gives the token to another rests on nobody for it.
    given = find(_keys(premises.targets, shared, good, size), chunk * size + token) >= 0
    kind = _kinds(mentions, chunk, token, target)
    asked = np.bincount(kind[~given | explained], minlength=KINDS)
    declared = np.bincount(kind[explained], minlength=KINDS)
    rate = declared / (asked + 1)
    best = int(np.argmax(rate))
    recall = (declared[best] + 4.5) / (asked[best] + 5)
    weight = np.minimum(rate / recall, 1.0)[kind] * known.reliability * trust
    kept = ~explained & ~given & (weight >= 0.5)
    keys = chunk[kept] * count + target[kept]
    order = np.argsort(keys, kind="stable")
    keys, weight = keys[order], weight[kept][order]
    if not len(keys):
        return Inferred(sources=keys, targets=keys, weights=weight)
    heads = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return Inferred(
        sources=keys[heads] // count, targets=keys[heads] % count, weights=np.maximum.reduceat(weight, heads)
    )


def _keys(ends: IntArray, shared: Shared, good: BoolArray, size: int) -> IntArray:
    return np.unique(ends[shared.pairs[good]] * size + shared.tokens[good])


def _kinds(mentions: Mentions, chunk: IntArray, token: IntArray, target: IntArray) -> IntArray:
    """Kinds of uses: an identifier, a short number, a word by its frequency; apart where the two texts are built alike."""
    common = mentions.shared(chunk, target)
    sizes = np.diff(mentions.starts)
    both = np.bincount(common.pairs, minlength=len(chunk))
    alike = both / (sizes[mentions.row_of[chunk]] + sizes[mentions.row_of[target]] - both) >= 0.4
    kind = np.where(mentions.identifier[token], 0, np.minimum(mentions.frequency[token], 4))
    kind = np.where(mentions.number[token], 1, kind)
    return kind + 5 * alike
