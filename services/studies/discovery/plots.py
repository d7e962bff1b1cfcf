"""The plots of a discovery study: arms with intervals, gains along the stream, wins and losses by family.

They compute nothing: all figures are those of the summary.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from services.studies.discovery.summary import BASELINE, OVERALL
from services.studies.plotting import BOUNDS, MARKS, canvas, caption, save, styled
from services.studies.running import Row

BARS = f"bars, bands: {BOUNDS}"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#882255", "#999933", "#555555", "#000000")
WIN, TIE, LOSS = "#0072B2", "#DDDDDD", "#D55E00"


def plot_discovery(summary: Row, manifest: Row, out: Path) -> None:
    """Write each plot of a summary into `out`, as SVG and PNG."""
    conditions = _conditions(manifest)
    made = set()
    with styled():
        for data in dict.fromkeys(row["data"] for row in summary["rows"]):
            macro = [row for row in summary["rows"] if row["data"] == data and row["domain"] in OVERALL]
            save(_arms(macro, data=data, conditions=conditions), out, f"arms_{data}")
            curves = [row for row in summary["learning"] if row["data"] == data]
            if curves and manifest["protocol"]["protocol"] == "prequential":
                save(_learning(curves, data=data, conditions=conditions), out, f"learning_{data}")
            shares = [row for row in summary["families"] if row["data"] == data]
            for retriever, rule in dict.fromkeys((row["retriever"], row["rule"]) for row in shares):
                own = [row for row in shares if (row["retriever"], row["rule"]) == (retriever, rule)]
                name = f"families_{data}_{retriever}_{rule.partition('@')[0]}"
                if name not in made:
                    title = f"{data}: {retriever} {rule} against {retriever} {BASELINE}"
                    made.add(save(_families(own, title=title, conditions=conditions), out, name))


def _arms(rows: Sequence[Row], *, data: str, conditions: str) -> Any:
    figure, axes = canvas(width=7.0, height=1.4 + 0.27 * len(rows))
    retrievers = list(dict.fromkeys(row["retriever"] for row in rows))
    for at, row in enumerate(rows):
        colour = COLOURS[retrievers.index(row["retriever"]) % len(COLOURS)]
        reach = [[row["f1_at_5"] - row["low"]], [row["high"] - row["f1_at_5"]]]
        axes.errorbar([row["f1_at_5"]], [at], xerr=reach, fmt="o", color=colour, capsize=3)
        axes.annotate(
            f"{row['f1_at_5']:.3f}", (row["high"], at), xytext=(6, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(range(len(rows)), [f"{row['retriever']} {row['rule']}" for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("F1@5, mean over domains (0 to 1)")
    axes.set_ylabel("retriever and rule")
    axes.margins(x=0.12)
    axes.grid(axis="x", alpha=0.3)
    axes.set_title(f"{data}: every arm", loc="left")
    caption(figure, f"n = {rows[0]['tasks']} tasks; {conditions}; {BARS}")
    return figure


def _learning(rows: Sequence[Row], *, data: str, conditions: str) -> Any:
    figure, axes = canvas(width=7.0, height=4.0)
    arms = list(dict.fromkeys((row["retriever"], row["rule"]) for row in rows))
    for at, arm in enumerate(arms):
        own = [row for row in rows if (row["retriever"], row["rule"]) == arm]
        band(axes, [100 * row["part"] for row in own], own, key="gain", at=at, label=" ".join(arm))
    axes.axhline(0, color="#555555", linewidth=0.8)
    axes.set_xlabel("place in the stream of tasks (% of a domain's tasks asked before)")
    axes.set_ylabel("F1@5 above no memory, mean over domains")
    axes.set_xlim(0, 100)
    axes.legend(frameon=False, fontsize=8)
    axes.set_title(f"{data}: what memory adds as it grows", loc="left")
    total = sum(row["tasks"] for row in rows if (row["retriever"], row["rule"]) == arms[0])
    caption(figure, f"n = {total} tasks in {len(own)} parts of each domain's stream; {conditions}; {BARS}")
    return figure


def _families(rows: Sequence[Row], *, title: str, conditions: str) -> Any:
    ordered = sorted(rows, key=lambda row: (row["domain"], row["gain"], row["family"]))
    figure, axes = canvas(width=7.0, height=1.6 + 0.24 * len(ordered))
    for at, row in enumerate(ordered):
        total = row["wins"] + row["ties"] + row["losses"]
        left = 0.0
        for part, colour in (("losses", LOSS), ("ties", TIE), ("wins", WIN)):
            width = 100 * row[part] / total
            axes.barh(at, width, left=left, color=colour, label=part if at == 0 else None, height=0.75)
            left += width
        axes.annotate(
            f"{row['gain']:+.3f}  n={total}", (100, at), xytext=(4, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(range(len(ordered)), [f"{row['domain']}  {row['family']}".strip() for row in ordered])
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of tasks (%); beside each bar the mean gain in F1@5")
    axes.set_ylabel("family of tasks" if any(row["family"] for row in ordered) else "domain")
    figure.legend(*axes.get_legend_handles_labels(), frameon=False, fontsize=8, ncols=3, loc="outside upper right")
    axes.set_title(title, loc="left", x=0)
    total = sum(row["wins"] + row["ties"] + row["losses"] for row in rows)
    caption(figure, f"n = {total} tasks; {conditions}")
    return figure


def band(axes: Any, xs: Sequence[float], rows: Sequence[Row], *, key: str, at: int, label: str) -> None:
    """Draw a line with its interval as a band; `at` chooses colour and mark."""
    colour = COLOURS[at % len(COLOURS)]
    axes.plot(xs, [row[key] for row in rows], color=colour, marker=MARKS[at % len(MARKS)], markersize=4, label=label)
    axes.fill_between(xs, [row["low"] for row in rows], [row["high"] for row in rows], color=colour, alpha=0.13)


def _conditions(manifest: Row) -> str:
    protocol = manifest["protocol"]
    memories = "all earlier memories" if protocol["memories"] == "all" else "wrong memories only"
    if protocol["protocol"] == "rotation":
        memories = memories.replace("all earlier memories", "one memory a family, every choice")
    if protocol["protocol"] == "repeats":
        memories = "each question confirmed before"
    if protocol["opaque"]:
        memories += f", {protocol['opaque']:.0%} of names hidden"
    corrupt = f", {protocol['corrupt']:.0%} of them corrupted" if protocol["corrupt"] else ""
    explored = "; exploratory" if manifest["exploratory"] else ""
    return f"encoder: {manifest['encoder']}; {memories}{corrupt}; seed {manifest['seed']}{explored}"
