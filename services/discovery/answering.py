"""Answer a question from what was gathered for it: score candidates, apply the rule, rank, and keep the trials.

Pure: nothing here reads a store or encodes a text. The blend's formula is in `registry_score`, the rules' in `rules`.
"""

from collections.abc import Callable

import numpy as np

from graph.feedback import Trial
from services.discovery.answers import Answer, first_ids, rank
from services.discovery.candidates import Candidates, Floats, collect_candidates, collect_plain
from services.discovery.evidence import Gathered, Inquiry
from services.discovery.registry_score import blend, lift
from services.discovery.rules import Attribution, Recall, lift_parts, recall
from services.discovery.trust import judge, leave_one_out
from services.measures import CUT
from services.words import full_text


def answer(inquiry: Inquiry, gathered: Gathered, *, discovery: str) -> Answer:
    """Answer an inquiry; `discovery` becomes the answer's id."""
    candidates, base = score_candidates(inquiry, gathered)
    recalled = recall(
        candidates,
        gathered.memories if inquiry.recalls else (),
        terms=gathered.evidence.terms,
        intent_similarities=intent_similarities(inquiry, gathered),
        credit=gathered.credit,
        object_similarities=object_similarities(inquiry, gathered, candidates),
    )
    applied, tried = judge(inquiry.arm, base, recalled, gathered.evidence.trust, encoded=inquiry.vector is not None)
    shown = lift_parts(candidates, applied) if inquiry.arm.blends else applied
    return Answer(
        discovery=discovery,
        intent=inquiry.intent,
        results=rank(
            gathered.catalogue,
            candidates,
            shown,
            recalled,
            intent=inquiry.intent,
            limit=inquiry.limit,
            kinds=inquiry.kinds,
        ),
        retriever=inquiry.arm.retriever,
        rule=inquiry.arm.name,
        degraded=_degraded(inquiry, gathered),
        trials=_trials(inquiry, tried, recalled, first=_first(inquiry, gathered, candidates)),
    )


def score_candidates(inquiry: Inquiry, gathered: Gathered) -> tuple[Candidates, Floats]:
    """The objects to score, and the retriever's score of each (n)."""
    catalogue, evidence, lexical = gathered.catalogue, gathered.evidence, gathered.lexical
    recalled = gathered.found if inquiry.recalls else ()
    if inquiry.arm.blends:
        # Objects that memories only expected can but lose, as shares are seldom negative: they are left out, two thirds
        # of what would be candidates.
        named = catalogue.named(inquiry.intent)
        candidates = collect_candidates(catalogue, (*lexical.best.ids, *evidence.cosines.ids, *recalled, *named))
        parts = [candidates.column(lexical.best)]
        if inquiry.vector is not None:
            parts.append(candidates.column(evidence.cosines))
        return candidates, blend(candidates, parts, named=named)
    if inquiry.arm.retriever == "neural":
        candidates = collect_plain(catalogue, (*evidence.cosines.ids, *recalled))
        return candidates, np.maximum(candidates.column(evidence.cosines), 0)
    candidates = collect_plain(catalogue, (*lexical.best.ids, *recalled))
    return candidates, candidates.column(lexical.of(candidates.ids))


def intent_similarities(inquiry: Inquiry, gathered: Gathered) -> Floats | None:
    """k x k similarities among the memories' intents, as that of the question to each: by words, or the mean of words
    and embeddings where both have one. None where the rule needs none."""
    memories = gathered.memories
    if not inquiry.arm.rule.expects or not memories or not inquiry.recalls:
        return None
    cosines = gathered.catalogue.cosines("intent", inquiry.arm.intent_unit)
    similarities = cosines.between([memory.intent for memory in memories])
    embedded = {row: memory.vector for row, memory in enumerate(memories) if memory.vector is not None}
    if embedded:
        pairs = np.ix_(list(embedded), list(embedded))
        vectors = np.stack(list(embedded.values()))
        dense = np.clip(np.round((vectors @ vectors.T).astype(np.float64), 6), 0, 1)
        similarities[pairs] = (similarities[pairs] + dense) / 2
    return similarities


def object_similarities(inquiry: Inquiry, gathered: Gathered, candidates: Candidates) -> Floats | None:
    """n x n cosines of the candidates' full texts, of their embeddings under `neural` (0 without one). None where the
    rule needs none."""
    if inquiry.arm.rule.needs != "object_similarities" or not inquiry.recalls or not candidates.ids:
        return None
    if inquiry.arm.retriever == "neural" and inquiry.vector is not None:
        rows = np.zeros((len(candidates.ids), len(inquiry.vector)))
        for item, vector in gathered.object_vectors.items():
            rows[candidates.row_of[item]] = vector
        return np.round(rows @ rows.T, 6)
    catalogue = gathered.catalogue
    items = [catalogue.objects[item] for item in candidates.ids]
    texts = [full_text(item, catalogue.table_name(item)) for item in items]
    return catalogue.cosines("text", inquiry.arm.unit).between(texts)


First = Callable[[Attribution], tuple[str, ...]]


def _first(inquiry: Inquiry, gathered: Gathered, candidates: Candidates) -> First:
    """From an attribution to the ids of its first CUT results."""

    def first(attribution: Attribution) -> tuple[str, ...]:
        scores = lift(candidates, attribution.score) if inquiry.arm.blends else attribution.score
        return first_ids(gathered.catalogue, candidates, scores, intent=inquiry.intent, limit=CUT)

    return first


def _trials(inquiry: Inquiry, tried: dict[str, Attribution], recalled: Recall, *, first: First) -> tuple[Trial, ...]:
    """What an outcome will judge: the rules tried, then the trusted rule without each of its main memories."""
    if not recalled.memories or not tried:
        return ()
    trials = tuple(Trial(rule=name, results=first(attribution)) for name, attribution in tried.items())
    if not inquiry.arm.rule.trusted:
        return trials
    return trials + leave_one_out(trials[-1], tried[inquiry.arm.name], recalled, first=first)


def _degraded(inquiry: Inquiry, gathered: Gathered) -> tuple[str, ...]:
    notes = [] if inquiry.missing is None else [inquiry.missing]
    if unembedded := gathered.evidence.unembedded:
        notes.append(f"{unembedded} objects have no embedding yet: `retinue reindex` makes them")
    if gathered.evidence.partial:
        notes.append("there are so many memories that nearer ones may be left out")
    return tuple(notes)
