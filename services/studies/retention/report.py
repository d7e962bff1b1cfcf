"""The report of a retention study: every arm with its bounds, every comparison, losses and nulls too."""

from collections.abc import Iterator, Sequence

from services.studies.reporting import COMPARED, comparison, heading, table
from services.studies.running import Row

ARMS = ("regime", "policy", ">full chain", "95 %", ">coverage", ">broken", "lost by", ">n")


def retention_report(summary: Row, manifest: Row) -> Iterator[str]:
    """Yield the report's lines in Markdown."""
    yield from heading("Retention study", exploratory=manifest["exploratory"])
    protocol = manifest["protocol"]
    asked = [f"seed {protocol['seed']}"]
    asked += [f"{protocol['repeat']} of each generated variant"] if not protocol["data"] else []
    asked += [f"sweep over {protocol['sweep']}"] if protocol["sweep"] else []
    yield f"Store {manifest['store']}, encoders {', '.join(protocol['encoder'])}, {', '.join(asked)}."
    yield "Full chain: all chunks that the answer needs are kept. Bounds are 95 % over resampled scenarios; p is"
    yield "two-sided, in brackets as Holm corrects it. Broken: a kept chunk of the chain lacks a premise of the chain."
    if "expected" in summary:
        yield from ("", "## Against expected lists", "")
        yield from table(("suite", "encoder", "policy", ">equal", ">of", ""), map(_expected, summary["expected"]))
    for suite, encoder in dict.fromkeys((row["suite"], row["encoder"]) for row in summary["rows"]):
        own = {
            key: [row for row in summary[key] if (row["suite"], row["encoder"]) == (suite, encoder)]
            for key in ("rows", "comparisons", "budgets", "transitions", "sweep")
        }
        yield from ("", f"## {suite}, {encoder}", "")
        yield from _arms(own["rows"])
        if compared := [it for it in own["comparisons"] if it["regime"] == "all"]:
            yield ""
            yield from table(("a", "b", *COMPARED), ((it["a"], it["b"], *comparison(it, digits=3)) for it in compared))
        yield from _budgets(own["budgets"], own["transitions"])
        if protocol["sweep"] != "budget" and (points := [row for row in own["sweep"] if row["regime"] == "all"]):
            yield from ("", f"Full chain by {protocol['sweep']}:", "")
            yield from _rates(points, key="at", mark="")


def _expected(it: Row) -> tuple[object, ...]:
    differing = ", ".join(it["differing"][:3]) + (", ..." if len(it["differing"]) > 3 else "")
    return (
        *(it[key] for key in ("suite", "encoder", "policy", "equal", "scenarios")),
        differing and f"not {differing}",
    )


def _arms(rows: Sequence[Row]) -> Iterator[str]:
    one_regime = len({row["regime"] for row in rows}) == 2  # that one and `all`, which are the same rows
    yield from table(
        ARMS,
        (
            (
                row["regime"],
                row["policy"],
                f"{row['full_chain']:.3f}",
                f"{row['low']:.3f} to {row['high']:.3f}",
                f"{row['coverage']:.3f}",
                f"{row['chain_break_rate']:.3f}",
                ", ".join(f"{name} {count}" for name, count in row["failures"].items()),
                row["scenarios"],
            )
            for row in rows
            if row["regime"] != "all" or not one_regime
        ),
    )


def _budgets(points: Sequence[Row], transitions: Sequence[Row]) -> Iterator[str]:
    regimes = list(dict.fromkeys(row["regime"] for row in points))
    for regime in regimes if len(regimes) > 2 else regimes[-1:]:
        own = [row for row in points if row["regime"] == regime]
        ends = {row["policy"]: row for row in transitions if row["regime"] == regime}
        yield from ("", f"Full chain by budget, in multiples of the chain ({regime}):", "")
        yield from _rates(own, key="multiplier", mark="x", ends=ends)


def _rates(points: Sequence[Row], *, key: str, mark: str, ends: Row | None = None) -> Iterator[str]:
    """Full chain by policy and the values of `key`; in `ends` the turning points of each policy."""
    values = list(dict.fromkeys(row[key] for row in points))
    turning = ("transition", "crossover") if ends else ()
    rows = []
    for policy in dict.fromkeys(row["policy"] for row in points):
        rates = {row[key]: row["full_chain"] for row in points if row["policy"] == policy}
        figures = [f"{rates[it]:.3f}" if it in rates else "" for it in values]
        budgets = [ends[policy][name] for name in turning] if ends else []
        rows.append((policy, *figures, *("none" if it is None else f"x{it:.2f}" for it in budgets)))
    header = ("policy", *(f">{mark}{it:g}" for it in values), *(f">{name}" for name in turning))
    yield from table(header, rows)
