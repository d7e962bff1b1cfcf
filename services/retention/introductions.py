"""Which chunk introduces a word, and which uses of it call for a premise.

In a log what comes first introduces. Where the order of a log is lost, the declared premises show what tells instead:
the wording (some words mark what others rest on, "was handed", some what rests on others, "therefore"), or the place
(what is introduced stands late in its sentence, what is used early).
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
HEARD_OFTEN = 8  # a word seen in fewer ends of premises says nothing of either
CAUTION = 2.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Introductions:
    """By token the row that introduces it, and how reliable that rule is among the declared premises."""

    row: IntArray
    reliability: float
    telling: BoolArray  # by token: rare enough to tie a use to its introduction


def bearings(mentions: Mentions, premises: Premises, shared: Shared) -> RealArray:
    """By chunk: how much its wording is that of a premise (above 0) or of what rests on one (below).

    A word counts by the log odds of standing in the premise alone rather than in the dependent alone.
    """
    sizes, size = np.diff(mentions.starts), max(len(mentions.frequency), 1)
    both = np.bincount(shared.tokens, minlength=size)
    counts = []
    for ends in (premises.targets, premises.sources):
        times = np.bincount(mentions.row_of[ends], minlength=mentions.rows)
        alone = np.bincount(mentions.tokens, weights=np.repeat(times, sizes), minlength=size) - both
        # between two chunks of one text nothing stands alone; they share nothing by definition, so never below 0
        counts.append(np.maximum(alone, 0))
    needed, needing = counts
    odds = np.where(needed + needing >= HEARD_OFTEN, np.log((needed + CAUTION) / (needing + CAUTION)), 0.0)
    row = np.repeat(np.arange(mentions.rows), sizes)
    by_row = np.bincount(row, weights=odds[mentions.tokens], minlength=mentions.rows)
    return by_row[mentions.row_of]


def introductions(mentions: Mentions, premises: Premises, shared: Shared, *, bearing: RealArray) -> Introductions:
    """Learnt from the premises that share a telling token: what tells the premise?"""
    telling = (mentions.frequency > 1) & (mentions.identifier | (mentions.frequency <= RARE_WORD))
    mark = telling[shared.tokens]
    tokens, pairs = shared.tokens[mark], shared.pairs[mark]
    sources, targets = premises.sources[pairs], premises.targets[pairs]
    first = mentions.first_row[tokens] == mentions.row_of[targets]
    # nine imagined premises for the order of a log, one against: a session is a log unless it shows otherwise
    by_order = (float(first.sum()) + 9) / (len(tokens) + 10)
    by_wording = (float((bearing[targets] > bearing[sources]).sum()) + 5) / (len(tokens) + 10)
    by_place = (float(shared.later_there[mark].sum()) + 5) / (len(tokens) + 10)
    if by_order >= min(0.8, max(by_place, by_wording)):
        return Introductions(row=mentions.first_row, reliability=by_order, telling=telling)
    rows = np.repeat(np.arange(mentions.rows), np.diff(mentions.starts))
    merit = mentions.places if by_place > by_wording else bearing[mentions.first_chunk][rows]
    order = np.lexsort((rows, -merit, mentions.tokens))
    tokens = mentions.tokens[order]
    heads = np.flatnonzero(np.concatenate(([True], tokens[1:] != tokens[:-1])))
    giving = mentions.first_row.copy()
    giving[tokens[heads]] = rows[order][heads]
    return Introductions(row=giving, reliability=max(by_place, by_wording), telling=telling)


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

    A use that is not declared calls for a premise with chance (1 - c) / c * p / (1 - p) (Elkan and Noto): p is how
    often its kind is declared in this session, c the recall of declarations, which the kind declared most often
    shows, drawn towards .9. Kept from .5 on.
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
    odds = (1 - recall) / recall * rate / (1 - rate)
    weight = np.minimum(odds, 1.0)[kind] * known.reliability * trust
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
    alike = both / (sizes[mentions.row_of[chunk]] + sizes[mentions.row_of[target]] - both) >= 0.3
    kind = np.where(mentions.identifier[token], 0, np.minimum(mentions.frequency[token], 4))
    kind = np.where(mentions.number[token], 1, kind)
    return kind + 5 * (alike & ~mentions.identifier[token])
