"""Definitions and uses of terms: which chunk defines a term, and which uses of it call for a premise.

In a log the first mention defines. Where the order of a log is lost, the declared premises show what else tells a
definition: the wording (some words mark premises, "was handed", some mark what depends on them, "therefore"), or the
place (a term is defined late in its sentence and used early).
"""

from dataclasses import dataclass

import numpy as np

from services.retention.beliefs.term_index import Shared, TermIndex
from services.retention.session_arrays import BoolArray, IntArray, PremiseArrays, RealArray, expand, run_starts

MOST_MENTIONS = 32
RARE_WORD = 4  # a word in so few texts may name a thing, as an identifier does
SEEN_OFTEN = 8  # a word at fewer ends of premises marks neither
CAUTION = 2.0
KINDS = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Definitions:
    """`row`: by token, the row that defines it; `reliability`: how often that holds among the declared premises.

    A linking token is rare enough to tie a use to its definition: `entries` are those of such tokens, `linking` their
    places in the tokens that premises share (`Shared`).
    """

    row: IntArray
    reliability: float
    entries: IntArray
    linking: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ends:
    """By token: the number of premises in which the premise mentions it, the dependent does, both do."""

    needed: IntArray
    needing: IntArray
    both: IntArray


def count_ends(
    terms: TermIndex, premises: PremiseArrays, shared: Shared, *, fresh: IntArray, before: Ends | None
) -> Ends:
    """Count over the `fresh` premises (by number; `shared` is theirs), and add the counts of `before`."""
    size = len(terms.frequency)
    found = []
    for chunks in (premises.targets[fresh], premises.sources[fresh]):
        if before is None:
            times = np.bincount(terms.row_of[chunks], minlength=terms.rows)
            weights = np.repeat(times, np.diff(terms.starts))
            found.append(np.bincount(terms.tokens, weights=weights, minlength=size).astype(np.int64))
        else:
            tokens = terms.tokens[expand(terms.starts, terms.row_of[chunks])]
            found.append(np.bincount(tokens, minlength=size))
    found.append(np.bincount(shared.tokens, minlength=size))
    if before is not None:
        for now, old in zip(found, (before.needed, before.needing, before.both), strict=True):
            now[: len(old)] += old
    return Ends(needed=found[0], needing=found[1], both=found[2])


def bearings(terms: TermIndex, ends: Ends) -> RealArray:
    """Return, by row, how far its wording is that of a premise (above 0) or of a dependent (below 0).

    Sums the log odds of each word to stand in the premise alone rather than in the dependent alone.
    """
    needed, needing = ends.needed - ends.both, ends.needing - ends.both
    odds = np.where(needed + needing >= SEEN_OFTEN, np.log((needed + CAUTION) / (needing + CAUTION)), 0.0)
    return sum_rows(odds.take(terms.tokens), terms.starts)


def sum_rows(values: RealArray, starts: IntArray) -> RealArray:
    """Return the sum over the entries of each row; 0 for an empty row."""
    total = np.concatenate(([0.0], np.cumsum(values)))
    return total[starts[1:]] - total[starts[:-1]]


def definitions(terms: TermIndex, premises: PremiseArrays, shared: Shared, *, bearing: RealArray) -> Definitions:
    """Choose by order, wording or place, whichever agrees best with the premises that share a linking token."""
    links = (terms.frequency > 1) & (terms.identifier | (terms.frequency <= RARE_WORD))
    entries = np.flatnonzero(links.take(terms.tokens))
    linking = np.flatnonzero(links.take(shared.tokens))
    pairs, here, there = shared.pairs.take(linking), shared.here.take(linking), shared.there.take(linking)
    sources, targets = terms.row_of[premises.sources[pairs]], terms.row_of[premises.targets[pairs]]
    first = terms.first_row.take(shared.tokens.take(linking)) == targets
    # nine imagined premises for the order of a log, one against: a session is a log unless it shows otherwise
    by_order = (float(first.sum()) + 9) / (len(pairs) + 10)
    by_wording = (float((bearing[targets] > bearing[sources]).sum()) + 5) / (len(pairs) + 10)
    by_place = (float((terms.places[there] > terms.places[here]).sum()) + 5) / (len(pairs) + 10)
    if by_order >= min(0.8, max(by_place, by_wording)):
        return Definitions(row=terms.first_row, reliability=by_order, entries=entries, linking=linking)
    rows, tokens = terms.rows_of(entries), terms.tokens[entries]
    strength = terms.places[entries] if by_place > by_wording else bearing[rows]
    order = np.lexsort((rows, -strength, tokens))
    tokens = tokens[order]
    firsts = run_starts(tokens)
    defining = terms.first_row.copy()
    defining[tokens[firsts]] = rows[order][firsts]
    return Definitions(row=defining, reliability=max(by_place, by_wording), entries=entries, linking=linking)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inferred:
    """Premises that nobody declared, sorted by (source, target), each once, with their probabilities."""

    sources: IntArray
    targets: IntArray
    weights: RealArray


def infer_premises(
    terms: TermIndex, shared: Shared, known: Definitions, *, believed: BoolArray, trust: float
) -> Inferred:
    """Return a premise for each use of a linking token that no believed premise explains; `believed` has a flag a
    premise.

    A use that is not declared calls for a premise with probability (1 - c) / c * p / (1 - p) (Elkan and Noto): p is
    how often its kind is declared in this session, c the recall of declarations, estimated by the kind declared most
    often and drawn towards .9. Kept from .5 on.
    """
    entry = known.entries
    token, row = terms.tokens.take(entry), terms.rows_of(entry)
    use = (terms.frequency.take(token) <= MOST_MENTIONS) & (known.row.take(token) != row)
    good = known.linking[believed.take(shared.pairs.take(known.linking))]
    explained, given = np.zeros((2, len(terms.tokens)), dtype=np.bool_)
    explained[shared.here.take(good)] = True
    given[shared.there.take(good)] = True  # a chunk that gives a token to another needs nobody for it
    use &= explained.take(entry) | ~given.take(entry)
    entry, token, row = entry[use], token[use], row[use]
    covered = explained.take(entry)
    kind = _kinds(terms, token, row, known.row[token])
    uses = np.bincount(kind, minlength=KINDS)
    declared = np.bincount(kind[covered], minlength=KINDS)
    rate = declared / (uses + 0.25)
    best = int(np.argmax(rate))
    recall = (declared[best] + 4.5) / (uses[best] + 5)
    odds = (1 - recall) / recall * rate / (1 - rate)
    weight = np.minimum(odds, 1.0)[kind] * known.reliability * trust
    kept = ~covered & (weight >= 0.5)
    return _by_chunk(terms, row[kept], known.row[token[kept]], weight[kept])


def _kinds(terms: TermIndex, token: IntArray, row: IntArray, defining: IntArray) -> IntArray:
    """Kinds of uses: 0 an identifier, 1 a short number, 2 to 4 a word by its frequency; 5 more for texts alike."""
    kind = np.where(terms.number[token], 1, np.minimum(terms.frequency[token], 4))
    kind[terms.identifier[token]] = 0
    words = np.flatnonzero(kind)
    here, there = row[words], defining[words]
    common = terms.shared(terms.first_chunk[here], terms.first_chunk[there])
    sizes = np.diff(terms.starts)
    both = np.bincount(common.pairs, minlength=len(words))
    kind[words] += 5 * (both / (sizes[here] + sizes[there] - both) >= 0.3)  # Jaccard similarity
    return kind


def _by_chunk(terms: TermIndex, row: IntArray, defining: IntArray, weight: RealArray) -> Inferred:
    """From rows to chunks: every chunk of a row needs the first chunk of the defining row."""
    count = len(terms.row_of)
    order = np.argsort(terms.row_of, kind="stable") if terms.rows < count else np.arange(count)
    starts = np.searchsorted(terms.row_of[order], np.arange(terms.rows + 1))
    sizes = np.diff(starts)[row]
    chunk = order[expand(starts, row)]
    keys = chunk * count + np.repeat(terms.first_chunk[defining], sizes)
    weight = np.repeat(weight, sizes)
    sort = np.argsort(keys, kind="stable")
    keys, weight = keys[sort], weight[sort]
    if not len(keys):
        return Inferred(sources=keys, targets=keys, weights=weight)
    firsts = run_starts(keys)
    return Inferred(
        sources=keys[firsts] // count, targets=keys[firsts] % count, weights=np.maximum.reduceat(weight, firsts)
    )
