"""40,000 ids in one call are one call, whatever the back end's own limits on parameters."""

from __future__ import annotations

import pytest

from graph.evidence import Question
from graph.store import Store
from kit.values.samples import BANK, BANK_REFERENCES, embeddings, intent_id, memory, scores

MANY = [f"nix {number}" for number in range(40_000)]


@pytest.fixture
def bank(store: Store, workspace: str) -> str:
    store.save_objects(workspace, BANK, references=BANK_REFERENCES)
    store.save_memories(workspace, [memory("one", ["account"])], embeddings=embeddings({intent_id("one"): "x"}))
    return workspace


@pytest.mark.fault(66)
def test_forty_thousand_ids_fit_in_one_call_reading(store: Store, bank: str) -> None:
    assert [each.id for each in store.show_objects(bank, ["loan", *MANY, "account"])] == ["account", "loan"]
    assert len(store.list_objects(bank, tables=[*MANY, "loan"])) == 2
    assert store.list_references(bank, [*MANY, "account.id"]) == BANK_REFERENCES
    assert len(store.show_memories(bank, [*MANY, memory("one", ["account"]).id])) == 1


def test_forty_thousand_ids_fit_in_one_call_asking(store: Store, bank: str) -> None:
    many = dict.fromkeys(MANY, 0.1)
    question = Question(objects=scores({**many, "loan": 1.0}), intents=scores({**many, intent_id("one"): 0.5}))
    assert [each.intent for each in store.evidence(bank, question).memories] == ["one"]


@pytest.mark.fault(66)
def test_forty_thousand_ids_fit_in_one_call_deleting(store: Store, bank: str) -> None:
    assert store.remove_objects(bank, [*MANY, "loan.amount"]).ids == ("loan.amount",)
    assert len(store.forget_memories(bank, [*MANY, memory("one", ["account"]).id])) == 1
