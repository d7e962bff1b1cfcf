"""The shared domains learnt into one store, moved into another, and asked there: bytes and answers must be the same.

`tests/contract/transfer/test_round_trip.py` does it for a few domains. For all of them, with rows/s each way and the
servers in RETINUE_TEST_NEO4J: `PYTHONPATH=tests python tests/kit/replays/round_trip.py ../shared`. The embeddings are
those of the retention studies' hashing encoder: real vectors of real texts, made in no time.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, islice, zip_longest
from pathlib import Path

import numpy as np

from graph.embeddings import FloatArray
from graph.store import Store
from services.catalogue import CatalogueService, read_catalogue
from services.catalogue_index import CatalogueIndexes
from services.discovery.answers import Answer
from services.discovery.service import DiscoveryService
from services.encoders import Encoder
from services.learning import LearningService
from services.learning.lines import read_json
from services.memories import MemoryService
from services.retention import relevance
from services.transfer import export_graph, import_graph
from services.workspaces import WorkspaceService

CLOSE = 1e-5  # a cosine that lies between two sixth decimals may be rounded either way; what is made of it follows

Asked = list[tuple[str, str]]
"""Workspace and intent."""


class Hashing:
    """Feature hashing as an encoder; a text without a token is what the empty text is."""

    name = "hashing"

    def encode(self, texts: Sequence[str]) -> FloatArray:
        matrix = relevance.Hashing(ascii_only=False).encode([text or " " for text in texts]).astype(np.float32)
        matrix[~matrix.any(axis=1), 0] = 1.0
        return matrix


def now() -> datetime:
    return datetime.now(UTC)


def learn_domain(
    store: Store, encoder: Encoder | None, workspace: str, catalogue: Path, *, lines: Iterable[str]
) -> None:
    """The domain's catalogue, and what its statements used."""
    WorkspaceService(store, now).create(workspace)
    read = read_catalogue(catalogue.read_text(encoding="utf-8"), format="json", source=catalogue.stem)
    CatalogueService(store, encoder).import_catalogue(workspace, read)
    learning = LearningService(MemoryService(store, encoder, now), CatalogueIndexes(store))
    learning.learn_log(workspace, read_json(lines), on_commit=lambda _: None)


def statements(shared: Path, domain: str) -> list[str]:
    """The lines of this domain's statements, shortened to none where there are none."""
    found = []
    for file in sorted((shared / "data" / "sql").glob("*.jsonl")):
        with file.open(encoding="utf-8") as lines:
            found += [line for line in lines if json.loads(line)["domain"] == domain]
    return found


def answers(store: Store, encoder: Encoder | None, asked: Asked) -> list[Answer]:
    """The answers but for the record's id, expectations made first."""
    service = DiscoveryService(store, CatalogueIndexes(store), encoder, clock=now)
    for workspace in dict.fromkeys(name for name, _ in asked):
        service.reindex(workspace)
    return [replace(service.discover(name, intent), discovery="") for name, intent in asked]


def agree(one: Answer, other: Answer) -> bool:
    """The same places have the same scores, and what both name has the same score, to CLOSE: where scores meet, order
    and the last place may differ, and what scores next to nothing may be no hit."""
    if one.degraded != other.degraded:
        return False
    scores = {hit.id: hit.score for hit in other.results}
    pairs = zip_longest((hit.score for hit in one.results), scores.values(), fillvalue=0.0)
    named = ((hit.score, scores[hit.id]) for hit in one.results if hit.id in scores)
    return all(abs(a - b) <= CLOSE for a, b in chain(pairs, named))


def spread(asked: Asked, *, count: int) -> Asked:
    """So many, from all over."""
    step = max(len(asked) // count, 1)
    return list(islice(asked[::step], count))


def move(source: Store, target: Store, names: Sequence[str], *, beside: Path) -> tuple[bytes, float, float, int]:
    """The names' export, after it was imported into `target`: with the seconds out, the seconds in, and the rows."""
    begun = time.perf_counter()
    with beside.open("wb") as out:
        rows = export_graph(source, out.write, only=names).rows
    written = time.perf_counter()
    with beside.open("rb") as data:
        report = import_graph(target, data)
    done = time.perf_counter()
    assert (report.rejections, report.truncated) == (0, False), report.rejected[:3]
    assert report.rows == rows
    return beside.read_bytes(), written - begun, done - written, rows


def main(shared: Path) -> None:
    from graph.embedded import open_store
    from graph.neo4j.store import open_store as open_neo4j

    encoder = Hashing()
    with tempfile.TemporaryDirectory() as folder:
        first = open_store(f"sqlite:///{folder}/first.db")
        asked: Asked = []
        for file in sorted((shared / "data" / "discovery").glob("*/*.json")):
            workspace = f"rt-{file.stem.lower()}"
            lines = statements(shared, file.stem)
            learn_domain(first, encoder, workspace, file, lines=lines)
            asked += [(workspace, json.loads(line)["intent"]) for line in lines]
        names = [each.name for each in first.list_workspaces()]
        asked = spread(asked, count=200)
        wanted = answers(first, encoder, asked)
        for spec in filter(None, os.environ.get("RETINUE_TEST_NEO4J", "").split(";")):
            url, user, password, *_ = spec.split()
            there = open_neo4j(url, user=user, password=password)
            try:
                _round(first, there, names, folder=Path(folder), encoder=encoder, asked=asked, wanted=wanted)
            finally:
                for name in names:
                    there.delete_workspace(name)
                there.close()
        first.close()


def _round(
    first: Store,
    there: Store,
    names: Sequence[str],
    *,
    folder: Path,
    encoder: Encoder | None,
    asked: Asked,
    wanted: list[Answer],
) -> None:
    from graph.embedded import open_store

    file = folder / "out.jsonl"
    data, out, into, rows = move(first, there, names, beside=file)
    again = open_store("memory://")
    back, out_there, into_here, _ = move(there, again, names, beside=file)
    pairs = list(zip(answers(there, encoder, asked), wanted, strict=True))
    same, close = sum(one == other for one, other in pairs), sum(agree(one, other) for one, other in pairs)
    server = there.health().server
    print(f"{server}: {rows:,} rows, {len(data):,} bytes of {len(names)} workspaces")  # noqa: T201
    print(  # noqa: T201
        f"  rows/s: out of sqlite {rows / out:,.0f}, into the server {rows / into:,.0f}, "
        f"out of the server {rows / out_there:,.0f}, into memory {rows / into_here:,.0f}"
    )
    print(f"  equal bytes: {data == back}; of {len(asked)} answers {close} agree, {same} exactly")  # noqa: T201
    again.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
