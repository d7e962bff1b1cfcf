"""The report of a retention study, in Markdown: every arm with its bounds, every comparison, losses and nulls too.

It computes nothing: all figures are those of the summary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

ALPHA = 0.05
Row = Mapping[str, Any]


def retention_report(summary: Mapping[str, Any], manifest: Mapping[str, Any]) -> Iterator[str]:
    yield "# Retention study"
    yield ""
    if manifest["exploratory"]:
        yield "**Exploratory: not run by a protocol that was fixed before.**"
        yield ""
    protocol = manifest["protocol"]
    asked = [f"seed {protocol['seed']}"]
    asked += [f"{protocol['repeat']} of each made-up variant"] if not protocol["data"] else []
    asked += [f"sweep over {protocol['sweep']}"] if protocol["sweep"] else []
    yield f"Store {manifest['store']}, encoders {', '.join(protocol['encoder'])}, {', '.join(asked)}."
    yield "Full chain: all chunks that the answer needs are kept. Bounds are 95 % over resampled scenarios; p is"
    yield "two-sided, in brackets as Holm corrects it. Broken: a kept chunk of the chain lacks a premise of the chain."
    if "expected" in summary:
        yield from ("", "## Against expected lists", "")
        yield from expected_table(summary["expected"])
    for suite in dict.fromkeys(row["suite"] for row in summary["rows"]):
        for encoder in dict.fromkeys(row["encoder"] for row in summary["rows"] if row["suite"] == suite):
            yield from ("", f"## {suite}, {encoder}", "")
            yield from _arms(_of(summary["rows"], suite, encoder))
            yield from _compared(_of(summary["comparisons"], suite, encoder))
            yield from _budgets(_of(summary["budgets"], suite, encoder), _of(summary["transitions"], suite, encoder))
            yield from _sweep(_of(summary["sweep"], suite, encoder), protocol["sweep"])


def _of(rows: Sequence[Row], suite: str, encoder: str) -> list[Row]:
    return [row for row in rows if (row["suite"], row["encoder"]) == (suite, encoder)]


def expected_table(checked: Sequence[Row]) -> Iterator[str]:
    yield "| suite | encoder | policy | equal | of | |"
    yield "|---|---|---|---:|---:|---|"
    for it in checked:
        differing = ", ".join(it["differing"][:3]) + (", ..." if len(it["differing"]) > 3 else "")
        yield (
            f"| {it['suite']} | {it['encoder']} | {it['policy']} | {it['equal']} | {it['scenarios']} "
            f"| {f'not {differing}' if differing else ''} |"
        )


def _arms(rows: Sequence[Row]) -> Iterator[str]:
    yield "| regime | policy | full chain | 95 % | coverage | broken | lost by | n |"
    yield "|---|---|---:|---|---:|---:|---|---:|"
    regimes = {row["regime"] for row in rows}
    for row in rows:
        if row["regime"] == "all" and len(regimes) == 2:
            continue  # one regime alone is all of it
        lost = ", ".join(f"{name} {count}" for name, count in row["failures"].items())
        yield (
            f"| {row['regime']} | {row['policy']} | {row['full_chain']:.3f} | {row['low']:.3f} to {row['high']:.3f} "
            f"| {row['coverage']:.3f} | {row['chain_break_rate']:.3f} | {lost} | {row['scenarios']} |"
        )


def _compared(rows: Sequence[Row]) -> Iterator[str]:
    rows = [row for row in rows if row["regime"] == "all"]
    if not rows:
        return
    yield from ("", "| a | b | a - b | 95 % | p (Holm) | wins / ties / losses | |", "|---|---|---:|---|---|---|---|")
    for it in rows:
        told = "no difference shown" if it["p_holm"] > ALPHA else "better" if it["difference"] > 0 else "worse"
        yield (
            f"| {it['a']} | {it['b']} | {it['difference']:+.3f} | {it['low']:+.3f} to {it['high']:+.3f} "
            f"| {it['p']:.4f} ({it['p_holm']:.4f}) | {it['wins']} / {it['ties']} / {it['losses']} | {told} |"
        )


def _budgets(points: Sequence[Row], transitions: Sequence[Row]) -> Iterator[str]:
    regimes = list(dict.fromkeys(row["regime"] for row in points))
    for regime in regimes if len(regimes) > 2 else regimes[-1:]:
        own = [row for row in points if row["regime"] == regime]
        at = {(row["policy"]): row for row in transitions if row["regime"] == regime}
        budgets = list(dict.fromkeys(row["multiplier"] for row in own))
        yield from ("", f"Full chain by budget, in multiples of the chain ({regime}):", "")
        yield "| policy | " + " | ".join(f"x{it:g}" for it in budgets) + " | transition | crossover |"
        yield "|---|" + "---:|" * (len(budgets) + 2)
        for policy in dict.fromkeys(row["policy"] for row in own):
            rates = {row["multiplier"]: row["full_chain"] for row in own if row["policy"] == policy}
            figures = " | ".join(f"{rates[it]:.3f}" for it in budgets)
            ends = " | ".join(_or_none(at[policy][key]) for key in ("transition", "crossover"))
            yield f"| {policy} | {figures} | {ends} |"


def _or_none(budget: float | None) -> str:
    return "none" if budget is None else f"x{budget:.2f}"


def _sweep(points: Sequence[Row], sweep: str | None) -> Iterator[str]:
    points = [row for row in points if row["regime"] == "all"]
    if not points or sweep == "budget":
        return
    values = list(dict.fromkeys(row["at"] for row in points))
    yield from ("", f"Full chain by {sweep}:", "", f"| policy | {' | '.join(f'{it:g}' for it in values)} |")
    yield "|---|" + "---:|" * len(values)
    for policy in dict.fromkeys(row["policy"] for row in points):
        rates = {row["at"]: row["full_chain"] for row in points if row["policy"] == policy}
        yield f"| {policy} | " + " | ".join(f"{rates[it]:.3f}" if it in rates else "" for it in values) + " |"
