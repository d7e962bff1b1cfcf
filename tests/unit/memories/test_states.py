"""What outcomes do to a memory, state by state."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.memories import Memory, MemoryState
from services.memories.states import EVIDENCE_LIMIT, Feedback, after_outcome

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
NEW = Memory(id="m", intent_id="i", intent="a", objects=("o",), state="proposed", created_at=NOON, last_used_at=NOON)
WORDS = {
    "ran": Feedback(kind="executed_sql"),
    "broke": Feedback(kind="executed_sql", outcome="failure"),
    "good": Feedback(kind="feedback"),
    "bad": Feedback(kind="feedback", outcome="failure"),
    "noted": Feedback(kind="annotated"),
    "confirm": Feedback(kind="confirmed"),
    "refute": Feedback(kind="refuted", outcome="failure"),
}


def after(*words: str, memory: Memory = NEW) -> Memory:
    for word in words:
        memory = after_outcome(memory, WORDS[word], at=NOON)
    return memory


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("ran", "confirmed"),
        ("noted", "confirmed"),
        ("good", "confirmed"),
        ("confirm", "confirmed"),
        ("bad", "refuted"),
        ("broke", "refuted"),
        ("ran bad", "refuted"),
        ("ran ran bad", "confirmed"),
        ("ran ran bad broke", "refuted"),
        ("ran bad ran", "confirmed"),
        ("bad bad ran", "refuted"),
        ("bad bad ran ran ran", "confirmed"),
        ("bad bad bad confirm", "confirmed"),
        # a person's refutation stands against whatever machines say
        ("ran ran ran refute", "refuted"),
        ("ran ran ran refute ran ran noted", "refuted"),
        ("ran ran refute confirm", "confirmed"),
        ("ran ran refute good", "confirmed"),
        ("refute good", "refuted"),
        ("refute good ran ran", "confirmed"),
        ("refute confirm refute ran ran", "refuted"),
    ],
)
def test_states_follow_outcomes(words: str, state: MemoryState) -> None:
    assert after(*words.split()).state == state


def test_counts_and_evidence_are_kept() -> None:
    memory = after("ran", "bad", "ran")
    assert (memory.successes, memory.failures, memory.times) == (2, 1, 1)
    assert [(item.kind, item.outcome, item.state) for item in memory.evidence] == [
        ("executed_sql", "success", "confirmed"),
        ("feedback", "failure", "refuted"),
        ("executed_sql", "success", "confirmed"),
    ]


def test_evidence_is_bounded_and_a_standing_refutation_is_not_pushed_out() -> None:
    memory = after("refute", *["ran"] * 50)
    assert (len(memory.evidence), memory.successes, memory.state) == (EVIDENCE_LIMIT, 50, "refuted")
    assert memory.evidence[0].kind == "refuted"
    assert after("confirm", memory=memory).state == "confirmed"


def test_time_does_not_run_backwards() -> None:
    late = replace(NEW, last_used_at=NOON + timedelta(days=1))
    assert after("ran", memory=late).last_used_at == NOON + timedelta(days=1)


@given(st.lists(st.sampled_from(sorted(WORDS)), max_size=60))
def test_whatever_is_said_only_outcomes_confirm(words: list[str]) -> None:
    memory = after(*words)
    assert memory.successes + memory.failures == len(words)
    assert len(memory.evidence) == min(len(words), EVIDENCE_LIMIT)
    if memory.state == "confirmed":
        assert memory.successes > 0
    if not words:
        assert memory.state == "proposed"


def test_a_refutation_is_a_failure_whatever_it_says() -> None:
    odd = Feedback(kind="refuted", outcome="success")
    memory = after_outcome(NEW, odd, at=NOON)
    assert (memory.failures, memory.successes, memory.state) == (1, 0, "refuted")


def test_a_memory_has_no_field_for_a_trajectory() -> None:
    """What was tried on the way is nobody's business later: an intent, what served it, and how that went."""
    assert {field.name for field in fields(Memory)} == {
        "id", "intent_id", "intent", "objects", "state", "created_at", "last_used_at", "times", "successes", "failures",
        "evidence", "statement", "dialect", "revision", "missing",
    }  # fmt: skip
