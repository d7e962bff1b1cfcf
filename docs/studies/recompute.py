"""Runs the studies of discovery that `discovery.md` reports, keeps what it quotes, and rewrites the page.

From the root of the checkout `python docs/studies/recompute.py` runs all (published benchmarks need their data in
`../shared`), with names only those; `--page` writes the page from what is kept. Of bundled domains it keeps raw rows.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs
from discovery_page import page_lines  # beside this file

from api.wiring import now, open_memory_store
from services.encoders import load_encoder
from services.measures import MEASURES
from services.studies.discovery.plots import BARS, COLOURS, band
from services.studies.discovery.protocol import make_discovery_protocol
from services.studies.discovery.study import DiscoveryStudy
from services.studies.discovery.tasks import BUNDLED
from services.studies.plotting import can_plot, canvas, caption, save, styled
from services.studies.running import Row
from services.studies.running import run as run_study

HERE = Path(__file__).parent
KEPT = HERE / "discovery"
PAGE = HERE / "discovery.md"
ENCODERS = {"minilm": "auto", "words": "none"}
PLOTS = {
    "bundled_minilm": ("arms_bundled", "families_bundled_tfidf_eq1"),
    "published_minilm": ("arms_bird", "learning_bird", "learning_spider"),
}
SEEDS = (0, 1, 2)


def pieces() -> Iterator[tuple[str, str, str, int]]:
    """(name, protocol, encoder, seed) of each run."""
    for protocol in ("bundled", "bundled_corrupt", "bundled_wrong", "opaque"):
        yield f"{protocol}_minilm", protocol, "minilm", 0
    for protocol in ("strength_true", "strength_wrong"):
        yield protocol, protocol, "words", 0
    for encoder in ENCODERS:
        for protocol in ("published", "published_wrong", "published_wrong_earned"):
            yield f"{protocol}_{encoder}", protocol, encoder, 0
        for seed in SEEDS:
            yield f"published_corrupt_{encoder}_{seed}", "published_corrupt", encoder, seed


def main(asked: list[str]) -> None:
    if "--page" not in asked:
        known = list(pieces())
        for name, protocol, encoder, seed in known:
            if not asked or name in asked or protocol in asked:
                run(name, protocol, encoder, seed)
    PAGE.write_text("\n".join(page_lines(KEPT)) + "\n", encoding="utf-8")


def run(name: str, protocol: str, encoder: str, seed: int) -> None:
    made, digest = make_discovery_protocol({"seed": seed or None}, file=HERE / "protocols" / f"{protocol}.toml")
    loaded, reason = load_encoder(ENCODERS[encoder])
    if encoder == "minilm" and loaded is None:
        raise SystemExit(f"{name} needs the extra `neural`: {reason}")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        cache = platformdirs.user_cache_path("retinue", appauthor=False) / "embeddings"
        summary = run_study(
            DiscoveryStudy(made, open_store=open_memory_store, encoder=loaded, cache=cache),
            out,
            clock=now,
            protocol_file=digest,
        )
        keep(name, summary, json.loads((out / "manifest.json").read_text(encoding="utf-8")))
        if all(row["data"] == BUNDLED for row in summary["rows"]):
            keep_rows(name, out / "rows.jsonl")
        for plot in PLOTS.get(name, ()):
            (KEPT / f"{plot}.png").write_bytes((out / f"{plot}.png").read_bytes())
    if name == "strength_wrong" and can_plot():
        draw_strength()
    print(name)  # noqa: T201


def keep(name: str, summary: Mapping[str, Any], manifest: Mapping[str, Any]) -> None:
    """What the page quotes: rows and comparisons in F1@5 to six decimals, and what the run was of."""
    of = ("protocol", "protocol_file", "encoder", "agreement", "seed", "versions")
    kept = {
        "run": {key: manifest[key] for key in of},
        "rows": [rounded(row) for row in summary["rows"]],
        "comparisons": [rounded(it) for it in summary["comparisons"] if it["measure"] == "f1_at_5"],
    }
    text = json.dumps(kept, ensure_ascii=False, sort_keys=True).replace('{"agreement"', '\n{"agreement"')
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{name}.json").write_text(
        text.replace(', {"a"', ',\n{"a"').replace(', {"corrupt"', ',\n{"corrupt"') + "\n", encoding="utf-8"
    )


def keep_rows(name: str, file: Path) -> None:
    """Raw: what was found, by task and arm. What was needed is the domain's, and every measure follows from both."""
    lines = []
    for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        kept = {key: value for key, value in row.items() if key not in ("needed", *MEASURES)}
        lines.append(json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
    packed = gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0)
    (KEPT / f"{name}.rows.jsonl.gz").write_bytes(packed)


def draw_strength() -> None:
    found = {
        name: json.loads((KEPT / f"strength_{name}.json").read_text(encoding="utf-8"))["rows"]
        for name in ("true", "wrong")
    }
    series, flat = {}, {}
    for name, rows in found.items():
        macro = {row["rule"]: row for row in rows if row["domain"] == "macro"}
        said = "all earlier memories" if name == "true" else "wrong memories only"
        series[f"Eq. 1, {said}"] = [
            (float(rule.partition("=")[2]), row) for rule, row in macro.items() if rule.startswith("eq1@alpha=")
        ]
        flat["no memory"] = macro["none"]
    plot_strength(series, flat, KEPT)
    (KEPT / "strength.svg").unlink()


def plot_strength(series: Mapping[str, Sequence[tuple[float, Row]]], flat: Mapping[str, Row], out: Path) -> str:
    """Plot F1@5 by how strongly Eq. 1 weighs memory: `series` by label, as (alpha, summary row), and `flat` arms."""
    with styled():
        figure, axes = canvas(width=7.0, height=4.2)
        for at, (label, points) in enumerate(series.items()):
            alphas = [alpha for alpha, _ in points]
            band(axes, alphas, [row for _, row in points], key="f1_at_5", at=at, label=label)
        for at, (label, row) in enumerate(flat.items(), start=len(series)):
            style = (":", "--", "-.")[at % 3]
            axes.axhline(row["f1_at_5"], color=COLOURS[at % len(COLOURS)], linestyle=style, label=label)
        axes.set_xscale("symlog", linthresh=0.1)
        ticks = [alpha for alpha, _ in next(iter(series.values()))]
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xlim(ticks[0], ticks[-1] * 1.1)
        axes.set_xlabel("alpha of Eq. 1: weight of memory beside the registry (no unit; log scale above .1)")
        axes.set_ylabel("F1@5, mean over domains (0 to 1)")
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, fontsize=8)
        some = next(iter(series.values()))[0][1]
        axes.set_title("The stronger memory is, the more a wrong one costs", loc="left")
        caption(
            figure,
            f"{some['data']} domains, n = {some['tasks']} tasks; encoder: {some['encoder']}; {BARS}",
        )
        return save(figure, out, "strength")


def rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: round(value, 6) if isinstance(value, float) else value for key, value in row.items()}


if __name__ == "__main__":
    main(sys.argv[1:])
