"""The table of reported faults names a test for each line, and each test and benchmark that it names is there."""

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


def rows() -> dict[int, list[str]]:
    """Line -> the tests named for it."""
    text = (CHECKOUT / "docs" / "faults.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (\d+) \|.*\| (.*) \|$", text, flags=re.MULTILINE)
    return {int(line): re.findall(r"`([^`]+)`", tests) for line, tests in found}


def test_every_line_has_a_test() -> None:
    assert set(map(int, LINES.split())) - set(rows()) == set()
    assert [line for line, tests in rows().items() if not tests] == []


def test_every_test_that_is_named_is_there() -> None:
    missing = []
    for test in (test for tests in rows().values() for test in tests):
        path, _, function = test.partition("::")
        file = CHECKOUT / path
        names: set[str] = set()
        if file.is_file():
            tree = ast.parse(file.read_text(encoding="utf-8"))
            names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        if function not in names:
            missing.append(test)
    assert missing == []


def test_what_needs_size_is_a_benchmark_with_a_bar() -> None:
    text = (CHECKOUT / "docs" / "faults.md").read_text(encoding="utf-8")
    named = {name for found in re.findall(r"benchmarks? ([^)]+)\)", text) for name in re.findall(r"`(\w+)`", found)}
    assert named >= {"discover_neo4j_5", "discover_neo4j_26", "import_embedded", "import_neo4j_26"}  # of 55 and 101
    assert named <= MEMBERS.keys() & {bar.name for bar in BARS}
