"""What `retain` promises whatever the policy: budgets, order, pins, warnings, traces, and no look at ids."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.errors import InvalidInput
from services.retention.arms import POLICIES, parse_arm
from services.retention.relevance import index_texts
from services.retention.retaining import BestWithoutRoom, MissingPremise, PinWithoutRoom, retain
from services.retention.session_arrays import make_chunks, make_premises
from services.retention.sessions import SessionArrays

TEXTS = (
    "Alice holds key_12",
    "key_12 opens gate_7",
    "gate_7 leads to the vault",
    "lunch is at noon",
    "贷款逾期 由 风险部 处理",
    "lunch is at noon",
    "Bob likes the vault",
)


def session_of(texts=TEXTS, edges=((1, 0), (2, 1)), **arrays):
    index = index_texts(texts, encoder="hashing")
    return SessionArrays(make_chunks(texts, **arrays), premises=make_premises(len(texts), edges), index=index)


@st.composite
def cases(draw):
    count = draw(st.integers(0, 9))
    texts = draw(st.lists(st.sampled_from((*TEXTS, "", "!!!", "a b c d e f g h")), min_size=count, max_size=count))
    places = st.integers(0, max(count - 1, 0))
    edges = draw(st.lists(st.tuples(places, places), max_size=12)) if count else []
    pinned = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    query = draw(st.sampled_from(("Who opens the vault?", "", "   ", "贷款违约风险", "the of and", "gate_7")))
    return session_of(texts, edges, pinned=pinned), query, draw(st.integers(0, 40))


@pytest.mark.parametrize("policy", POLICIES)
@given(case=cases(), orphans=st.sampled_from(["warn", "evict"]))
@settings(max_examples=40, deadline=None)
def test_budget_order_and_account_hold_for_every_policy(policy, case, orphans):
    session, query, budget = case
    found = retain(session, query, budget_tokens=budget, policy=policy, orphans=orphans, trace_limit=None)
    assert found.tokens == sum(session.chunks.tokens[list(found.kept)]) <= budget
    assert sorted([*found.kept, *found.evicted]) == list(range(len(session.chunks)))
    assert found.reading_order == tuple(sorted(found.kept))
    assert {eviction.chunk for eviction in found.trace} == set(found.evicted)
    if orphans == "evict" and not session.chunks.pinned.any():
        assert not [warning for warning in found.warnings if isinstance(warning, MissingPremise)]


@given(case=cases())
@settings(max_examples=60, deadline=None)
def test_closure_never_parts_a_conclusion_from_its_premises(case):
    session, query, budget = case
    found = retain(session, query, budget_tokens=budget, policy="closure")
    missing = [w for w in found.warnings if isinstance(w, MissingPremise)]
    assert all(session.chunks.pinned[w.chunk] or session.chunks.pinned.any() for w in missing)


@given(case=cases())
@settings(max_examples=60, deadline=None)
def test_without_edges_no_graph_keeps_what_similar_keeps(case):
    session, query, budget = case
    by = [retain(session, query, budget_tokens=budget, policy=p).kept for p in ("no_graph", "similar", "dsgc@lambda=0")]
    assert by[0] == by[1] == by[2]


def test_stop_ends_where_skip_goes_on():
    session = session_of(("vault", "vault and a very long tail of words", "lunch"), ())
    assert retain(session, "vault", budget_tokens=3, policy="similar").kept == (0, 2)
    assert retain(session, "vault", budget_tokens=3, policy="similar@stop=1").kept == (0,)


def test_equal_texts_tie_and_the_earlier_one_stays():
    session = session_of(("noon", "lunch", "noon"), ())
    assert retain(session, "noon", budget_tokens=1, policy="similar").kept == (0,)
    assert retain(session, "noon", budget_tokens=1).kept == (0,)


def test_a_conclusion_comes_with_all_it_rests_on():
    found = retain(session_of(), "What leads to the vault?", budget_tokens=12, policy="closure")
    assert {0, 1, 2} <= set(found.kept)


def test_a_kept_conclusion_whose_premise_had_to_go_is_named_or_goes_too():
    session = session_of()
    warned = retain(session, "What leads to the vault?", budget_tokens=9, policy="similar")
    assert MissingPremise(chunk=2, premise=1) in warned.warnings
    both = retain(session, "What leads to the vault?", budget_tokens=9, policy="similar", orphans="evict")
    assert 2 not in both.kept
    assert both.warnings == ()


def test_pins_come_first_and_one_without_room_is_named():
    session = session_of(("a b c", "vault", "x y z u v w"), (), pinned=[True, False, True])
    found = retain(session, "vault", budget_tokens=4)
    assert found.kept == (0, 1)
    assert found.warnings == (PinWithoutRoom(chunk=2, tokens=6),)


@pytest.mark.parametrize("budget", [-1, float("nan"), "12", None, True])
def test_a_budget_that_is_no_number_of_tokens_is_refused(budget):
    with pytest.raises(InvalidInput, match="budget"):
        retain(session_of(), "vault", budget_tokens=budget)


@pytest.mark.parametrize("policy", POLICIES)
def test_small_and_empty_things_do_no_harm(policy):
    assert retain(session_of((), ()), "vault", budget_tokens=5, policy=policy).kept == ()
    assert retain(session_of(), "vault", budget_tokens=0, policy=policy).kept == ()
    long = session_of(("word " * 50, "vault"), ())
    assert retain(long, "vault", budget_tokens=10, policy=policy).evicted == (0,)
    assert retain(session_of(), "vault", budget_tokens=float("inf"), policy=policy).evicted == ()


@pytest.mark.parametrize("policy", ["closure", "credible", "default", "multi_hop", "pagerank"])
def test_chains_of_ten_thousand_and_cycles_of_a_thousand(policy):
    deep = [f"step {i} after step {i - 1}" for i in range(10_000)]
    edges = [(i, i - 1) for i in range(1, len(deep))]
    found = retain(session_of(deep, edges), "step 99", budget_tokens=600, policy=policy)
    assert found.tokens <= 600
    ring = [f"ring {i}" for i in range(1_000)]
    edges = [(i, (i + 1) % len(ring)) for i in range(len(ring))]
    whole = retain(session_of(ring, edges), "ring 5", budget_tokens=2_000, policy=policy)
    assert whole.evicted == ()


def test_a_trace_names_the_competitor_the_gap_and_the_path():
    session = session_of(("gate_7 leads to the vault", "key_12 opens gate_7", "a door to the vault"), ((0, 1),))
    found = retain(session, "gate_7 to the vault", budget_tokens=8, policy="closure", trace_limit=None)
    (eviction,) = found.trace
    assert (eviction.chunk, eviction.competitor, eviction.path) == (2, 1, (0, 1))
    scores = session.case("gate_7 to the vault", parse_arm("similar")).cosines
    assert eviction.gap == pytest.approx(scores[0] + max(scores[1], 0) - scores[2])
    assert eviction.reason == "no room left"


def test_importance_and_freshness_weigh_when_asked():
    session = session_of(("vault one", "vault two"), (), importance=[0.0, 1.0])
    assert retain(session, "vault", budget_tokens=2, policy="similar").kept == (0,)
    assert retain(session, "vault", budget_tokens=2, policy="similar@importance=0.2").kept == (1,)
    assert retain(session, "vault", budget_tokens=2, policy="default@freshness=0.2,half_life=1").kept == (1,)


@pytest.mark.parametrize("name", ["dsgc@gamma=1", "dsgc@lambda", "dsgc@lambda=x", "nothing", ""])
def test_unknown_policies_and_parameters_are_refused(name):
    with pytest.raises(InvalidInput):
        retain(session_of(), "vault", budget_tokens=9, policy=name)


def test_an_arm_without_parameters_after_its_sign_has_the_defaults():
    assert parse_arm("dsgc@").parameters == parse_arm("dsgc").parameters


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-1", "1e999", ""])
def test_no_parameter_of_any_policy_takes_what_is_no_number_from_zero_on(policy, value):
    for parameter in POLICIES[policy].parameters:
        with pytest.raises(InvalidInput):
            parse_arm(f"{policy}@{parameter}={value}")


@pytest.mark.parametrize(
    "name",
    ["dsgc@temperature=0", "similar@half_life=0", "random@seed=1.5", "multi_hop@depth=2.5", "dsgc@lambda=1,lambda=2",
     "pagerank@damping=1.1", "similar@stop=2"],
)  # fmt: skip
def test_values_that_would_divide_by_zero_diverge_or_come_twice_are_refused(name):
    with pytest.raises(InvalidInput):
        parse_arm(name)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_largest_values_still_give_finite_scores(policy):
    largest = {key: it.most if np.isfinite(it.most) else 1e9 for key, it in POLICIES[policy].parameters.items()}
    largest |= {"temperature": 1e-6} if "temperature" in largest else {}
    given = ",".join(f"{key}={value!r}" for key, value in largest.items())
    ring = session_of(TEXTS, ((1, 0), (2, 1), (0, 2)), importance=[1.0] * len(TEXTS))
    found = retain(ring, "vault", budget_tokens=9, policy=f"{policy}@{given}", trace_limit=None)
    assert all(np.isfinite(it.score) and np.isfinite(it.gap or 0) for it in found.trace)


@pytest.mark.parametrize(
    ("policy", "path"),
    [("dsgc@lambda=0.01", 2), ("multi_hop@lambda=0.01,depth=2", 3), ("multi_hop@lambda=0.01", 4), ("similar", 1)],
)
def test_an_explanation_climbs_as_far_as_the_arm_reaches(policy, path):
    """Four chunks, each needed by the one before it, which is nearer to the query."""
    texts = ("vault gate mat key", "vault gate mat", "vault gate", "vault", "lunch at noon in the yard")
    session = session_of(texts, ((0, 1), (1, 2), (2, 3)))
    found = retain(session, "vault gate mat key", budget_tokens=10, policy=policy, trace_limit=None)
    (eviction,) = found.trace
    assert eviction.competitor is not None
    assert len(eviction.path) == path


@pytest.mark.parametrize("roots", ["threshold=0.2", "top=1", "threshold=0"])
def test_the_papers_roots_keep_their_premises_alive(roots):
    session = session_of(("vault gate", "key_12 lies under the mat", "vault of noon"), ((0, 1),))
    found = retain(session, "vault gate", budget_tokens=8, policy=f"dsgc_roots@{roots}")
    assert 1 in found.kept


def test_random_is_seeded():
    by_seed = [retain(session_of(), "vault", budget_tokens=12, policy=f"random@seed={s}").kept for s in (1, 1, 2, 3, 4)]
    assert by_seed[0] == by_seed[1]
    assert len(set(by_seed)) > 1


def test_a_session_grown_by_additions_answers_as_one_made_at_once():
    random = np.random.default_rng(5)
    texts = [f"note ref_{i} on ref_{max(i - 2, 0)} {random.integers(9)}" for i in range(120)]
    edges = [(i, i - 2) for i in range(2, 120)]
    grown = session_of(texts[:60], [e for e in edges if e[0] < 60])
    retain(grown, "ref_30", budget_tokens=60)
    for until in (61, 90, 120):
        more = texts[len(grown.chunks) : until]
        grown = grown.extended(more, premises=make_premises(until, [e for e in edges if e[0] < until]))
    whole = session_of(texts, edges)
    np.testing.assert_array_equal(grown.beliefs.believed.beliefs, whole.beliefs.believed.beliefs)
    for query in ("ref_110 and ref_7", "note 3", "nothing known"):
        assert retain(grown, query, budget_tokens=80, trace_limit=None) == retain(
            whole, query, budget_tokens=80, trace_limit=None
        )


def test_the_default_warns_of_a_premise_that_had_to_go():
    """A pinned conclusion stays; of what it rests on there is no room for half."""
    texts = ("the key to the vault is with Alice " * 4, "so the vault opens")
    session = session_of(texts, ((1, 0),), pinned=[False, True])
    found = retain(session, "who opens the vault?", budget_tokens=8, policy="default")
    assert found.kept == (1,)
    assert found.warnings == (MissingPremise(chunk=1, premise=0),)


@pytest.mark.parametrize("policy", ["default", "credible", "closure"])
def test_the_best_chunk_that_does_not_fit_with_its_premises_is_named(policy):
    """The README's example with a budget for either chunk alone."""
    texts = (
        "Permit P-17 was issued to Amara.",
        "Lunch is at noon, and there will be soup for everybody.",
        "Whoever holds permit P-17 may publish the tariffs.",
    )
    session = session_of(texts, ((2, 0),))
    asked = {"policy": policy, "trace_limit": None}
    small = retain(session, "May she publish the tariffs?", budget_tokens=13, **asked)
    assert small.warnings == (BestWithoutRoom(chunk=2, premise=0, tokens=14),)
    assert str(small.warnings[0]) == "2 is best and had to go: with 0, which it rests on, it takes 14 tokens"
    assert next(it for it in small.trace if it.chunk == 2).reason == "its premises did not fit"
    assert retain(session, "May she publish the tariffs?", budget_tokens=14, **asked).warnings == ()
    assert (
        retain(session, "May she publish the tariffs?", budget_tokens=7, **asked).warnings == ()
    )  # it is too large itself
