"""The report and the plot of a study of logs. They compute nothing: all figures are those of the summary."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from services.studies.logs.points import LAST
from services.studies.plotting import BOUNDS, MARKS, POLICY_COLOURS, canvas, caption, save, styled
from services.studies.reporting import COMPARED, comparison, heading, table
from services.studies.running import Row


def logs_report(summary: Row, manifest: Row) -> Iterator[str]:
    """Yield the report in Markdown: held by policy and share in each domain, then the comparisons."""
    protocol = manifest["protocol"]
    yield from heading("Study of logs", exploratory=manifest["exploratory"])
    yield (
        f"Data {', '.join(protocol['data'])}; at most {protocol['points']} points a session, seed {protocol['seed']}; "
        f"budgets as shares of the tokens so far ({protocol['counter']}). Held: of the identifiers that the next calls "
        f"use, that only chunks before the last {LAST} messages show, the share that what is kept still shows. "
        f"Bounds: {BOUNDS} over sessions."
    )
    for data, domain in dict.fromkeys((row["data"], row["domain"]) for row in summary["rows"]):
        own = [row for row in summary["rows"] if (row["data"], row["domain"]) == (data, domain)]
        shares = list(dict.fromkeys(row["share"] for row in own))
        yield from ("", f"## {data}, {domain}", "", f"{own[0]['n']} sessions.", "")
        cells = {
            (row["policy"], row["share"]): f"{row['held']:.3f} [{row['low']:.3f}, {row['high']:.3f}]" for row in own
        }
        header = ("policy", *(f">{share:.0%}" for share in shares))
        policies = dict.fromkeys(row["policy"] for row in own)
        yield from table(header, ((it, *(cells[it, share] for share in shares)) for it in policies))
        compared = [it for it in summary["comparisons"] if (it["data"], it["domain"]) == (data, domain)]
        if compared:
            yield ""
            rows = ((f"{it['share']:.0%}", it["a"], it["b"], *comparison(it, digits=3)) for it in compared)
            yield from table((">share", "a", "b", *COMPARED), rows)


def plot_logs(summary: Row, out: Path) -> None:
    """Write a plot for each folder of data into `out`, as SVG and PNG: held by share, a line a policy."""
    with styled():
        for data in dict.fromkeys(row["data"] for row in summary["rows"]):
            own = [row for row in summary["rows"] if row["data"] == data]
            domain = own[-1]["domain"]  # `macro`, or the only one
            save(
                _lines([row for row in own if row["domain"] == domain], title=f"{data}, {domain}"), out, f"logs_{data}"
            )


def _lines(rows: list[Row], *, title: str) -> Any:
    figure, axes = canvas(width=7.2, height=4.2)
    for number, policy in enumerate(dict.fromkeys(row["policy"] for row in rows)):
        own = [row for row in rows if row["policy"] == policy]
        held = [row["held"] for row in own]
        spread = [[it["held"] - it["low"] for it in own], [it["high"] - it["held"] for it in own]]
        axes.errorbar(
            [row["share"] for row in own], held, yerr=spread, label=policy, capsize=2, markersize=4,
            marker=MARKS[number % len(MARKS)], color=POLICY_COLOURS.get(policy, "#332288"),
            linewidth=2 if policy == "default" else 1,
        )  # fmt: skip
    axes.set(
        xlabel="budget, as a share of the tokens so far", ylabel="held of what the next calls use", ylim=(0, 1.02),
        title=title,
    )  # fmt: skip
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    caption(figure, f"{rows[0]['n']} sessions; bars: {BOUNDS} over sessions")
    return figure
