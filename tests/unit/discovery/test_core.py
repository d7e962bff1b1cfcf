"""The pure core on hand-computed candidatess: the blend, each rule, the lift of parts, the order of hits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph.catalogue import DataObject
from graph.errors import InvalidInput
from graph.evidence import Expectation, LatestMemory, MemoryEvidence, Scores
from graph.feedback import Trust
from services.catalogue_index import CatalogueIndex
from services.discovery.answers import rank
from services.discovery.arms import PAIRS, RULES, describe_rules, parse_arm
from services.discovery.candidates import Candidates, collect_candidates
from services.discovery.credit import credit_of, supports_across
from services.discovery.expectations import expect, support
from services.discovery.registry_score import blend
from services.discovery.rules import (
    Attribution,
    corroborate,
    eq1,
    lift_parts,
    memory_alone,
    naive,
    recall,
    registry_alone,
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
    name: str,
    *objects: str,
    share: float = 0.0,
    similarity: float = 0.5,
    support: float = 1.0,
    outcomes: tuple[int, int] = (1, 0),
    **expected: float,
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
        successes=outcomes[0],
        failures=outcomes[1],
        share=share,
        objects=objects,
        expected=Expectation(memory=name, objects=tuple(named), scores=tuple(named.values()), support=support),
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


def corroborated(r: Any, *memories: MemoryEvidence, kin: Any = None, **how: float) -> Attribution:
    """The rule over objects o1, o2, ... as many as there are scores; `kin`: what the memories' intents have in common
    with each other, nothing without it."""
    schema = registry_of(*(f"o{n}" for n in range(1, len(r) + 1)))
    candidates = collect_candidates(schema, schema.objects)
    alike = np.eye(len(memories)) if kin is None else np.full((len(memories), len(memories)), kin)
    recalled = recall(candidates, memories, intent_similarities=alike, credit=how.pop("credit", 1.0))
    return corroborate(np.array(r), recalled, **({"floor": 0.0, "penalty": 0.2} | how))


def test_without_memories_a_correction_is_the_registry() -> None:
    r = np.linspace(0, 1, len(SCHEMA.objects))
    assert (corroborated(r).score == r).all()
    nobody = recall(collect_candidates(SCHEMA, SCHEMA.objects), ())
    assert (corroborate(r, nobody, floor=0.2, penalty=0.2).score == r).all()


def test_a_correction_adds_what_was_needed_and_takes_what_was_expected_in_vain() -> None:
    found = corroborated([0.3, 0.9, 0.0], memory("m1", "o1", similarity=1.0, o1=0.4, o2=1.0))
    echo = round((0.3 * 0.4 + 0.9 * 1.0) / ((0.3**2 + 0.9**2) * (0.4**2 + 1.0)) ** 0.5, 6)
    share = (0.75 + 0.25 * echo) / 1.02
    assert found.score == pytest.approx([0.3 + share * 0.6, 0.9 - share * 1.0, 0.0], abs=1e-12)
    assert found.registry + found.contributions.sum(axis=0) == pytest.approx(found.score, abs=1e-12)


def test_what_is_said_twice_counts_once() -> None:
    """Two memories alike to each other and to the question share what one of them would have."""
    r = [1.0, 0.0]
    near = (memory("m1", "o1", similarity=1.0, o1=1.0), memory("m2", "o1", similarity=1.0, o1=1.0))
    assert not corroborated(r, near[0]).memory.any()  # all that was needed was expected: there is nothing to correct
    near = (memory("m1", "o1", "o2", similarity=1.0, o1=1.0), memory("m2", "o1", "o2", similarity=1.0, o1=1.0))
    together = corroborated(r, *near, kin=1.0)
    assert corroborated(r, near[0]).memory[1] == pytest.approx(1 / 1.02, abs=1e-12)
    assert together.contributions[0, 1] == pytest.approx(together.contributions[1, 1], abs=1e-12)
    assert together.memory[1] == pytest.approx(2 / 2.02, abs=1e-12)
    # no words in common, but the registry finds the same for both: a quarter alike
    assert corroborated(r, *near).memory[1] == pytest.approx(2 / 1.27, abs=1e-12)


def test_intents_for_which_the_registry_finds_the_same_are_nearer() -> None:
    same = memory("m1", "o1", "o3", similarity=0.4, o1=1.0, o2=0.5)
    other = memory("m2", "o1", "o3", similarity=0.4, o2=0.5)
    shares = [corroborated([1.0, 0.5, 0.0], one).contributions[0, 2] for one in (same, other)]
    near = [0.75 * 0.4 + 0.25 * 1.0, 0.75 * 0.4 + 0.25 * round(0.5 / 1.25**0.5, 6)]
    assert shares == pytest.approx([share / 1.2 for share in near], abs=1e-12)


def test_each_way_to_be_borne_out_is_enough() -> None:
    """Alone with a registry that finds nothing for it, a memory of another question weighs .01."""
    r = [1.0, 0.0]

    def weighs(**how: Any) -> float:
        """From the share, near / (1 + .2 / weight)."""
        similarity = how.get("similarity", 0.5)
        share = corroborated(r, memory("m1", "o2", **({"support": 0.0} | how))).memory[1]
        return float(0.2 / (0.75 * similarity / share - 1))

    assert weighs() == pytest.approx(0.01, abs=1e-9)
    assert weighs(support=0.3) == pytest.approx(1 / 16, abs=1e-9)  # half of a full support, to the fourth
    assert weighs(support=0.6) == weighs(support=1.0) == pytest.approx(1.0, abs=1e-9)
    assert weighs(similarity=1.0) == pytest.approx(10.0, abs=1e-6)
    assert weighs(similarity=0.97) == pytest.approx(0.97**48 / (1 - 0.9 * 0.97**48), abs=1e-9)
    assert weighs(outcomes=(1, 0)) == weighs(outcomes=(0, 0)) == pytest.approx(0.01, abs=1e-9)  # what made it
    assert weighs(outcomes=(5, 0)) == pytest.approx(0.5101, abs=1e-4)  # Wilson's bound of four of four
    assert weighs(outcomes=(5, 4)) == pytest.approx(0.2152, abs=1e-4)


def test_neighbours_that_found_the_same_bear_each_other_out() -> None:
    r = [1.0, 0.0, 0.0]
    one = memory("m1", "o2", support=0.0)
    alone = corroborated(r, one).contributions[0, 1]
    for other, agrees in ((memory("m2", "o2", support=0.0), True), (memory("m2", "o3", support=0.0), False)):
        share = corroborated(r, one, other, kin=0.4).contributions[0, 1]
        assert bool(share > 10 * alone) is agrees
    # both weigh fully then, and are .3 alike to each other
    near = 0.75 * 0.5 / (1 + 0.2 + 0.75 * 0.4)
    assert corroborated(r, one, memory("m2", "o2", support=0.0), kin=0.4).contributions[0, 1] == pytest.approx(near)


def test_a_registry_without_credit_speaks_neither_for_objects_nor_against_memories() -> None:
    near = (memory("m1", "o2", similarity=0.4, support=0.0, o1=1.0), memory("m2", "o2", similarity=0.1, support=0.0))
    found = corroborated([1.0, 0.0], *near, credit=0.0, floor=0.3)
    assert found.registry.tolist() == [0.0, 0.0]
    assert found.memory == pytest.approx([0.0, (0.4 + 0.1) / 1.2])  # nothing expected, no echo, no floor
    half = corroborated([1.0, 0.0], near[0], credit=0.5)
    assert half.registry.tolist() == [0.5, 0.0]
    share = ((1 - 0.125) * 0.4 + 0.125) / (1 + 0.2 / 0.5)  # it weighs what the registry lacks in credit
    assert half.memory == pytest.approx([-0.5 * share, share])


def latest(name: str, *objects: str, **expected: float) -> LatestMemory:
    made = Expectation(memory=name, objects=tuple(expected), scores=tuple(expected.values()), support=0.0)
    return LatestMemory(id=name, intent_id=name, intent=name, objects=objects, expected=made)


def test_supports_across_by_hand() -> None:
    found = supports_across(
        [latest("m1", "a", "b", a=1.0, c=0.5), latest("m2", "c", "nowhere", b=0.8), latest("m3", "a"), latest("m4")]
    )
    assert found == pytest.approx(
        np.array([[1 / 1.5, 1.0, 0, 0], [0.5 / 1.5, 0, 0, 0], [1.0, 0, 0, 0], [0, 0, 0, 0]]), abs=1e-12
    )
    assert supports_across([]).shape == (0, 0)


def test_a_registry_is_believed_unless_memories_show_that_it_knows_nothing() -> None:
    knows = np.full((10, 10), 0.2) + 0.6 * np.eye(10)
    assert credit_of(knows) == 1
    assert credit_of(np.full((10, 10), 0.4)) == 0.01  # it finds the same whatever is asked
    assert credit_of(np.zeros((10, 10))) == 0.01
    assert credit_of(np.zeros((4, 4))) == 1  # too few to say
    wrong = knows.copy()
    wrong[np.arange(4), np.arange(4)] = 0.0  # four of ten memories name something else
    assert credit_of(wrong) == 1
    assert credit_of(np.full((10, 10), 0.4) + 0.15 * np.eye(10)) == pytest.approx((0.55 / 0.45 - 1.15) / 0.25, abs=1e-6)


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
    recalled = recall(candidates, (memory("m1", "o1"),), intent_similarities=np.eye(1))
    chosen = parse_arm("blend", "default@k=3")
    for lead in (-2.0, 0.0, 2.0):
        earned = [Trust(rule="default@k=3", lead=lead, outcomes=3), Trust(rule="default", lead=9.0, outcomes=3)]
        heard, tried = judge(chosen, np.array([0.5]), recalled, earned, encoded=True)
        assert list(tried) == ["none", "default@k=3"]
        assert tried["default@k=3"].memory[0] > 0
        assert heard.memory == pytest.approx(trust_of(lead) * tried["default@k=3"].memory, abs=1e-12)


@pytest.mark.parametrize("rule", ["leader", "correct@power=3", "ridge"])
def test_a_rule_that_went_is_answered_with_what_took_its_place(rule: str) -> None:
    with pytest.raises(InvalidInput, match="`default` took its place"):
        parse_arm("blend", rule)


@pytest.mark.parametrize(
    "rule",
    [
        "vote@power=x",
        "vote@strength=2",
        "none@k=1",
        "default@k=51",
        "vote@doubt=-1",
        "vote@k",
        "eq1@alpha=nan",
        "eq1@alpha=inf",
        "eq1@k=2,k=2",
        "eq1@k=1.5",
        "vote@doubt=0",
        "default@floor=1",
        "default@penalty=0",
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
    assert parse_arm("blend", "default").values(encoded=True)["floor"] == 0.15
    assert parse_arm("blend", "default").values(encoded=False)["floor"] == 0.05
    assert parse_arm("blend", "default@floor=0.2").values(encoded=False)["floor"] == 0.2


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


def test_support_by_hand() -> None:
    best = np.array([1.0, 0.5, 0.5])
    assert support(best, np.array([0.5, 0.5])) == pytest.approx(1.0 / 1.5)
    assert support(best, np.array([0.0, 0.0])) == 0.0
    assert support(np.zeros(0), np.array([0.0])) == 1.0  # a registry that knows nothing speaks against no memory
    made = expect(
        SCHEMA, memory="m", intent="?", objects=["b.y"], lexical=Scores(ids=("a.x",), values=(1.0,)), cosines=None
    )
    assert made.objects == ("a", "a.x")
    assert made.support == 0.0


@pytest.mark.parametrize(
    ("retriever", "rule"), [("tfidf", "default"), ("neural", "names"), ("blend", "eq2"), ("elastic", "none"), ("", "")]
)
def test_combinations_that_do_not_exist_name_those_that_do(retriever: str, rule: str) -> None:
    with pytest.raises(InvalidInput, match="blend"):
        parse_arm(retriever, rule)


def test_every_combination_that_is_named_exists() -> None:
    for retriever, rules in PAIRS.items():
        for rule in rules:
            assert (parse_arm(retriever, rule).retriever, parse_arm(retriever, rule).name) == (retriever, rule)
