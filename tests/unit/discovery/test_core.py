"""The pure core on hand-computed candidatess: the blend, each rule, the lift of parts, the order of hits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph.catalogue import DataObject
from graph.errors import InvalidInput
from graph.evidence import Expectation, MemoryEvidence, Scores, support_weight
from graph.feedback import Trust
from services.catalogue_index import CatalogueIndex
from services.discovery.answers import rank
from services.discovery.arms import PAIRS, RULES, describe_rules, parse_arm
from services.discovery.candidates import Candidates, collect_candidates
from services.discovery.expectations import expect, support
from services.discovery.registry_score import blend
from services.discovery.rules import (
    Attribution,
    correct,
    eq1,
    lift_parts,
    memory_alone,
    naive,
    recall,
    registry_alone,
    ridge,
    rocchio,
    vote,
)
from services.discovery.trust import judge, trust_of


def registry_of(*ids: str, references: tuple[tuple[str, str], ...] = ()) -> CatalogueIndex:
    """Ids `t` are tables, ids `t.c` their columns."""
    items = [
        DataObject(
            id=item,
            kind="attribute" if "." in item else "table",
            name=item.rpartition(".")[2],
            table=item.partition(".")[0] if "." in item else None,
        )
        for item in ids
    ]
    return CatalogueIndex(objects={item.id: item for item in items}, references=references)


def memory(
    name: str, *objects: str, share: float = 0.0, reach: float = 0.0, similarity: float = 0.5, **expected: float
) -> MemoryEvidence:
    """`expected` names objects with `__` for the dot."""
    named = {item.replace("__", "."): score for item, score in expected.items()}
    return MemoryEvidence(
        id=name,
        intent_id=f"i{name}",
        intent=f"question {name}",
        state="confirmed",
        similarity=similarity,
        confidence=1.0,
        weight=1.0,
        reach=reach,
        share=share,
        objects=objects,
        expected=Expectation(memory=name, objects=tuple(named), scores=tuple(named.values()), support=1.0),
    )


def shown(candidates: Candidates, values: Any) -> dict[str, float]:
    return {item: round(float(value), 9) for item, value in zip(candidates.ids, values, strict=True) if value}


SCHEMA = registry_of("a", "a.k", "a.x", "b", "b.k", "b.y", "c", "c.z", references=(("a.k", "b.k"),))


def test_the_blend_by_hand() -> None:
    candidates = collect_candidates(SCHEMA, ["a.x", "b.y", "c.z"])
    assert candidates.ids == ("a", "a.k", "a.x", "b", "b.k", "b.y", "c", "c.z")  # tables, and the columns of their keys
    lexical = candidates.column(Scores(ids=("a.x", "b.y"), values=(0.8, 0.4)))
    dense = candidates.column(Scores(ids=("a.x", "b.y", "c.z"), values=(0.3, 0.6, -0.2)))
    # parts over their best: a.x 1 and .5, b.y .5 and 1; means .75 both, so s is 1 for both and for their tables
    assert shown(candidates, blend(candidates, [lexical, dense])) == pytest.approx(
        {"a": 1.0, "a.k": 0.4, "a.x": 1.0, "b": 1.0, "b.k": 0.4, "b.y": 1.0}
    )
    # without the second part s is 1 and .5, cubed 1 and .125; the key gives .4 * 1 * .5
    assert shown(candidates, blend(candidates, [lexical])) == pytest.approx(
        {"a": 1.0, "a.k": 0.2, "a.x": 1.0, "b": 0.2, "b.k": 0.2, "b.y": 0.125}
    )


def test_a_column_in_several_keys_gains_once_and_the_most() -> None:
    schema = registry_of(
        "a", "a.k", "b", "b.k", "c", "c.k", references=(("a.k", "b.k"), ("a.k", "c.k"), ("a.k", "a.k"))
    )
    candidates = collect_candidates(schema, ["a", "b", "c"])
    scores = blend(candidates, [candidates.column(Scores(ids=("a", "b", "c"), values=(1.0, 0.9, 0.5)))])
    assert shown(candidates, scores)["a.k"] == pytest.approx(0.4 * 0.9)
    assert shown(candidates, scores)["c.k"] == pytest.approx(0.4 * 0.5)


def test_only_the_best_fifty_of_a_part_count() -> None:
    schema = registry_of(*(f"t{n:02d}" for n in range(60)))
    candidates = collect_candidates(schema, schema.objects)
    scores = blend(candidates, [candidates.column(Scores(ids=candidates.ids, values=(0.5,) * 60))])
    assert [item for item, score in zip(candidates.ids, scores, strict=True) if score] == [
        f"t{n:02d}" for n in range(50)
    ]


def test_a_blend_of_nothing_is_nothing() -> None:
    candidates = collect_candidates(SCHEMA, ["a.x"])
    assert not blend(candidates, [candidates.column(Scores())]).any()
    assert blend(collect_candidates(SCHEMA, []), [np.zeros(0)]).shape == (0,)


def test_what_is_called_by_its_name_is_as_good_as_the_best() -> None:
    candidates = collect_candidates(SCHEMA, ["a.x", "b.y"])
    scores = blend(candidates, [candidates.column(Scores(ids=("a.x", "b.y"), values=(0.8, 0.4)))], named=("b.y",))
    assert shown(candidates, scores)["b.y"] == shown(candidates, scores)["b"] == 1.0


def test_equation_one_on_three_objects() -> None:
    """score(q, o) = r(q, o) + .5 * sum over the nearest memories of sim(q, m) [o in m]; sims .9, .6, .2."""
    schema = registry_of("o1", "o2", "o3")
    candidates = collect_candidates(schema, schema.objects)
    near = (memory("m1", "o1", "o2", share=0.45), memory("m2", "o2", share=0.3), memory("m3", "o3", share=0.1))
    r = np.array([0.2, 0.1, 0.7])
    terms = Scores(ids=("o1", "o2", "o3"), values=(0.45, 0.75, 0.1))
    recalled = recall(candidates, near, terms=terms)
    assert eq1(r, recalled).score == pytest.approx([0.2 + 0.45, 0.1 + 0.75, 0.7 + 0.1], abs=1e-12)
    assert memory_alone(r, recalled).score == pytest.approx([0.45, 0.75, 0.1], abs=1e-12)
    assert registry_alone(r, recalled).score == pytest.approx(r, abs=1e-12)
    assert naive(r, recalled).score == pytest.approx([1.7 + 0.2, 1.7 + 0.1, 0.7], abs=1e-12)
    assert not naive(r, recalled).memory.any()


def test_a_correction_by_hand() -> None:
    schema = registry_of("o1", "o2", "o3")
    candidates = collect_candidates(schema, schema.objects)
    near = (memory("m1", "o1", reach=0.5, o1=0.4, o2=1.0), memory("m2", "o2", "o3", reach=0.2, o2=0.3))
    attribution = correct(np.array([0.3, 0.9, 0.0]), recall(candidates, near), doubt=0.1)
    # o1 has a third of the registry's best, so the first weighs (1/3 / .5)^2 of its reach; the second all of it
    weights = 0.5 * (2 / 3) ** 2, 0.2
    one, two = (weight / (sum(weights) + 0.1) for weight in weights)
    assert attribution.score == pytest.approx([0.3 + one * 0.6, 0.9 + two * 0.7 - one * 1.0, two], abs=1e-12)
    assert attribution.registry + attribution.contributions.sum(axis=0) == pytest.approx(attribution.score, abs=1e-12)


def test_without_memories_a_correction_is_the_registry() -> None:
    candidates = collect_candidates(SCHEMA, SCHEMA.objects)
    r = np.linspace(0, 1, len(candidates.ids))
    assert (correct(r, recall(candidates, ()), doubt=0.1).score == r).all()
    assert (
        ridge(r, recall(candidates, (), intent_similarities=np.zeros((0, 0))), floor=0.2, penalty=0.2).score == r
    ).all()


def test_ridge_counts_what_is_said_twice_once() -> None:
    """Two memories alike to each other and to the question share what one of them would have."""
    schema = registry_of("o1", "o2")
    candidates = collect_candidates(schema, schema.objects)
    r = np.array([1.0, 0.0])
    near = (memory("m1", "o1", similarity=1.0, o1=1.0), memory("m2", "o1", similarity=1.0, o1=1.0))
    alone = ridge(r, recall(candidates, near[:1], intent_similarities=np.ones((1, 1))), floor=0.0, penalty=0.2)
    assert not alone.memory.any()  # all that was needed was expected: there is nothing to correct
    near = (memory("m1", "o1", "o2", similarity=1.0, o1=1.0), memory("m2", "o1", "o2", similarity=1.0, o1=1.0))
    alone = ridge(r, recall(candidates, near[:1], intent_similarities=np.ones((1, 1))), floor=0.0, penalty=0.2)
    together = ridge(r, recall(candidates, near, intent_similarities=np.ones((2, 2))), floor=0.0, penalty=0.2)
    assert alone.memory[1] == pytest.approx(1 / 1.2, abs=1e-12)
    assert together.contributions[0, 1] == pytest.approx(together.contributions[1, 1], abs=1e-12)
    assert together.memory[1] == pytest.approx(2 / 2.2, abs=1e-12)
    apart = ridge(r, recall(candidates, near, intent_similarities=np.eye(2)), floor=0.0, penalty=0.2)
    # no words in common, but the registry finds the same for both: a quarter alike
    assert apart.memory[1] == pytest.approx(2 / 1.45, abs=1e-12)


def test_intents_for_which_the_registry_finds_the_same_are_nearer() -> None:
    schema = registry_of("o1", "o2", "o3")
    candidates = collect_candidates(schema, schema.objects)
    r = np.array([1.0, 0.5, 0.0])
    same = memory("m1", "o1", "o3", similarity=0.4, o1=1.0, o2=0.5)
    other = memory("m2", "o1", "o3", similarity=0.4, o2=0.5)
    shares = [
        ridge(r, recall(candidates, (one,), intent_similarities=np.ones((1, 1))), floor=0.0, penalty=0.2).contributions[
            0, 2
        ]
        for one in (same, other)
    ]
    near = [0.75 * 0.4 + 0.25 * 1.0, 0.75 * 0.4 + 0.25 * round(0.5 / 1.25**0.5, 6)]
    # each is all that speaks for the registry's first, and below a half of what it could be
    said = [share / 1.2 for share in near]
    assert shares == pytest.approx([share * min(1, share / 0.5) ** 2 for share in said], abs=1e-12)


def test_memories_that_name_nothing_the_registry_has_first_are_heard_as_far_as_they_are_the_same_question() -> None:
    """Near, alike, and of something else: however many they are."""
    schema = registry_of(*(f"o{n}" for n in range(8)))
    candidates = collect_candidates(schema, schema.objects)
    r = np.array([1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.0])

    def heard(*memories: MemoryEvidence, r: Any = r) -> float:
        kin = np.eye(len(memories))
        return float(ridge(r, recall(candidates, memories, intent_similarities=kin), floor=0.0, penalty=0.2).memory[7])

    astray = [memory(f"m{n}", "o6", "o7", similarity=0.4) for n in range(3)]
    near = 0.75 * 0.4
    fit = (0.4 / (1.0 + 0.9) / 0.5) ** 2
    assert heard(*astray) == pytest.approx(near**3 * 3 * near / (1 + 0.2 / fit), abs=1e-12)
    meant = memory("m4", "o0", "o7", similarity=0.4)
    assert heard(*astray, meant) > 10 * heard(*astray)
    same = [memory("m5", "o6", "o7", similarity=1.0)]
    assert heard(*same) == pytest.approx(0.75**3 * 0.75 / (1 + 0.2 / fit), abs=1e-12)
    # a registry that finds nothing speaks against no memory
    assert heard(*astray, r=np.zeros(8)) == pytest.approx(3 * near / 1.2, abs=1e-12)


def test_a_vote_is_bounded_and_doubts() -> None:
    schema = registry_of("o1", "o2")
    candidates = collect_candidates(schema, schema.objects)
    recalled = recall(candidates, (memory("m1", "o1"), memory("m2", "o1", "o2")))
    voted = vote(np.zeros(2), recalled, power=2, doubt=0.5, agreement=0, k=10)
    assert voted.score == pytest.approx([0.5, 0.25], abs=1e-12)  # .25 and .25 over a sum of .5 and a doubt of .5
    first = vote(np.zeros(2), recalled, power=2, doubt=0.5, agreement=0, k=1)
    assert first.score == pytest.approx([0.25 / 0.75, 0], abs=1e-12)
    agreeing = vote(np.array([1.0, 0.0]), recalled, power=2, doubt=0.0, agreement=1, k=10)
    assert agreeing.memory == pytest.approx([1, 1 / 3], abs=1e-12)  # half of what the second found is known


def test_rocchio_moves_towards_what_was_found_and_away_from_the_rest() -> None:
    schema = registry_of("o1", "o2", "o3")
    candidates = collect_candidates(schema, schema.objects)
    similarities = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 1.0]])
    recalled = recall(candidates, (memory("m1", "o1", share=0.4),), object_similarities=similarities)
    moved = rocchio(np.array([0.1, 0.2, 0.3]), recalled, beta=0.75, gamma=0.15)
    away = 0.15 / 2 * (similarities[1] + similarities[2])
    assert moved.score == pytest.approx([0.1, 0.2, 0.3] + 0.75 * similarities[0] - away, abs=1e-12)


def test_trust_scales_what_memories_say_and_starts_at_three_quarters() -> None:
    assert trust_of(0) == pytest.approx(0.7311, abs=1e-4)
    schema = registry_of("o1")
    candidates = collect_candidates(schema, schema.objects)
    recalled = recall(candidates, (memory("m1", "o1", reach=0.5),))
    chosen = parse_arm("blend", "correct")
    for lead in (-2.0, 0.0, 2.0):
        earned = [Trust(rule="correct", lead=lead, outcomes=3), Trust(rule="ridge", lead=9.0, outcomes=3)]
        heard, tried = judge(chosen, np.array([1.0]), recalled, earned, encoded=True)
        assert list(tried) == ["none", "correct"]
        assert heard.memory == pytest.approx(trust_of(lead) * tried["correct"].memory, abs=1e-12)


def test_the_leader_follows_who_did_best() -> None:
    schema = registry_of("o1", "o2")
    candidates = collect_candidates(schema, schema.objects)
    recalled = recall(candidates, (memory("m1", "o2"),))
    chosen = parse_arm("blend", "leader")
    for best in ("leader/bold", "leader/none"):
        earned = [Trust(rule=best, lead=0.5, outcomes=1)]
        heard, tried = judge(chosen, np.array([1.0, 0.0]), recalled, earned, encoded=True)
        assert heard.score == pytest.approx(tried[best].score)


@pytest.mark.parametrize(
    "rule",
    [
        "vote@power=x",
        "vote@strength=2",
        "none@k=1",
        "ridge@k=51",
        "vote@doubt=-1",
        "vote@k",
        "eq1@alpha=nan",
        "eq1@alpha=inf",
        "eq1@k=2,k=2",
        "eq1@k=1.5",
        "vote@doubt=0",
        "ridge@floor=1",
        "ridge@penalty=0",
    ],
)
def test_parameters_that_do_not_exist_are_refused(rule: str) -> None:
    with pytest.raises(InvalidInput, match="parameter"):
        parse_arm("blend", rule)


def test_parameters_are_those_that_were_given() -> None:
    given = parse_arm("blend", "vote@power=6,doubt=0.03")
    assert given.name == "vote@power=6,doubt=0.03"
    assert given.values(encoded=True) == {"power": 6, "doubt": 0.03, "agreement": 0, "k": 10}


def test_defaults_differ_without_an_encoder() -> None:
    assert parse_arm("blend", "ridge").reach(encoded=True).floor == 0
    assert parse_arm("blend", "ridge").reach(encoded=False).floor == 0.05
    assert parse_arm("blend", "ridge@floor=0.2").reach(encoded=False).floor == 0.2


@pytest.mark.parametrize("rule", RULES)
def test_a_declared_rule_has_its_function_and_is_listed(rule: str) -> None:
    empty = recall(collect_candidates(SCHEMA, SCHEMA.objects), ())
    r = np.linspace(0, 1, len(SCHEMA.objects))
    scored = parse_arm("blend", rule).function(encoded=True)(r, empty)
    assert scored.score == pytest.approx(np.zeros_like(r) if rule == "memory" else r)
    assert f"{rule} (" in describe_rules()


def test_a_lifted_table_takes_the_parts_of_its_best_column() -> None:
    schema = registry_of("t", "t.a", "t.b", "u", "u.a")
    candidates = collect_candidates(schema, schema.objects)
    attribution = Attribution(
        registry=np.array([0.5, 0.1, 0.3, 0.9, 0.9]), contributions=np.array([[0.0, 0.2, 0.3, 0.0, 0.0]])
    )
    lifted = lift_parts(candidates, attribution)
    assert lifted.registry == pytest.approx([0.3, 0.1, 0.3, 0.9, 0.9])
    assert lifted.memory == pytest.approx([0.3, 0.2, 0.3, 0.0, 0.0])


def test_hits_go_by_score_then_the_intent_s_own_name_then_id() -> None:
    schema = registry_of("t", "t.price", "t.cost", "u", "u.price")
    candidates = collect_candidates(schema, schema.objects)
    nobody = recall(candidates, ())
    scores = np.array([1.0 + 1e-12, 1.0, 1.0, 0.0, -0.5])  # rows: t, t.cost, t.price, u, u.price
    hits = rank(schema, candidates, registry_alone(scores, nobody), nobody, intent="Price", limit=9, kinds=None)
    assert [hit.id for hit in hits] == ["t.price", "t", "t.cost"]
    hits = rank(schema, candidates, registry_alone(scores, nobody), nobody, intent="Price", limit=9, kinds=["table"])
    assert [hit.id for hit in hits] == ["t"]


def test_support_and_weight() -> None:
    best = np.array([1.0, 0.5, 0.5])
    assert support(best, np.array([0.5, 0.5])) == pytest.approx(1.0 / 1.5)
    assert support(best, np.array([0.0, 0.0])) == 0.0
    assert support(np.zeros(0), np.array([0.0])) == 1.0  # a registry that knows nothing speaks against no memory
    made = expect(
        SCHEMA, memory="m", intent="?", objects=["b.y"], lexical=Scores(ids=("a.x",), values=(1.0,)), cosines=None
    )
    assert made.objects == ("a", "a.x")
    assert (made.support, support_weight(made.support)) == (0.0, 0.0)
    assert [support_weight(value) for value in (0.25, 0.5, 1.0)] == [0.25, 1.0, 1.0]


@pytest.mark.parametrize(
    ("retriever", "rule"), [("tfidf", "correct"), ("neural", "names"), ("blend", "eq2"), ("elastic", "none"), ("", "")]
)
def test_combinations_that_do_not_exist_name_those_that_do(retriever: str, rule: str) -> None:
    with pytest.raises(InvalidInput, match="blend"):
        parse_arm(retriever, rule)


def test_every_combination_that_is_named_exists() -> None:
    for retriever, rules in PAIRS.items():
        for rule in rules:
            assert (parse_arm(retriever, rule).retriever, parse_arm(retriever, rule).name) == (retriever, rule)
