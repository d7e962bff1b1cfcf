"""The domains of a discovery study: a catalogue each, and tasks in order with the objects that they need.

Read from folders of JSON files, or from the bundled domains. Nothing else of a file is kept, so no arm can see it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from graph.errors import InvalidInput
from services.catalogue import SourceCatalogue, read_catalogue
from services.domains import OPAQUE, list_domains, load_domain

BUNDLED = "bundled"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTask:
    """One question and what it needs (sorted); tasks of one family need nearly the same in other words."""

    id: str
    intent: str
    needed: tuple[str, ...]
    family: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDomain:
    """One catalogue with its tasks. `data` names where it comes from; `digest` is that of its file."""

    data: str
    name: str
    catalogue: SourceCatalogue
    tasks: tuple[StudyTask, ...]
    digest: str

    @property
    def catalogue_digest(self) -> str:
        """The SHA-256 of what every arm sees of the catalogue."""
        seen = [[it.id, it.kind, it.name, it.description, it.table] for it in self.catalogue.objects]
        text = json.dumps([seen, sorted(self.catalogue.references)], ensure_ascii=False)
        return sha256(text.encode()).hexdigest()


def read_domains(folders: Sequence[Path], *, names: Sequence[str] = ()) -> tuple[StudyDomain, ...]:
    """Read the domains that have tasks, of all folders (the bundled ones where none is given), or just the named.

    `names` may ask for variants of bundled domains with opaque names. Raises `InvalidInput` for an unknown name.
    """
    if folders:
        found = [domain for folder in folders for domain in _of_folder(folder)]
    else:
        hidden = [name for name in names if name.endswith(OPAQUE) and name.removesuffix(OPAQUE) in list_domains()]
        found = [_bundled(name) for name in (*list_domains(), *hidden)]
    known = {domain.name for domain in found}
    if unknown := [name for name in names if name not in known]:
        raise InvalidInput(
            f"domain {', '.join(unknown)}", found="not in the data", hint=f"There are {', '.join(sorted(known))}"
        )
    return tuple(domain for domain in found if domain.tasks and (not names or domain.name in names))


def _of_folder(folder: Path) -> Iterator[StudyDomain]:
    files = sorted(folder.glob("*.json"))
    if not files:
        raise InvalidInput(
            f"data folder {folder.name!r}",
            found="no .json file in it",
            hint="Give a folder of files with `objects`, `references` and `tasks`",
        )
    for file in files:
        text = file.read_text(encoding="utf-8")
        yield _domain(folder.resolve().name, file.stem, text, json.loads(text).get("tasks", ()))


def _bundled(name: str) -> StudyDomain:
    domain = load_domain(name)
    return _domain(BUNDLED, name, domain.text, [asdict(task) for task in domain.tasks])


def _domain(data: str, name: str, text: str, entries: Iterable[Mapping[str, Any]]) -> StudyDomain:
    catalogue = read_catalogue(text, format="json", source=name)
    try:
        tasks = tuple(
            StudyTask(
                id=str(entry["id"]),
                intent=entry["intent"],
                needed=tuple(sorted(set(entry["objects"]))),
                family=entry.get("family"),
            )
            for entry in entries
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f"the tasks of {name}", found=f"one lacks {error}", hint="A task has `id`, `intent` and `objects`"
        ) from error
    if empty := [task.id for task in tasks if not task.needed]:
        raise InvalidInput(f"the tasks of {name}", found=f"{empty[0]} needs nothing", hint="Name its objects")
    digest = sha256(text.encode()).hexdigest()
    return StudyDomain(data=data, name=name, catalogue=catalogue, tasks=tasks, digest=digest)
