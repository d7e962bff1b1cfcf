"""Scenario files of retention studies, read into the arrays that policies see, with the truth beside them.

The form is that of the README of the published scenarios; how they are used is decided by studies and tests.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from graph.errors import InvalidInput
from services.retention.session_arrays import ChunkArrays, PremiseArrays, make_chunks, make_premises

# Names in `expected` that differ from ours.
METHODS: Mapping[str, str] = MappingProxyType(
    {"retrieval_only": "similar", "dsgc_no_graph": "no_graph", "sliding_window": "recent"}
)
EXPECTED_ENCODERS: Mapping[str, str] = MappingProxyType({"frozen": "hashing-ascii", "sentence": "neural"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileScenario:
    """`ids` by place; `chain` in places. These, the regime and the depth are for measuring, never for a policy."""

    suite: str
    id: str
    regime: str
    query: str
    ids: tuple[str, ...]
    chunks: ChunkArrays
    premises: PremiseArrays
    chain: tuple[int, ...]
    budget_tokens: int
    multiplier: float | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Suite:
    """Scenarios under one name, and where they stand on a sweep (`at`, None: there is none).

    `expected[encoder][policy][scenario id]` is the list of ids retained, in order, under our names. `digest` is the
    SHA-256 of the file, None for generated scenarios.
    """

    name: str
    scenarios: tuple[FileScenario, ...]
    expected: Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]] = field(default_factory=dict)
    digest: str | None = None
    at: float | None = None


def read_scenarios(path: Path) -> Suite:
    """Read one file; the suite's name is its stem. Raises `InvalidInput` for a file of another form."""
    content = path.read_bytes()
    try:
        data = json.loads(content)
        scenarios = tuple(read_item(path.stem, item) for item in data["scenarios"])
    except (ValueError, KeyError, TypeError) as problem:
        raise InvalidInput(
            f"scenario file {path.name}", found=f"{type(problem).__name__} {problem}", hint="See `study retention`"
        ) from problem
    expected = {
        EXPECTED_ENCODERS[encoder]: {
            METHODS.get(method, method): {name: tuple(row["retained"]) for name, row in by["scenarios"].items()}
            for method, by in methods.items()
        }
        for encoder, methods in data.get("expected", {}).items()
        if encoder in EXPECTED_ENCODERS
    }
    digest = sha256(content).hexdigest()
    return Suite(name=path.stem, scenarios=scenarios, expected=expected, digest=digest)


def read_item(suite: str, item: Mapping[str, Any]) -> FileScenario:
    """Read one scenario; chunks are put in order of their positions."""
    ordered = sorted(item["chunks"], key=lambda chunk: chunk["position"])
    ids = tuple(chunk["id"] for chunk in ordered)
    place = {name: number for number, name in enumerate(ids)}
    return FileScenario(
        suite=suite,
        id=item["id"],
        regime=item.get("regime", "target"),
        query=item["query"],
        ids=ids,
        chunks=make_chunks(
            [chunk["text"] for chunk in ordered],
            tokens=[chunk["tokens"] for chunk in ordered],
            pinned=[bool(chunk.get("pinned", False)) for chunk in ordered],
        ),
        premises=make_premises(len(ids), [(place[i], place[j]) for i, j in item["premises"]]),
        chain=tuple(place[name] for name in item["chain"]),
        budget_tokens=item["budget"],
        multiplier=item.get("budget_multiplier"),
        depth=item.get("chain_depth"),
    )
