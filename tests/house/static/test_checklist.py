"""The checklist names tests for each item, and each test that it names is there."""

from __future__ import annotations

import ast
import re

from kit.installation import CHECKOUT

DISCOVERY = {*range(66, 96)} - {92}
RETENTION = {*range(96, 120)}


def rows() -> dict[int, list[str]]:
    """Item -> the tests named for it."""
    text = (CHECKOUT / "docs" / "checklist.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (\d+) \|.*\| (.*) \|$", text, flags=re.MULTILINE)
    return {int(item): re.findall(r"`([^`]+)`", tests) for item, tests in found}


def test_every_item_has_a_test() -> None:
    assert (DISCOVERY | RETENTION) - set(rows()) == set()
    assert [item for item, tests in rows().items() if not tests] == []


def test_every_test_that_is_named_is_there() -> None:
    missing = []
    for test in sorted({test for tests in rows().values() for test in tests}):
        path, _, function = test.partition("::")
        file = CHECKOUT / path
        tree = ast.parse(file.read_text(encoding="utf-8")) if file.is_file() else ast.Module(body=[], type_ignores=[])
        if function not in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}:
            missing.append(test)
    assert missing == []
