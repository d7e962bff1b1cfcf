"""The page of the discovery studies, made from the kept results of their runs alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Run = Mapping[str, Any]
Runs = Mapping[str, Run]

ENCODERS = {"minilm": "with MiniLM", "words": "words alone"}
PUBLISHED = ("bird", "spider")
MACRO = "macro"
ALPHA = 0.05
HEAD = """# Does memory help discovery, and what does it cost when it is wrong?

Every figure here is made by `python docs/studies/recompute.py` from the protocols in [protocols](protocols), which
were written before the runs, and is kept in [discovery](discovery); of the bundled domains the raw rows too (what each
arm found for each task; a test recomputes their tables). `recompute.py NAME` runs one study, `recompute.py --page`
writes this page. The published benchmarks (BIRD and Spider: databases with questions and SQL) are read from `../shared`
and are not part of Retinue; `retinue study import-tasks` makes such files of one's own.

- **Prequential** (published): tasks as they come, each asked with the memories of earlier ones, then remembered with
  what it needed. **Rotation** (bundled): one task of each of five families is a memory, the family's others are asked;
  every choice in turn. The families' wordings share few words on purpose.
- **F1@5** = 2 h / (5 + needed), h hits among five: with three needed objects the best possible is .75.
- In brackets and bars: 95 % of 5,000 draws over tasks, paired where two rules are compared; p is corrected for all
  pairs (Holm).
- `none` is the registry alone, `eq1` adds likeness times memory (the published rule), `default` is what `discover`
  uses. **help** and **harm** are the shares of tasks that do better and worse than `none`.
- † marks runs made before `default` weighed memories by who bears them out; they are to be made again. See
  [decision 11](../decisions/0011-memories-are-borne-out.md)."""


def page_lines(kept: Path) -> Iterator[str]:
    runs = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(kept.glob("*.json"))}
    yield HEAD
    yield from ("", "## What was to be shown", "", "| what | needed | found | |", "|---|---|---|---|")
    yield from (_bar(*bar) for bar in bars(runs))
    yield from ("", "## Published benchmarks", "")
    for encoder, said in ENCODERS.items():
        if (run := runs.get(f"published_{encoder}")) is not None:
            yield from _section(f"True memories, {said}", run)
            if encoder == "minilm":
                yield from _picture("arms_bird", "Every arm on BIRD")
                yield from _picture("learning_bird", "What memory adds along the stream, BIRD")
                yield from _picture("learning_spider", "The same on Spider")
        for name, title in (
            ("wrong", "Wrong memories only"),
            ("wrong_earned", "Wrong memories only, trust earned from true ones"),
        ):
            if (run := runs.get(f"published_{name}_{encoder}")) is not None:
                yield from _section(f"{title}, {said}", run)
        for seed in range(3):
            if (run := runs.get(f"published_corrupt_{encoder}_{seed}")) is not None:
                yield from _section(f"40 % of memories corrupted, {said}, seed {seed}", run)
    yield from ("## Bundled domains", "")
    for name, title in (
        ("bundled_minilm", "True memories"),
        ("bundled_corrupt_minilm", "27 % of memories corrupted"),
        ("bundled_wrong_minilm", "Wrong memories only"),
        ("opaque_minilm", "Names hidden, nothing described"),
    ):
        if (run := runs.get(name)) is not None:
            yield from _section(title, run)
            yield from _by_domain(run)
            if name == "bundled_minilm":
                yield from _picture("arms_bundled", "Every arm on the bundled domains")
                yield from _picture("families_bundled_tfidf_eq1", "Wins, ties and losses of Eq. 1 by family")
    if "strength_wrong" in runs:
        yield from ("### How strong memory may be", "")
        yield "Eq. 1 by alpha, the weight that it gives to memory, where memories are true and where they are wrong."
        yield ""
        yield from _picture("strength", "F1@5 by alpha, true and wrong memories")
    yield from ("## Null results and losses", "")
    yield from _nulls(runs)


def bars(runs: Runs) -> Iterator[tuple[str, str, str, bool]]:
    """(what, needed, found, whether it holds)"""
    needed: dict[str, dict[str, tuple[float, float]]] = {
        "minilm": {"none": (0.61, 0.67), "default": (0.69, 0.739)},
        "words": {"none": (0.605, 0.66), "default": (0.682, 0.726)},
    }
    corrupt = {"minilm": (0.666, 0.715), "words": (0.656, 0.699)}
    for encoder, said in ENCODERS.items():
        if (run := runs.get(f"published_{encoder}")) is not None:
            for rule, least in needed[encoder].items():
                found = [_f1(run, data, rule) for data in PUBLISHED]
                holds = all(value >= bar for value, bar in zip(found, least, strict=True))
                yield f"`{rule}`, {said}, {_names()}{_mark(run)}", _both(least, "at least "), _both(found), holds
        for name, title, most in (("wrong", "fresh trust", 0.005), ("wrong_earned", "trust earned before", 0.018)):
            if (run := runs.get(f"published_{name}_{encoder}")) is not None:
                lost = [_f1(run, data, "none") - _f1(run, data, "default") for data in PUBLISHED]
                what = f"`default` under `none` by, wrong memories only, {title}, {said}, {_names()}{_mark(run)}"
                yield what, f"at most {most:g}", _both(lost, digits=4), all(value <= most for value in lost)
        seeds = [run for seed in range(3) if (run := runs.get(f"published_corrupt_{encoder}_{seed}")) is not None]
        if seeds:
            found = [sum(_f1(run, data, "default") for run in seeds) / len(seeds) for data in PUBLISHED]
            holds = all(value >= bar for value, bar in zip(found, corrupt[encoder], strict=True))
            what = f"`default`, 40 % corrupt, mean of {len(seeds)} seeds, {said}, {_names()}{max(map(_mark, seeds))}"
            yield what, _both(corrupt[encoder], "at least "), _both(found), holds
    if (run := runs.get("bundled_minilm")) is not None:
        for retriever in ("tfidf", "neural"):
            lows = {it["domain"]: it["low"] for it in _pairs(run, retriever, "eq1", "none")}
            shown = ", ".join(f"{domain} {low:+.3f}" for domain, low in lows.items())
            what = f"`eq1` above `none`, {retriever}, each bundled domain: lower bound"
            yield what, "above 0", shown, all(low > 0 for low in lows.values())
    if (run := runs.get("bundled_corrupt_minilm")) is not None:
        for retriever in ("tfidf", "neural"):
            gains = {it["domain"]: it["difference"] for it in _pairs(run, retriever, "eq1", "none")}
            shown = ", ".join(f"{domain} {gain:+.3f}" for domain, gain in gains.items())
            holds = sum(gain >= 0 for gain in gains.values()) >= 2
            yield f"`eq1` not under `none`, 27 % corrupt, {retriever}", "two domains of three", shown, holds
        gains = {it["domain"]: it["difference"] for it in _pairs(run, "tfidf", "eq1", "names")}
        shown = ", ".join(f"{domain} {gain:+.3f}" for domain, gain in gains.items())
        yield "`eq1` above `names`, 27 % corrupt, tfidf", "each domain", shown, all(gain > 0 for gain in gains.values())
        agreed = run["run"]["agreement"].values()
        shown = f"{min(agreed):.3f} to {max(agreed):.3f}"
        yield "agreement of these memories", ".70 to .76", shown, all(0.7 <= value <= 0.76 for value in agreed)
    if (run := runs.get("opaque_minilm")) is not None:
        lows = {it["domain"]: it["low"] for it in _pairs(run, "tfidf", "memory", "none")}
        shown = ", ".join(f"{domain} {low:+.3f}" for domain, low in lows.items())
        yield (
            "`memory` above `none`, names hidden, tfidf: lower bound",
            "above 0",
            shown,
            all(x > 0 for x in lows.values()),
        )


def _mark(run: Run) -> str:
    """A sign for runs that were made before `default` became what it is: their protocols know no merged catalogue."""
    return "" if "merge" in run["run"]["protocol"] else " †"


def _bar(what: str, needed: str, found: str, holds: bool) -> str:  # noqa: FBT001
    return f"| {what} | {needed} | {found} | {'holds' if holds else '**does not hold**'} |"


def _section(title: str, run: Run) -> Iterator[str]:
    of = run["run"]
    yield from (f"### {title}{_mark(run)}", "", f"Encoder {of['encoder']}, seed {of['seed']}.", "")
    macro = [row for row in run["rows"] if row["domain"] == MACRO]
    yield "| data | retriever | rule | F1@5 | R@5 | R@10 | MRR | strict R@5 | help | harm | n |"
    yield "|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|"
    for row in macro:
        helped, harmed = ("" if row[key] is None else f"{row[key]:.2f}" for key in ("help", "harm"))
        yield (
            f"| {row['data']} | {row['retriever']} | {row['rule']} | {row['f1_at_5']:.4f} [{row['low']:.3f}, "
            f"{row['high']:.3f}] | {row['recall_at_5']:.3f} | {row['recall_at_10']:.3f} | {row['mrr']:.3f} "
            f"| {row['strict_recall_at_5']:.3f} | {helped} | {harmed} | {row['tasks']} |"
        )
    compared = [it for it in run["comparisons"] if it["domain"] == MACRO and "none" in (it["a"], it["b"])]
    if compared:
        yield ""
        yield "| data | retriever | compared | F1@5 | p | wins / ties / losses |"
        yield "|---|---|---|---|---:|---|"
        for it in compared:
            gain = f"{it['difference']:+.4f} [{it['low']:+.4f}, {it['high']:+.4f}]"
            counts = f"{it['wins']} / {it['ties']} / {it['losses']}"
            pair = f"{it['retriever']} | {it['a']} - {it['b']}"
            yield f"| {it['data']} | {pair} | {gain} | {it['p_holm']:.4f} | {counts} |"
    yield ""


def _by_domain(run: Run) -> Iterator[str]:
    arms = list(dict.fromkeys((row["retriever"], row["rule"]) for row in run["rows"]))
    domains = list(dict.fromkeys(row["domain"] for row in run["rows"] if row["domain"] != MACRO))
    found = {(row["domain"], row["retriever"], row["rule"]): row["f1_at_5"] for row in run["rows"]}
    yield "| retriever | rule | " + " | ".join(domains) + " |"
    yield "|---|---|" + "---:|" * len(domains)
    for retriever, rule in arms:
        figures = " | ".join(f"{found[domain, retriever, rule]:.3f}" for domain in domains)
        yield f"| {retriever} | {rule} | {figures} |"
    yield ""


def _nulls(runs: Runs) -> Iterator[str]:
    """Of each study, the differences that are not significant, and where memory did worse than none."""
    for name, run in runs.items():
        for it in run["comparisons"]:
            if it["domain"] != MACRO or it["b"] != "none" or it["a"] == "names" or name.startswith("strength"):
                continue
            place = f"`{it['retriever']}` `{it['a']}` against `none` on {it['data']} ({name})"
            if it["p_holm"] > ALPHA:
                yield f"- No difference shown: {place}, {it['difference']:+.4f} [{it['low']:+.4f}, {it['high']:+.4f}]."
            elif it["difference"] < 0:
                yield f"- Worse: {place}, {it['difference']:+.4f} [{it['low']:+.4f}, {it['high']:+.4f}]."
        for data in dict.fromkeys(row["data"] for row in run["rows"]):
            macro = [row for row in run["rows"] if (row["data"], row["domain"]) == (data, MACRO)]
            ours = next((row["f1_at_5"] for row in macro if row["rule"] == "default"), None)
            best = max(macro, key=lambda row: row["f1_at_5"])
            if ours is not None and best["f1_at_5"] > ours:
                arm = f"`{best['retriever']}` `{best['rule']}`"
                yield f"- `default` is not the best on {data} ({name}): {ours:.4f}, and {arm} {best['f1_at_5']:.4f}."


def _picture(name: str, said: str) -> Iterator[str]:
    yield from (f"![{said}](discovery/{name}.png)", "")


def _pairs(run: Run, retriever: str, a: str, b: str) -> list[Mapping[str, Any]]:
    """Rule a minus rule b, by domain, whichever way round the study compared them."""
    found = []
    for it in run["comparisons"]:
        if it["retriever"] == retriever and it["domain"] != MACRO and {it["a"], it["b"]} == {a, b}:
            turned = {"difference": -it["difference"], "low": -it["high"], "high": -it["low"]}
            found.append(it if it["a"] == a else {**it, **turned})
    return found


def _f1(run: Run, data: str, rule: str) -> float:
    wanted = (data, MACRO, rule)
    return float(next(row["f1_at_5"] for row in run["rows"] if (row["data"], row["domain"], row["rule"]) == wanted))


def _both(values: Any, before: str = "", *, digits: int = 3) -> str:
    return before + " / ".join(f"{value:.{digits}f}" for value in values)


def _names() -> str:
    return " / ".join(PUBLISHED)
