"""Bundled domains: a catalogue with tasks whose SQL answers them, read from JSON files beside this module.

Domains are data for the demo, the studies and the tests; importing, learning and scoring are done elsewhere.
"""

import json
from dataclasses import dataclass
from importlib import resources
from typing import Literal

from graph.catalogue import DataObject, Reference
from graph.errors import NotFound

OPAQUE = "_opaque"
"""Suffix of a domain's name where its tables and columns have numbers for names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledTask:
    """A question about a domain, a statement that answers it, and the objects that this statement uses (sorted).

    Tasks of one `family` need nearly the same objects in other words. `demo` says what the demo does with it: learns
    from its statement, asks its intent, or passes it over (None).
    """

    id: str
    family: str
    intent: str
    sql: str
    dialect: str
    objects: tuple[str, ...]
    demo: Literal["learn", "ask"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledDomain:
    """A catalogue, in the order of its file, and the tasks on it. `text` is the file itself (importable)."""

    name: str
    title: str
    text: str
    objects: tuple[DataObject, ...]
    references: tuple[Reference, ...]
    tasks: tuple[BundledTask, ...]

    @property
    def lessons(self) -> tuple[BundledTask, ...]:
        """The tasks that the demo learns from."""
        return tuple(task for task in self.tasks if task.demo == "learn")

    @property
    def questions(self) -> tuple[BundledTask, ...]:
        """The tasks that the demo asks."""
        return tuple(task for task in self.tasks if task.demo == "ask")

    @property
    def families(self) -> dict[str, tuple[BundledTask, ...]]:
        """The tasks by family, both in the order of the file."""
        found: dict[str, tuple[BundledTask, ...]] = {}
        for task in self.tasks:
            found[task.family] = (*found.get(task.family, ()), task)
        return found


def list_domains() -> tuple[str, ...]:
    """Return the names of the bundled domains, sorted, without their variants."""
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in files if name.endswith(".json")))


def load_domain(name: str) -> BundledDomain:
    """Load the bundled domain of this name, or its variant `NAME_opaque`. Raises `NotFound`."""
    if name.endswith(OPAQUE):
        from services.domains.opaque import opaque  # imports sqlglot, which is slow, only here

        return opaque(load_domain(name.removesuffix(OPAQUE)), name=name)
    if name not in list_domains():
        raise NotFound(
            f"bundled domain {name!r}", found="no such domain", hint=f"The bundled ones are {', '.join(list_domains())}"
        )
    text = resources.files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    content = json.loads(text)
    return BundledDomain(
        name=content["domain"],
        title=content["title"],
        text=text,
        objects=tuple(DataObject(**entry, source=name) for entry in content["objects"]),
        references=tuple((start, end) for start, end in content["references"]),
        tasks=tuple(BundledTask(**{**entry, "objects": tuple(entry["objects"])}) for entry in content["tasks"]),
    )
