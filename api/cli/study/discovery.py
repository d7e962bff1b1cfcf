"""`retinue study`: measure discovery over tasks, with every arm, raw rows, intervals and a report."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from api.cli.printing import emit, table
from api.cli.study.options import Exploratory, Jobs, ProtocolFile, Seed, encoding, run_study
from api.wiring import open_memory_store


def study_discovery(
    context: typer.Context,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for manifest, rows, summary, report, plots.")],
    data: Annotated[
        list[Path] | None, typer.Option(metavar="FOLDER", help="Folders of domains; the bundled ones without it.")
    ] = None,
    domain: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only these domains.")] = None,
    retriever: Annotated[
        list[str] | None, typer.Option(metavar="R", help="blend (without it), tfidf, bm25, neural.")
    ] = None,
    rule: Annotated[
        list[str] | None, typer.Option(metavar="R", help="names, none, memory, eq1, naive, rocchio, vote@power=6, ...")
    ] = None,
    memories: Annotated[
        Literal["all", "wrong"] | None, typer.Option(help="wrong: only those that share no attribute with the task.")
    ] = None,
    corrupt: Annotated[
        float | None, typer.Option(metavar="SHARE", help="The share of memories whose objects are exchanged.")
    ] = None,
    trust: Annotated[
        Literal["fresh", "earned", "held"] | None,
        typer.Option(help="With wrong memories. earned: first by true ones; held: only by true ones."),
    ] = None,
    seed: Seed = None,
    protocol: Annotated[
        Literal["prequential", "rotation", "repeats"] | None,
        typer.Option(help="Tasks in order; one a family as memory, in turn; confirmed questions asked again."),
    ] = None,
    memory_retriever: Annotated[
        str | None, typer.Option(metavar="R", help="Compare intents by another retriever.")
    ] = None,
    merge: Annotated[bool, typer.Option("--merge", help="All domains as one catalogue, tasks shuffled.")] = False,
    opaque: Annotated[
        float | None, typer.Option(metavar="SHARE", help="The share of names that become codes, undescribed.")
    ] = None,
    protocol_file: ProtocolFile = None,
    exploratory: Exploratory = False,
    jobs: Jobs = 1,
) -> None:
    """Ask every task with every arm and score the answers."""
    from services.studies.discovery.protocol import make_discovery_protocol
    from services.studies.discovery.study import DiscoveryStudy
    from services.studies.discovery.summary import OVERALL

    given = {
        "data": [str(folder) for folder in data or ()],
        "domain": domain,
        "retriever": retriever,
        "rule": rule,
        "memories": memories,
        "corrupt": corrupt,
        "trust": trust,
        "seed": seed,
        "protocol": protocol,
        "memory_retriever": memory_retriever,
        "merge": merge or None,
        "opaque": opaque,
    }
    made, digest = make_discovery_protocol(given, file=protocol_file)
    study = DiscoveryStudy(made, open_store=open_memory_store, **encoding(context))
    summary = run_study(study, out, protocol_file=digest, exploratory=exploratory, jobs=jobs)
    rows = [row for row in summary["rows"] if row["domain"] in OVERALL]
    header = ("data", "retriever", "rule", "F1@5", "low", "high", "R@5", "R@10", "MRR", "strict", "first", "tasks")
    keys = ("data", "retriever", "rule", "f1_at_5", "low", "high")
    more = ("recall_at_5", "recall_at_10", "mrr", "strict_recall_at_5", "gold_first", "tasks")
    cells = [[row[key] for key in (*keys, *more)] for row in rows]
    emit(context, summary, lambda: table(header, cells, right=range(3, 12)))
