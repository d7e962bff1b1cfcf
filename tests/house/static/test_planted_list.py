"""The list of planted faults is of this code: what each would change is there, once a file, and so are its tests."""

from __future__ import annotations

import re

import pytest

from graph.neo4j.queries import load_queries
from kit.histories.planted import EMBEDDED, NEO4J
from kit.installation import CHECKOUT
from kit.planted import FAULTS


@pytest.mark.parametrize("number", FAULTS)
def test_a_fault_can_be_planted_and_its_tests_are_there(number: int) -> None:
    fault = FAULTS[number]
    places = fault.places()
    assert len(places) == 1, f"{fault.what}: the words that it changes are in {places}"
    assert (CHECKOUT / places[0]).read_text(encoding="utf-8").count(fault.right) == 1
    assert [test for test in fault.tests if not (CHECKOUT / test.split("::")[0]).exists()] == []


def test_the_page_names_each_fault_and_the_tier_that_finds_it() -> None:
    page = (CHECKOUT / "docs" / "contributing.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if re.match(r"\| \d+ \|", line)] == [
        f"| {number} | {fault.what} | {fault.tier} |" for number, fault in FAULTS.items()
    ]


def test_the_faults_of_the_histories_can_be_planted() -> None:
    queries = load_queries("2026")
    assert [what for what, it in EMBEDDED.items() if not hasattr(it.owner, it.name)] == []
    assert [what for what, (name, words, _) in NEO4J.items() if words not in queries[name].text] == []
