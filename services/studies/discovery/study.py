"""Runs a discovery study: reads the domains, holds their embeddings, replays every arm, and writes what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from graph.errors import InvalidInput
from services.discovery.arms import parse_arm
from services.encoders import Encoder
from services.identity import normal_intent
from services.studies.discovery.circumstances import Circumstances
from services.studies.discovery.curves import families, learning
from services.studies.discovery.plots import can_plot, plot_discovery
from services.studies.discovery.protocols import DiscoveryProtocol, Order
from services.studies.discovery.replaying import StudyArm, agreement_of, prequential, rotation
from services.studies.discovery.report import report_lines
from services.studies.discovery.summary import summarise
from services.studies.discovery.tasks import StudyDomain, read_domains
from services.studies.embeddings import HeldVectors, hold
from services.studies.writing import check_unchanged, digest_of, versions, write_json, write_rows
from services.words import full_text

Progress = Callable[[int, int | None], None]


def study_discovery(
    protocol: DiscoveryProtocol,
    out: Path,
    *,
    encoder: Encoder | None,
    clock: Callable[[], datetime],
    protocol_file: str | None = None,
    exploratory: bool = False,
    jobs: int = 1,
    cache: Path | None = None,
    progress: Progress = lambda _done, _total: None,
) -> dict[str, Any]:
    """Writes manifest, rows, summary, report and plots into `out`; the summary, and in `left_out` what could not be."""
    check_unchanged(out, protocol_file=protocol_file, exploratory=exploratory)
    began = clock()
    domains = read_domains([Path(folder) for folder in protocol.data], names=protocol.domain)
    if not domains:
        raise InvalidInput("a study", found="no domain of the data has tasks", hint="Give data with `tasks`")
    arms, left_out = protocol.arms()
    if protocol.protocol == "rotation" and (
        without := [it.name for it in domains if not all(t.family for t in it.tasks)]
    ):
        raise InvalidInput(
            "the protocol `rotation`", found=f"tasks of {without[0]} have no `family`", hint="Use `prequential`"
        )
    neural = encoder is not None and any(parse_arm(arm.retriever, arm.rule).wants_vector for arm in arms)
    work: list[tuple[StudyDomain, StudyArm, HeldVectors | None]] = []
    for domain in domains:
        held = hold(encoder, _texts(domain), folder=cache) if encoder is not None and neural else None
        work += [(domain, arm, held) for arm in arms]
    rows: list[dict[str, Any]] = []
    for found in _replayed(work, given=protocol.given, order=protocol.protocol, jobs=jobs):
        rows += found
        progress(len(rows), None)
    stated = {
        "encoder": encoder.name if encoder is not None and neural else "none",
        "memories": protocol.memories,
        "corrupt": protocol.corrupt,
        "protocol": protocol.protocol,
    }
    rows = [row | stated | {"seed": protocol.seed} for row in rows]
    summary = summarise(rows, stated=stated, seed=protocol.seed)
    summary |= {"learning": learning(rows, seed=protocol.seed), "families": families(rows)}
    manifest = {
        "study": "discovery",
        "protocol": asdict(protocol) | {"data": [Path(folder).name for folder in protocol.data]},
        "protocol_file": protocol_file,
        "exploratory": exploratory,
        "encoder": stated["encoder"],
        "left_out": list(left_out),
        "domains": {f"{it.data}/{it.name}": {"file": it.digest, "catalogue": it.catalogue_digest} for it in domains},
        "agreement": {
            f"{it.data}/{it.name}": agreement_of(it, given=protocol.given, turns=protocol.protocol == "rotation")
            for it in domains
        },
        "digests": {"protocol": digest_of(asdict(protocol)), "rows": digest_of(rows)},
        "versions": versions(),
        "seed": protocol.seed,
        "began": began.isoformat(),
        "ended": clock().isoformat(),
    }
    out.mkdir(parents=True, exist_ok=True)
    write_rows(out / "rows.jsonl", rows)
    write_json(out / "summary.json", summary)
    write_json(out / "manifest.json", manifest)
    (out / "report.md").write_text("\n".join(report_lines(summary, manifest)) + "\n", encoding="utf-8")
    if can_plot():
        plot_discovery(summary, manifest, out)
    else:
        left_out = (*left_out, "plots: matplotlib is not installed; the extra `studies` brings it")
    return summary | {"left_out": list(left_out)}


def _replayed(
    work: Sequence[tuple[StudyDomain, StudyArm, HeldVectors | None]], *, given: Circumstances, order: Order, jobs: int
) -> Any:
    """The rows of each piece of work, in order, as they are done."""
    if jobs == 1:
        return (_replay_one(*piece, given=given, order=order) for piece in work)
    try:
        from joblib import Parallel, delayed
    except ImportError as error:
        raise InvalidInput(
            f"--jobs {jobs}", found="joblib is not installed", hint="Install the extra `studies`, or use --jobs 1"
        ) from error
    run = Parallel(n_jobs=jobs, return_as="generator")
    return run(delayed(_replay_one)(*piece, given=given, order=order) for piece in work)


def _replay_one(
    domain: StudyDomain, arm: StudyArm, encoder: Encoder | None, *, given: Circumstances, order: Order
) -> list[dict[str, Any]]:
    replay = prequential if order == "prequential" else rotation
    return list(replay(domain, arm, encoder, given=given))


def _texts(domain: StudyDomain) -> list[str]:
    names = {item.id: item.name for item in domain.catalogue.objects}
    catalogue = [full_text(item, names.get(item.table or "")) for item in domain.catalogue.objects]
    return [*catalogue, *(normal_intent(task.intent) for task in domain.tasks), "expectations"]
