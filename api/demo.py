"""The run of the demo: questions to a bundled domain without memory, learning, and the same questions again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph.errors import Conflict
from services.measures import CUT, f1_at_5

if TYPE_CHECKING:
    from api.wiring import Services
    from services.discovery.answers import Answer
    from services.domains import BundledDomain, BundledTask


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoQuestion:
    """A question, the objects that it needs, and both answers with their F1 at five."""

    task: BundledTask
    before: Answer
    after: Answer
    f1_before: float
    f1_after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """The questions in order, their mean F1, and how many statements were learnt in between."""

    questions: tuple[DemoQuestion, ...]
    learnt: int
    unresolved: tuple[str, ...]
    f1_before: float
    f1_after: float


def run_demo(services: Services, workspace: str, domain: BundledDomain) -> Demo:
    """Empty the workspace, import the domain, ask, learn, and ask again."""
    from services.catalogue import read_catalogue

    _make_room(services, workspace, domain)
    catalogue = read_catalogue(domain.text, format="json", source=domain.name)
    services.catalogue.import_catalogue(workspace, catalogue)
    before = [services.discovery.discover(workspace, task.intent, limit=CUT) for task in domain.questions]
    learnt = [
        services.learning.learn(workspace, task.intent, task.sql, dialect=task.dialect) for task in domain.lessons
    ]
    after = [services.discovery.discover(workspace, task.intent, limit=CUT) for task in domain.questions]
    questions = tuple(
        DemoQuestion(task=task, before=first, after=second, f1_before=_f1(first, task), f1_after=_f1(second, task))
        for task, first, second in zip(domain.questions, before, after, strict=True)
    )
    return Demo(
        questions=questions,
        learnt=sum(1 for item in learnt if item.memory is not None),
        unresolved=tuple(sorted({name for item in learnt for name in item.unresolved})),
        f1_before=sum(it.f1_before for it in questions) / len(questions),
        f1_after=sum(it.f1_after for it in questions) / len(questions),
    )


def _f1(answer: Answer, task: BundledTask) -> float:
    return f1_at_5([hit.id for hit in answer.results], task.objects)


def _make_room(services: Services, workspace: str, domain: BundledDomain) -> None:
    """Empty the workspace. Raises `Conflict` if it holds other objects than those of the demo."""
    held = services.workspaces.ensure(workspace)
    total = held.tables + held.attributes + held.gone
    ours = services.store.list_objects(workspace, source=domain.name, gone=None, limit=total + 1)
    if len(ours) < total:
        raise Conflict(
            f"the demo in workspace {workspace!r}",
            found="the workspace holds objects that are not the demo's",
            hint="Name another one: retinue --workspace NAME demo",
        )
    services.workspaces.reset(workspace)
