"""`retinue demo`: ten questions to a bundled bank, without memory and with what ten statements taught."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import typer

from api.cli.discover import VISIBLE_SHARE
from api.cli.invocation import invocation_of, opened
from api.cli.printing import clipped, emit, note, signed
from api.wiring import Services
from graph.errors import Conflict
from services.measures import CUT, f1_at_5

if TYPE_CHECKING:
    from services.discovery.answers import Answer, Hit
    from services.domains import BundledDomain, BundledTask

DOMAIN = "czech_bank"
WORKSPACE = "demo"  # its own, so that it never mixes with other data
COLUMN = 44


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


def demo(context: typer.Context) -> None:
    """Take a tour: ten questions without and with memory.

    It asks ten questions of a bundled bank, learns from ten statements, and asks again, in a workspace named demo.
    """
    from services.domains import load_domain

    domain = load_domain(DOMAIN)
    with opened(context) as (services, named):
        workspace = WORKSPACE if invocation_of(context).workspace is None else named
        tour = run_demo(services, workspace, domain)
        kept = invocation_of(context).settings().backend != "memory"
        missing = services.encoder_missing
    if missing:
        note(f"Note: {missing}")
    emit(context, _value(domain, workspace, tour), lambda: _shown(domain, workspace, tour, kept=kept))


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


def _value(domain: BundledDomain, workspace: str, tour: Demo) -> dict[str, Any]:
    from api.forms.discovery import answer_json

    return {
        "domain": domain.name,
        "workspace": workspace,
        "learnt": tour.learnt,
        "unresolved": list(tour.unresolved),
        "f1_at_5": {"without_memory": tour.f1_before, "with_memory": tour.f1_after},
        "questions": [
            {
                "intent": question.task.intent,
                "objects": list(question.task.objects),
                "f1_at_5": {"without_memory": question.f1_before, "with_memory": question.f1_after},
                "without_memory": answer_json(question.before),
                "with_memory": answer_json(question.after),
            }
            for question in tour.questions
        ],
    }


def _shown(domain: BundledDomain, workspace: str, tour: Demo, *, kept: bool) -> Iterator[str]:
    yield f"{domain.title}: {len(domain.objects)} tables and columns, imported into workspace {workspace}."
    yield f"{len(tour.questions)} questions with an empty memory, and again after {tour.learnt} statements were learnt"
    yield "that answered other wordings. * marks what the question needs, <- memories; a score is registry + memory."
    for number, question in enumerate(tour.questions, 1):
        yield ""
        yield f"{number}. {question.task.intent}"
        yield from _side_by_side(question)
    yield ""
    yield f"F1@5 without memory {tour.f1_before:.3f}, with memory {tour.f1_after:.3f}."
    yield ""
    yield from _next_steps(tour, workspace, kept=kept)


def _side_by_side(question: DemoQuestion) -> Iterator[str]:
    gold = set(question.task.objects)
    letters = _letters(question.after.results)
    heads = (f"without memory, F1@5 {question.f1_before:.2f}", f"with memory, F1@5 {question.f1_after:.2f}")
    yield f"   {clipped(heads[0], COLUMN)}   {heads[1]}"
    for first, second in zip_longest(question.before.results, question.after.results):
        left = _plain(first, gold) if first else ""
        right = _with_parts(second, gold, letters) if second else ""
        yield f"   {clipped(left, COLUMN)}   {right}".rstrip()
    yield from (f"   {clipped('', COLUMN)}   {letter}: {intent}" for intent, letter in letters.items())


def _plain(hit: Hit, gold: set[str]) -> str:
    return f"{'*' if hit.id in gold else ' '} {hit.score:.3f} {hit.id}"


def _with_parts(hit: Hit, gold: set[str], letters: dict[str, str]) -> str:
    named = sorted(letters[intent] for intent in _shares(hit) if intent in letters)
    memories = f"  <- {' '.join(named)}" if named else ""
    parts = f"{hit.score:.3f} = {hit.registry:.3f} {signed(hit.memory)}"
    return f"{'*' if hit.id in gold else ' '} {parts}  {hit.id}{memories}"


def _letters(hits: tuple[Hit, ...]) -> dict[str, str]:
    """Return a letter for each intent with a visible share, those with the largest shares first."""
    totals: dict[str, float] = {}
    for hit in hits:
        for intent, share in _shares(hit).items():
            totals[intent] = totals.get(intent, 0.0) + share
    return dict(zip(sorted(totals, key=lambda intent: (-totals[intent], intent)), ascii_lowercase, strict=False))


def _shares(hit: Hit) -> dict[str, float]:
    shares: dict[str, float] = {}
    for it in hit.memories:
        if abs(it.share) >= VISIBLE_SHARE:
            shares[it.intent] = shares.get(it.intent, 0.0) + abs(it.share)
    return shares


def _next_steps(tour: Demo, workspace: str, *, kept: bool) -> Iterator[str]:
    if not kept:
        yield f"The store was memory:// and is gone. With the default store it stays: {_command()} demo"
        return
    retinue = _command()
    yield "Go on with:"
    yield f'  {retinue} --workspace {workspace} discover "{tour.questions[0].task.intent}" --explain'
    yield f"  {retinue} --workspace {workspace} memory list"
    yield f"  {retinue} --workspace {workspace} catalog list"
    yield f"  {retinue} serve"
    yield f"  {retinue} catalog import YOUR.sql"


def _command() -> str:
    """How to start this command again: by its name, or as it was started where the shell would not find it."""
    return "retinue" if shutil.which("retinue") else sys.argv[0]
