"""What `coverage` keeps of a log: identifiers once, whole pairs of call and result, arrays that grow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.retention.arms import POLICIES
from services.retention.identifiers import identifiers_in, parts_of
from services.retention.relevance import index_texts
from services.retention.retaining import retain
from services.retention.session_arrays import make_chunks, make_premises
from services.retention.sessions import SessionArrays
from services.retention.units import calls_answered, units_of


def log_of(*steps, edges=(), pinned=None):
    """A session of (kind, call id, text)."""
    kinds, keys, texts = zip(*steps, strict=True)
    chunks = make_chunks(
        texts, pinned=pinned, is_call=[kind == "call" for kind in kinds], calls=calls_answered(kinds, keys)
    )
    premises = make_premises(len(texts), edges)
    return SessionArrays(chunks, premises=premises, index=index_texts(texts, encoder="hashing"))


LOG = (
    ("message", None, "find the late orders of C-4711"),
    ("call", "c1", "sql(orders_late)"),
    ("result", "c1", "ord_88123 ord_99001 shop.orders"),
    ("call", "c2", "get_order(ord_88123)"),
    ("result", "c2", "ord_88123 was packed by Bjorn at hall_7"),
    ("message", None, "one moment please, I will look it up"),
    ("call", "c3", "get_order(ord_99001)"),
    ("result", "c3", "ord_99001 is in hall_7 too"),
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see src/app/main.py:17, or getOrder in HTML", {"src/app/main.py:17", "getOrder", "HTML"}),
        ('{"path": "a\\nnote_1.txt"}', {"note_1.txt"}),
        ("ends with ord_88123. And 2024-05-01!", {"ord_88123", "2024-05-01"}),
        ("plain words, Only Words, a1", set()),
        ("заказ_17 und Größe_2", {"заказ_17", "Größe_2"}),
    ],
)
def test_identifiers_are_words_with_a_mark_in_them(text, found):
    assert identifiers_in(text) == found


def test_parts_are_what_two_identifiers_can_share():
    assert parts_of("src/getOrder_late.py") == {"order", "late"}


def test_results_belong_to_the_latest_call_with_their_id():
    kinds = ("result", "call", "call", "result", "call", "result", "result", "message")
    keys = ("a", "a", "b", "a", "a", "a", None, "b")
    assert calls_answered(kinds, keys).tolist() == [-1, -1, -1, 1, -1, 4, -1, -1]


def test_each_identifier_counts_once_and_what_the_query_shows_counts_nothing():
    session = log_of(
        ("message", None, "ord_88123"),
        ("message", None, "ord_88123 "),
        ("message", None, "nothing of worth here"),
        ("message", None, "hall_7 hall_8 x"),
    )
    kept = retain(session, "where is hall_7", budget_tokens=4, policy="coverage").kept
    assert kept == (0, 3)  # the second of two equals shows nothing more


def test_what_calls_have_used_counts_more():
    session = log_of(
        ("message", None, "ord_1111"), ("message", None, "ord_2222"), ("call", "c", "get(ord_1111)"),
        ("message", None, "bye"),
    )  # fmt: skip
    [first, *_] = retain(session, "", budget_tokens=1, policy="coverage").kept
    assert session.chunks.texts[first] in ("ord_1111", "get(ord_1111)")


@pytest.mark.parametrize("policy", POLICIES)
def test_calls_and_results_are_kept_or_evicted_together(policy):
    session = log_of(*LOG, edges=((2, 1), (4, 3), (7, 6), (3, 2), (6, 2)))
    units = units_of(session.chunks)
    for budget in range(40):
        found = retain(session, "who packed ord_88123 in hall_7", budget_tokens=budget, policy=policy)
        kept = np.zeros(len(LOG), dtype=np.bool_)
        kept[list(found.kept)] = True
        assert found.tokens <= budget
        assert not kept.any() or units.whole(kept)[kept].all(), (budget, found.kept)


def test_pairs_are_torn_where_that_is_asked_for():
    session = log_of(*LOG)
    torn = [retain(session, "hall_7", budget_tokens=budget, policy="similar@pairs=0").kept for budget in range(3, 20)]
    assert any((7 in kept) != (6 in kept) for kept in torn)


@pytest.mark.parametrize("policy", ["recent", "coverage", "default", "closure"])
def test_a_pinned_result_comes_with_its_call_or_not_at_all(policy):
    session = log_of(*LOG, pinned=[place == 4 for place in range(len(LOG))])
    assert {3, 4} <= set(retain(session, "noon", budget_tokens=10, policy=policy).kept)
    assert not {3, 4} & set(retain(session, "noon", budget_tokens=6, policy=policy).kept)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_no_reply_tears_a_pair(data):
    """Random logs: ids that come twice, results without calls, calls without results, results out of order."""
    step = st.tuples(
        st.sampled_from(("call", "result", "message")),
        st.sampled_from(("a", "b", "c", None)),
        st.sampled_from(("ord_1 x y", "get(ord_1)", "hall_7", "plain words", "")),
    )
    steps = data.draw(st.lists(step, min_size=1, max_size=12))
    places = st.integers(0, len(steps) - 1)
    edges = data.draw(st.lists(st.tuples(places, places), max_size=8))
    pinned = data.draw(st.lists(st.booleans(), min_size=len(steps), max_size=len(steps)))
    session = log_of(*steps, edges=edges, pinned=pinned)
    policy = data.draw(st.sampled_from(sorted(POLICIES)))
    orphans = data.draw(st.sampled_from(("warn", "evict")))
    budget = data.draw(st.integers(0, 30))
    found = retain(session, "ord_1 in hall_7", budget_tokens=budget, policy=policy, orphans=orphans)
    kept = np.zeros(len(steps), dtype=np.bool_)
    kept[list(found.kept)] = True
    assert found.tokens <= budget
    if not (orphans == "evict" and session.chunks.pinned.any()):
        assert units_of(session.chunks).whole(kept)[kept].all()


@pytest.mark.parametrize("policy", ["coverage", "default", "recent"])
@pytest.mark.parametrize("cut", [1, 3, 6])
def test_a_log_that_grew_keeps_what_one_made_at_once_keeps(policy, cut):
    whole, part = log_of(*LOG), log_of(*LOG[:cut])
    retain(part, "hall_7", budget_tokens=9, policy=policy)
    grown = part.extended(
        whole.chunks.texts[cut:],
        premises=whole.premises,
        is_call=whole.chunks.is_call[cut:],
        calls=whole.chunks.calls[cut:],
    )
    for budget in range(30):
        for query in ("hall_7", "ord_99001 late"):
            asked = {"budget_tokens": budget, "policy": policy, "trace_limit": None}
            assert retain(grown, query, **asked) == retain(whole, query, **asked)
