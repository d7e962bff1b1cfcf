"""`retinue retain`: choose what a session keeps for a query within a budget, and say why the rest is evicted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperOption

from api.cli.invocation import opened
from api.cli.printing import counted, emit, note, table

if TYPE_CHECKING:
    from services.sessions import Retained


class PolicyHelp(TyperCommand):
    """A command whose option `--policy` lists the declared policies, imported only when the help is printed."""

    def format_options(self, *args: Any, **named: Any) -> None:
        from services.retention.arms import describe_policies

        for option in self.params:
            if isinstance(option, TyperOption) and option.name == "policy":
                option.help = describe_policies()
        super().format_options(*args, **named)


def retain(
    context: typer.Context,
    session: Annotated[str, typer.Option("--session", metavar="ID", help="The session.")],
    query: Annotated[str, typer.Option("--query", metavar="Q", help="What the next step is about.")],
    budget: Annotated[float, typer.Option("--budget-tokens", metavar="N", help="The budget.")],
    policy: Annotated[str, typer.Option(help="Which policy chooses.")] = "default",
    encoder: Annotated[
        Literal["neural", "hashing", "hashing-ascii", "tfidf", "bm25"] | None,
        typer.Option(help="How similarity to the query is computed. Default: neural if installed, else hashing."),
    ] = None,
    orphans: Annotated[
        Literal["warn", "evict"],
        typer.Option(help="For a kept chunk whose premise is evicted: a warning, or its own eviction."),
    ] = "warn",
    apply: Annotated[bool, typer.Option("--apply", help="Archive what is evicted. Default: change nothing.")] = False,
    tombstones: Annotated[
        bool, typer.Option("--tombstones", help="With --apply: keep a hash and the reason of each.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say why each chunk was evicted.")] = False,
    ids_only: Annotated[bool, typer.Option("--ids-only", help="Print ids without texts.")] = False,
    pairs: Annotated[
        bool, typer.Option("--pairs/--no-pairs", help="Keep calls with their results, or neither.")
    ] = True,
) -> None:
    """Choose what a session keeps for a query within a budget.

    Changes nothing without --apply; with it, evicted chunks are archived, and can be restored until they are purged.
    """
    from api.forms.retention import retained_json

    if tombstones and not apply:
        raise typer.BadParameter("--tombstones needs --apply")
    with opened(context) as (services, workspace):
        answer = services.sessions.retain(
            workspace,
            session,
            query,
            budget_tokens=budget,
            policy=policy,
            encoder=encoder,
            orphans=orphans,
            explain=explain,
            apply=apply,
            tombstones=tombstones,
            pairs=pairs,
            ids_only=ids_only,
        )
        emit(context, retained_json(answer, ids_only=ids_only), lambda: _shown(answer))
        services.sessions.note_beliefs(workspace, session, answer)
    for warning in answer.warnings:
        note(f"Warning: {warning}")


def _shown(answer: Retained) -> Iterator[str]:
    yield (
        f"Kept {counted(len(answer.kept), 'chunk')} of {len(answer.kept) + len(answer.evicted):,}, "
        f"{answer.tokens:,} of {counted(answer.budget_tokens, 'token')}, by {answer.policy} and {answer.encoder}:"
    )
    if answer.chunks:
        rows = [("", it.id, it.kind, it.tokens, " ".join(it.text.split())[:80]) for it in answer.chunks]
        yield from table(("", "chunk", "kind", "tokens", "text"), rows, right=(3,))
    else:
        yield from (f"  {key}" for key in answer.reading_order)
    if answer.trace:
        yield from table(
            ("evicted", "score", "reason", "taken before it", "by", "alive through"),
            [(it.chunk, it.score, it.reason, it.competitor, it.gap, " -> ".join(it.path)) for it in answer.trace],
            right=(1, 4),
        )
    if answer.applied is not None:
        yield f"Archived {counted(len(answer.applied.archived), 'chunk')}."
    elif answer.evicted:
        yield f"Nothing was changed: --apply archives the other {len(answer.evicted):,}."
