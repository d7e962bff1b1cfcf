"""The report of a discovery study, in Markdown: every arm with its bounds, every comparison, losses and nulls too.

It computes nothing: all figures are those of the summary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from services.studies.discovery.summary import MACRO

ALPHA = 0.05


def report_lines(summary: Mapping[str, Any], manifest: Mapping[str, Any]) -> Iterator[str]:
    yield "# Discovery study"
    yield ""
    if manifest["exploratory"]:
        yield "**Exploratory: not run by a protocol that was fixed before.**"
        yield ""
    protocol = manifest["protocol"]
    yield f"Encoder {manifest['encoder']}, protocol {protocol['protocol']}, memories {protocol['memories']}, "
    yield f"corrupt {protocol['corrupt']}, trust {protocol['trust']}, seed {protocol['seed']}."
    told = ", ".join(f"{name} {value:.3f}" for name, value in manifest["agreement"].items())
    yield f"Agreement (mean F1) of memories with what their tasks needed: {told}."
    yield "Bounds are 95 % over resampled tasks; p is two-sided, in brackets as Holm corrects it for all pairs."
    for data in dict.fromkeys(row["data"] for row in summary["rows"]):
        rows = [row for row in summary["rows"] if row["data"] == data]
        yield from ("", f"## {data}", "", "### Mean over domains", "")
        yield from _table([row for row in rows if row["domain"] == MACRO])
        compared = [it for it in summary["comparisons"] if it["data"] == data and it["domain"] == MACRO]
        if compared:
            yield from ("", "### Compared (F1@5)", "")
            yield "| retriever | a | b | a - b | 95 % | p (Holm) | wins / ties / losses | |"
            yield "|---|---|---|---:|---|---|---|---|"
            yield from map(_comparison, compared)
        yield from ("", "### By domain (F1@5)", "")
        yield from _by_domain(rows)


def _table(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    yield "| retriever | rule | F1@5 | 95 % | R@5 | R@10 | MRR | strict R@5 | help | harm | n |"
    yield "|---|---|---:|---|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        helped = "" if row["help"] is None else f"{row['help']:.3f}"
        harmed = "" if row["harm"] is None else f"{row['harm']:.3f}"
        yield (
            f"| {row['retriever']} | {row['rule']} | {row['f1_at_5']:.4f} | {row['low']:.3f} to {row['high']:.3f} "
            f"| {row['recall_at_5']:.3f} | {row['recall_at_10']:.3f} | {row['mrr']:.3f} "
            f"| {row['strict_recall_at_5']:.3f} | {helped} | {harmed} | {row['tasks']} |"
        )


def _comparison(it: Mapping[str, Any]) -> str:
    told = "no difference shown" if it["p_holm"] > ALPHA else "better" if it["difference"] > 0 else "worse"
    return (
        f"| {it['retriever']} | {it['a']} | {it['b']} | {it['difference']:+.4f} "
        f"| {it['low']:+.4f} to {it['high']:+.4f} | {it['p']:.4f} ({it['p_holm']:.4f}) "
        f"| {it['wins']} / {it['ties']} / {it['losses']} | {told} |"
    )


def _by_domain(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    arms = list(dict.fromkeys((row["retriever"], row["rule"]) for row in rows))
    yield "| domain | n | " + " | ".join(f"{retriever} {rule}" for retriever, rule in arms) + " |"
    yield "|---|---:|" + "---:|" * len(arms)
    for domain in dict.fromkeys(row["domain"] for row in rows if row["domain"] != MACRO):
        of = {(row["retriever"], row["rule"]): row for row in rows if row["domain"] == domain}
        figures = " | ".join(f"{of[arm]['f1_at_5']:.3f}" for arm in arms)
        yield f"| {domain} | {of[arms[0]]['tasks']} | {figures} |"
