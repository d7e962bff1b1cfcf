"""The plots of a retention study: rates with intervals by budget, by depth and over a sweep, and one scenario drawn.

They compute nothing: all figures are those of the summary and of `drawing.json`.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from services.studies.plotting import BOUNDS, MARKS, POLICY_COLOURS, canvas, caption, save, styled
from services.studies.running import Row

Series = Mapping[str, Sequence[Row]]
KEPT, LIVE, GONE, RING = "#0072B2", "#E69F00", "#C8C8C8", "#D55E00"


def plot_retention(summary: Row, drawing: Row | None, out: Path) -> None:
    """Write each plot of a summary, and the drawn scenario, into `out`, as SVG and PNG."""
    with styled():
        for name, title, key, label, series in _curves(summary):
            save(_lines(series, key=key, label=label, title=title), out, name)
        if drawing is not None:
            save(_drawn(drawing), out, "scenario")


def _curves(summary: Row) -> Iterator[tuple[str, str, str, str, Series]]:
    """(file, title, key of the x axis, its label, points by policy)"""
    kinds = (
        ("budgets", "multiplier", "budget, in multiples of what the chain costs"),
        ("depths", "depth", "depth of the chain, in chunks"),
        ("sweep", "at", ""),
    )
    for kind, key, label in kinds:
        groups: dict[tuple[str, str], dict[str, list[Row]]] = {}
        for row in summary[kind]:
            if kind == "sweep" and row["sweep"] == "budget":
                continue
            if row["regime"] == ("target" if kind != "sweep" else "all"):
                groups.setdefault((row["suite"], row["encoder"]), {}).setdefault(row["policy"], []).append(row)
        for (suite, encoder), series in groups.items():
            points = next(iter(series.values()))
            if len(points) > 1:
                name = points[0].get("sweep", kind) if kind == "sweep" else kind
                yield f"{name}_{suite}_{encoder}", f"{suite}, {encoder}", key, label or str(name), series


def _lines(series: Series, *, key: str, label: str, title: str) -> Any:
    figure, axes = canvas(width=7.2, height=4.2)
    values = [row[key] for row in next(iter(series.values()))]
    wide = (max(values) - min(values)) / 90
    for number, (policy, rows) in enumerate(series.items()):
        shift = (number - (len(series) - 1) / 2) * wide / max(len(series) / 6, 1)  # or intervals hide one another
        rates = [row["full_chain"] for row in rows]
        spread = [
            [max(rate - row["low"], 0.0) for rate, row in zip(rates, rows, strict=True)],
            [max(row["high"] - rate, 0.0) for rate, row in zip(rates, rows, strict=True)],
        ]
        axes.errorbar(
            [row[key] + shift for row in rows], rates, yerr=spread, label=policy,
            color=POLICY_COLOURS.get(policy.partition("@")[0], "#332288"), marker=MARKS[number % len(MARKS)],
            markersize=4, capsize=2, linewidth=2 if policy == "default" else 1,
        )  # fmt: skip
    axes.set(xlabel=label, ylabel="share of scenarios with the full chain", ylim=(-0.04, 1.04), title=title)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    sizes = sorted({row["scenarios"] for rows in series.values() for row in rows})
    counted = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    caption(figure, f"n = {counted} scenarios a point; bars: {BOUNDS} over scenarios")
    return figure


def _drawn(drawing: Row) -> Any:
    """Chunks by order of ingestion and similarity to the query, for two policies."""
    figure, both = canvas(width=9, height=7.5, rows=2)
    for axes, arm in zip(both, drawing["arms"], strict=True):
        place = {chunk["chunk"]: (chunk["position"], chunk["cosine"]) for chunk in arm["chunks"]}
        state = {chunk["chunk"]: chunk["state"] for chunk in arm["chunks"]}
        for one, other in drawing["premises"]:
            lit = state[one] != "evicted" and state[other] != "evicted"
            axes.annotate(
                "", xy=place[other], xytext=place[one], zorder=2 if lit else 1,
                arrowprops={
                    "arrowstyle": "-|>", "color": LIVE if lit else "#E4E4E4", "linewidth": 1.4 if lit else 0.6,
                    "shrinkA": 4, "shrinkB": 4, "connectionstyle": "arc3,rad=0.12",
                },
            )  # fmt: skip
        looks = (
            ("evicted", GONE, "evicted"), ("kept", KEPT, "kept for itself"),
            ("premise", LIVE, "kept alive by what rests on it"),
        )  # fmt: skip
        for name, colour, label in looks:
            own = [chunk for chunk in arm["chunks"] if chunk["state"] == name]
            axes.scatter(
                [chunk["position"] for chunk in own], [chunk["cosine"] for chunk in own],
                color=colour, s=26, zorder=3, label=label,
            )  # fmt: skip
        chain = [place[chunk] for chunk in drawing["chain"]]
        axes.scatter(
            [x for x, _ in chain], [y for _, y in chain], facecolors="none", edgecolors=RING, s=110, linewidths=1.4,
            zorder=4, label="what the answer needs",
        )  # fmt: skip
        outcome = "keeps the whole chain" if arm["full_chain"] else "cuts the chain"
        axes.set(ylabel="similarity to the query", title=f"{arm['policy']} {outcome}")
    both[-1].set_xlabel("order of ingestion")
    handles, labels = both[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure
