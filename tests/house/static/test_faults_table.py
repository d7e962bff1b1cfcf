"""Each line of the table of reported faults has a test that is marked with it, and each benchmark it names is there."""

from __future__ import annotations

import ast
import re
import sys

from kit.installation import CHECKOUT

sys.path.append(str(CHECKOUT))

from benchmarks.bars import BARS
from benchmarks.members import MEMBERS

LINES = """1 4 5 6 9 10 12 13 14 19 21 23 24 25 26 28 30 31 32 33 34 35 37 38 41 42 44 46 47 48 50 51 52 54 55 57 60
61 63 64 66 68 69 70 71 72 74 76 89 92 93 95 96 97 98 99 100 101 102 103 105 106 107 108 109 110 111 112
113 114 115"""


def lines_of_the_table() -> set[int]:
    text = (CHECKOUT / "docs" / "faults.md").read_text(encoding="utf-8")
    return set(map(int, re.findall(r"^\| (\d+) \|", text, flags=re.MULTILINE)))


def marked_lines() -> set[int]:
    """The numbers in `pytest.mark.fault(...)` above the tests."""
    found: set[int] = set()
    for file in (CHECKOUT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.fault":
                found.update(ast.literal_eval(argument) for argument in node.args)
    return found


def test_the_table_has_every_line_that_it_had() -> None:
    assert set(map(int, LINES.split())) - lines_of_the_table() == set()


def test_every_line_has_a_test_and_every_marked_test_a_line() -> None:
    assert marked_lines() == lines_of_the_table()


def test_what_needs_size_is_a_benchmark_with_a_bar() -> None:
    text = (CHECKOUT / "docs" / "faults.md").read_text(encoding="utf-8")
    named = {name for found in re.findall(r"benchmarks? ([^)]+)\)", text) for name in re.findall(r"`(\w+)`", found)}
    assert named >= {"discover_neo4j_5", "discover_neo4j_26", "import_embedded", "import_neo4j_26"}  # of 55 and 101
    assert named <= MEMBERS.keys() & {bar.name for bar in BARS}
