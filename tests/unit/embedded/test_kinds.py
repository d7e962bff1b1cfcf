"""The kinds of record that the nouns declare: all known to the file, each by a number of its own."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from graph import embedded
from graph.embedded.kinds import Kind
from graph.embedded.store import KINDS


def test_every_kind_that_a_noun_declares_can_be_read_from_a_file() -> None:
    modules = [import_module(f"graph.embedded.{it.name}") for it in pkgutil.iter_modules(embedded.__path__)]
    declared = {id(it): it for module in modules for it in vars(module).values() if isinstance(it, Kind)}
    assert {it.name for it in KINDS} == {it.name for it in declared.values()}
    assert len(KINDS) == len(declared)


def test_kinds_have_numbers_and_names_of_their_own() -> None:
    assert len({it.number for it in KINDS}) == len({it.name for it in KINDS}) == len(KINDS)


def test_a_kind_is_applied_after_those_that_its_records_name() -> None:
    by_name = {it.name: it.number for it in KINDS}
    order = [
        ["workspace", "object", "object vector", "reference"],
        ["intent", "memory", "expectation"],
        ["workspace", "session", "chunk", "premise"],
        ["session", "chunk", "chunk vector"],
    ]
    for names in order:
        numbers = [by_name[name] for name in names]
        assert numbers == sorted(numbers)
