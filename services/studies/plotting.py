"""The style of all plots, their size and the files that they are written to; matplotlib is an extra."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

STYLE: Any = {
    "svg.hashsalt": "retinue",  # without it the ids in an SVG are random
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
}
MARKS = "os^vDPX*<>hp8"
POLICY_COLOURS = {
    "default": "#0072B2", "dsgc": "#D55E00", "closure": "#009E73", "multi_hop": "#CC79A7", "credible": "#56B4E9",
    "inherit": "#882255", "pagerank": "#AA4499", "dsgc_roots": "#E69F00", "similar": "#555555", "no_graph": "#999933",
    "coverage": "#117733",
    "recent": "#BBBBBB", "random": "#DDCC77", "everything-with-an-edge": "#000000",
}  # fmt: skip
BOUNDS = "95 % of bootstrap draws"


def can_plot() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


@contextmanager
def styled() -> Iterator[None]:
    """Draw in one style and without a display."""
    import matplotlib as mpl

    mpl.use("Agg")
    with mpl.rc_context(STYLE):
        yield


def canvas(*, width: float, height: float, rows: int = 1) -> tuple[Any, Any]:
    """Return a figure of so many inches and its axes (an array of `rows` axes that share both scales)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    return figure, figure.subplots(rows, sharex=rows > 1, sharey=rows > 1)


def caption(figure: Any, text: str) -> None:
    """Write a small line below a figure: what it was measured on."""
    figure.supxlabel(text, fontsize=7.5, color="#444444", wrap=True)


def save(figure: Any, out: Path, name: str) -> str:
    """Write a figure as SVG and PNG, without dates: equal figures give equal bytes. Returns its name."""
    out.mkdir(parents=True, exist_ok=True)
    figure.savefig(out / f"{name}.svg", metadata={"Date": None, "Creator": None})
    figure.savefig(out / f"{name}.png", dpi=150, metadata={"Software": None})
    return name
