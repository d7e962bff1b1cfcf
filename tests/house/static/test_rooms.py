"""The rooms of the product, by syntax trees: one name a class, one direction, small modules, nothing built twice."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

import networkx
import pytest

from kit import house

KNOWN = house.modules()
LONGEST = 300
LONGER: dict[str, str] = {}  # module -> why it is longer


BANNED = r"heard|voices?|anew|told of|kin|board|loud|shelf|verdicts?"  # the glossary names those that are kept


def circles(pairs: list[tuple[str, str]]) -> list[list[str]]:
    found = networkx.strongly_connected_components(networkx.DiGraph(pairs))
    return [sorted(each) for each in found if len(each) > 1]


@cache
def arrows() -> list[tuple[str, str]]:
    """Who imports whom."""
    return [(name, other) for name, module in KNOWN.items() for other in house.imports(module, KNOWN)]


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circles(arrows()) == []


def room(name: str) -> str:
    """`services.discovery` of `services.discovery.rules`: a folder or a module, stores and doors among them."""
    return ".".join(name.split(".")[:2])


def test_of_two_rooms_one_is_the_lower_and_knows_nothing_of_the_other() -> None:
    between: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, other in arrows():
        pair = room(name), room(other)
        if pair[0] != pair[1] and not set(pair) & set(house.PRODUCT):
            between[pair].append(f"{name} imports {other}")
    rings = circles(list(between))
    assert [it for ring in rings for pair, its in between.items() if set(pair) <= set(ring) for it in its] == []


def test_no_module_is_long_without_a_reason() -> None:
    lengths = {module.path: len(module.text.splitlines()) for module in KNOWN.values()}
    long = {path: length for path, length in lengths.items() if length > LONGEST}
    assert {path: length for path, length in long.items() if path not in LONGER} == {}
    assert [path for path in LONGER if path not in long] == []


def test_nothing_longer_than_eight_lines_is_there_twice() -> None:
    assert house.twice(KNOWN, more_than=8) == []


def test_no_class_name_has_two_owners() -> None:
    assert {name: paths for name, paths in house.classes(KNOWN).items() if len(paths) > 1} == {}


def test_services_ask_for_ports_not_for_the_whole_store() -> None:
    named = [
        module.path
        for name, module in KNOWN.items()
        if name.startswith("services.") and not name.startswith("services.transfer")
        if "Store" in house.names(module)
    ]
    assert named == []


@pytest.mark.parametrize("folder", house.PRODUCT)
def test_the_words_are_the_trades(folder: str) -> None:
    kept = house.kept_words()
    found = [
        f"{path}:{number}: {match[0]}"
        for path, text in house.texts().items()
        if path.startswith(f"{folder}/")
        for number, line in enumerate(text.splitlines(), start=1)
        for match in re.finditer(rf"\b(?:{BANNED})\b", line, flags=re.IGNORECASE)
        if match[0].lower() not in kept
    ]
    assert found == []
