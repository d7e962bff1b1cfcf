"""Which chunk introduces a word, and which uses of it call for a premise.

In a log what comes first introduces. Where the order of a log is lost, the declared premises show what tells instead:
the wording (some words mark what others rest on, "was handed", some what rests on others, "therefore"), or the place
(what is introduced stands late in its sentence, what is used early).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from services.retention.beliefs.term_index import Shared, TermIndex
from services.retention.session_arrays import BoolArray, IntArray, PremiseArrays, RealArray, expand

MOST_MENTIONS = 32
RARE_WORD = 4  # a word in so few texts may name a thing, as an identifier does
HEARD_OFTEN = 8  # a word seen in fewer ends of premises says nothing of either
CAUTION = 2.0
KINDS = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Definitions:
    """By token the row that introduces it, and how reliable that rule is among the declared premises.

    A telling token is rare enough to tie a use to its introduction: `entries` are those of such tokens, `told` the
    numbers of what premises share of them.
    """

    row: IntArray
    reliability: float
    entries: IntArray
    told: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ends:
    """By token: in how many premises the premise mentions it, the dependent does, both do."""

    needed: IntArray
    needing: IntArray
    both: IntArray


def count_ends(
    mentions: TermIndex, premises: PremiseArrays, shared: Shared, *, fresh: IntArray, before: Ends | None
) -> Ends:
    """Counts over the `fresh` premises (by number; `shared` is theirs), added to those of `before`."""
    size = len(mentions.frequency)
    found = []
    for chunks in (premises.targets[fresh], premises.sources[fresh]):
        if before is None:
            times = np.bincount(mentions.row_of[chunks], minlength=mentions.rows)
            weights = np.repeat(times, np.diff(mentions.starts))
            found.append(np.bincount(mentions.tokens, weights=weights, minlength=size).astype(np.int64))
        else:
            tokens = mentions.tokens[expand(mentions.starts, mentions.row_of[chunks])]
            found.append(np.bincount(tokens, minlength=size))
    found.append(np.bincount(shared.tokens, minlength=size))
    if before is not None:
        for now, old in zip(found, (before.needed, before.needing, before.both), strict=True):
            now[: len(old)] += old
    return Ends(needed=found[0], needing=found[1], both=found[2])


def bearings(mentions: TermIndex, ends: Ends) -> RealArray:
    """By row: how much its wording is that of a premise (above 0) or of what rests on one (below).

    A word counts by the log odds of standing in the premise alone rather than in the dependent alone.
    """
    needed, needing = ends.needed - ends.both, ends.needing - ends.both
    odds = np.where(needed + needing >= HEARD_OFTEN, np.log((needed + CAUTION) / (needing + CAUTION)), 0.0)
    return sum_rows(odds.take(mentions.tokens), mentions.starts)


def sum_rows(values: RealArray, starts: IntArray) -> RealArray:
    """Sums over the entries of each row; 0 for a row without any."""
    total = np.concatenate(([0.0], np.cumsum(values)))
    return total[starts[1:]] - total[starts[:-1]]


def definitions(mentions: TermIndex, premises: PremiseArrays, shared: Shared, *, bearing: RealArray) -> Definitions:
    """Learnt from the premises that share a telling token: what tells the premise?"""
    telling = (mentions.frequency > 1) & (mentions.identifier | (mentions.frequency <= RARE_WORD))
    entries = np.flatnonzero(telling.take(mentions.tokens))
    marked = np.flatnonzero(telling.take(shared.tokens))
    pairs, here, there = shared.pairs.take(marked), shared.here.take(marked), shared.there.take(marked)
    sources, targets = mentions.row_of[premises.sources[pairs]], mentions.row_of[premises.targets[pairs]]
    first = mentions.first_row.take(shared.tokens.take(marked)) == targets
    # nine imagined premises for the order of a log, one against: a session is a log unless it shows otherwise
    by_order = (float(first.sum()) + 9) / (len(pairs) + 10)
    by_wording = (float((bearing[targets] > bearing[sources]).sum()) + 5) / (len(pairs) + 10)
    by_place = (float((mentions.places[there] > mentions.places[here]).sum()) + 5) / (len(pairs) + 10)
    if by_order >= min(0.8, max(by_place, by_wording)):
        return Definitions(row=mentions.first_row, reliability=by_order, entries=entries, told=marked)
    rows, tokens = mentions.rows_of(entries), mentions.tokens[entries]
    merit = mentions.places[entries] if by_place > by_wording else bearing[rows]
    order = np.lexsort((rows, -merit, tokens))
    tokens = tokens[order]
    firsts = np.flatnonzero(np.concatenate(([True], tokens[1:] != tokens[:-1])))
    giving = mentions.first_row.copy()
    giving[tokens[firsts]] = rows[order][firsts]
    return Definitions(row=giving, reliability=max(by_place, by_wording), entries=entries, told=marked)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inferred:
    """PremiseArrays that nobody declared, sorted by (source, target), each once, with the chance that they hold."""

    sources: IntArray
    targets: IntArray
    weights: RealArray


def infer_premises(
    mentions: TermIndex, shared: Shared, known: Definitions, *, believed: BoolArray, trust: float
) -> Inferred:
    """Uses of telling tokens that no believed premise explains; `believed` has a flag a premise.

    A use that is not declared calls for a premise with chance (1 - c) / c * p / (1 - p) (Elkan and Noto): p is how
    often its kind is declared in this session, c the recall of declarations, which the kind declared most often
    shows, drawn towards .9. Kept from .5 on.
    """
    entry = known.entries
    token, row = mentions.tokens.take(entry), mentions.rows_of(entry)
    use = (mentions.frequency.take(token) <= MOST_MENTIONS) & (known.row.take(token) != row)
    good = known.told[believed.take(shared.pairs.take(known.told))]
    explained, given = np.zeros((2, len(mentions.tokens)), dtype=np.bool_)
    explained[shared.here.take(good)] = True
    given[shared.there.take(good)] = True  # a chunk that gives a token to another rests on nobody for it
    use &= explained.take(entry) | ~given.take(entry)
    entry, token, row = entry[use], token[use], row[use]
    told = explained.take(entry)
    kind = _kinds(mentions, token, row, known.row[token])
    asked = np.bincount(kind, minlength=KINDS)
    declared = np.bincount(kind[told], minlength=KINDS)
    rate = declared / (asked + 0.25)
    best = int(np.argmax(rate))
    recall = (declared[best] + 4.5) / (asked[best] + 5)
    odds = (1 - recall) / recall * rate / (1 - rate)
    weight = np.minimum(odds, 1.0)[kind] * known.reliability * trust
    kept = ~told & (weight >= 0.5)
    return _by_chunk(mentions, row[kept], known.row[token[kept]], weight[kept])


def _kinds(mentions: TermIndex, token: IntArray, row: IntArray, giving: IntArray) -> IntArray:
    """Kinds of uses: an identifier, a short number, a word by its frequency; words apart where the texts are alike."""
    kind = np.where(mentions.number[token], 1, np.minimum(mentions.frequency[token], 4))
    kind[mentions.identifier[token]] = 0
    words = np.flatnonzero(kind)
    here, there = row[words], giving[words]
    common = mentions.shared(mentions.first_chunk[here], mentions.first_chunk[there])
    sizes = np.diff(mentions.starts)
    both = np.bincount(common.pairs, minlength=len(words))
    kind[words] += 5 * (both / (sizes[here] + sizes[there] - both) >= 0.3)
    return kind


def _by_chunk(mentions: TermIndex, row: IntArray, giving: IntArray, weight: RealArray) -> Inferred:
    """Every chunk of a row rests on the first chunk that gives."""
    count = len(mentions.row_of)
    order = np.argsort(mentions.row_of, kind="stable") if mentions.rows < count else np.arange(count)
    starts = np.searchsorted(mentions.row_of[order], np.arange(mentions.rows + 1))
    sizes = np.diff(starts)[row]
    chunk = order[expand(starts, row)]
    keys = chunk * count + np.repeat(mentions.first_chunk[giving], sizes)
    weight = np.repeat(weight, sizes)
    sort = np.argsort(keys, kind="stable")
    keys, weight = keys[sort], weight[sort]
    if not len(keys):
        return Inferred(sources=keys, targets=keys, weights=weight)
    firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return Inferred(
        sources=keys[firsts] // count, targets=keys[firsts] % count, weights=np.maximum.reduceat(weight, firsts)
    )
