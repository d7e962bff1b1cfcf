"""The report of a discovery study: every arm with its bounds, every comparison, losses and nulls too."""

from collections.abc import Iterator, Sequence

from services.studies.discovery.summary import COMPARED as MEASURES
from services.studies.discovery.summary import MACRO, OVERALL
from services.studies.reporting import COMPARED, comparison, heading, table
from services.studies.running import Row

ARMS = (
    "retriever", "rule", ">F1@5", "95 %", ">R@5", ">R@10", ">MRR", ">strict R@5", ">gold first", ">help", ">harm", ">n",
)  # fmt: skip
SHORT = {"f1_at_5": "F1@5", "recall_at_10": "R@10", "mrr": "MRR"}


def discovery_report(summary: Row, manifest: Row) -> Iterator[str]:
    """Yield the report's lines in Markdown."""
    yield from heading("Discovery study", exploratory=manifest["exploratory"])
    protocol = manifest["protocol"]
    yield f"Encoder {manifest['encoder']}, protocol {protocol['protocol']}, memories {protocol['memories']}, "
    yield f"corrupt {protocol['corrupt']}, trust {protocol['trust']}, seed {protocol['seed']}."
    shares = ", ".join(f"{name} {value:.3f}" for name, value in manifest["agreement"].items())
    yield f"Agreement (mean F1) of memories with what their tasks needed: {shares}."
    yield "Bounds are 95 % over resampled tasks; p is two-sided, in brackets as Holm corrects it for all pairs."
    for data in dict.fromkeys(row["data"] for row in summary["rows"]):
        rows = [row for row in summary["rows"] if row["data"] == data]
        yield from ("", f"## {data}", "", "### Mean over domains", "")
        yield from table(ARMS, (_arm(row) for row in rows if row["domain"] in OVERALL))
        compared = [it for it in summary["comparisons"] if it["data"] == data and it["domain"] in OVERALL]
        for measure in MEASURES if compared else ():
            yield from ("", f"### Compared ({SHORT[measure]})", "")
            own = [it for it in compared if it["measure"] == measure]
            cells = ((it["retriever"], it["a"], it["b"], *comparison(it, digits=4)) for it in own)
            yield from table(("retriever", "a", "b", *COMPARED), cells)
        yield from ("", "### By domain (F1@5)", "")
        yield from _by_domain(rows)


def _arm(row: Row) -> tuple[object, ...]:
    help_and_harm = ("" if row[key] is None else f"{row[key]:.3f}" for key in ("help", "harm"))
    return (
        row["retriever"],
        row["rule"],
        f"{row['f1_at_5']:.4f}",
        f"{row['low']:.3f} to {row['high']:.3f}",
        *(f"{row[key]:.3f}" for key in ("recall_at_5", "recall_at_10", "mrr", "strict_recall_at_5", "gold_first")),
        *help_and_harm,
        row["tasks"],
    )


def _by_domain(rows: Sequence[Row]) -> Iterator[str]:
    by_domain: dict[str, list[Row]] = {}
    for row in rows:
        by_domain.setdefault(row["domain"], []).append(row)
    overall = by_domain.pop(MACRO) if MACRO in by_domain else rows
    arms = [f">{row['retriever']} {row['rule']}" for row in overall]
    cells = ((domain, own[0]["tasks"], *(f"{row['f1_at_5']:.3f}" for row in own)) for domain, own in by_domain.items())
    yield from table(("domain", ">n", *arms), cells)
