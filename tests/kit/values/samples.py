"""Small domain values for tests: tables, columns, memories, vectors whose cosines are short decimals.

Nothing here computes what a store should answer; that is `expected.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from graph.catalogue import DataObject
from graph.embeddings import Embeddings, FloatArray
from graph.evidence import Scores
from graph.memories import Memory

AT = datetime(2026, 2, 3, 4, 5, 6, 789012, tzinfo=UTC)
MODEL = "model-a"

# Every cosine between two of these is a multiple of 0.0001, far from where a sixth decimal could round either way.
VECTORS: dict[str, tuple[float, float, float]] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "xy": (0.8, 0.6, 0.0),
    "yx": (0.6, 0.8, 0.0),
    "xz": (0.96, 0.0, 0.28),
    "yz": (0.0, 0.6, -0.8),
    "-x": (-1.0, 0.0, 0.0),
}

ODD_IDS = (
    "it's",
    'say "so"',
    "back`tick",
    "a/b/c",
    "..",
    "a.b.c",
    "a\\b",
    "100%25",
    "a|b;c--d",
    "$id {x} [y] (z)",
    "/* // */",
    " blank around ",
    "CASE",
    "case",
    "caf\u00e9",
    "cafe\u0301",  # the same to a reader, another id to a machine
    "客户账户表",
    "ﾃｰﾌﾞﾙ～",  # above the surrogates in UTF-16, below the next ones in code points
    "🜚",
    "😀 emoji",
    "عقد",
)


def table(name: str, description: str = "", *, source: str = "test") -> DataObject:
    return DataObject(
        id=name, kind="table", name=name, description=description, source=source, folded=f"{name} {description}"
    )


def column(of: str, name: str, description: str = "", *, data_type: str = "text", source: str = "test") -> DataObject:
    return DataObject(
        id=f"{of}.{name}",
        kind="attribute",
        name=name,
        description=description,
        table=of,
        data_type=data_type,
        source=source,
        folded=f"{of} {name} {description}",
    )


def intent_id(intent: str) -> str:
    return "i_" + hashlib.sha256(intent.encode()).hexdigest()[:24]


def memory(intent: str, objects: Sequence[str], **changes: Any) -> Memory:
    """A confirmed memory with one success, but for `changes`; its id follows from intent and objects."""
    key = repr((intent, sorted(objects))).encode()
    made = Memory(
        id="m_" + hashlib.sha256(key).hexdigest()[:24],
        intent_id=intent_id(intent),
        intent=intent,
        objects=tuple(sorted(objects)),
        state="confirmed",
        created_at=AT,
        last_used_at=AT,
        successes=1,
    )
    return replace(made, **changes)


def unit(name: str) -> FloatArray:
    """One of VECTORS by name."""
    return np.asarray(VECTORS[name], dtype=np.float32)


def embeddings(vectors: Mapping[str, str], *, model: str = MODEL) -> Embeddings:
    """Embeddings by id, each one of VECTORS by name."""
    return Embeddings(model=model, ids=tuple(vectors), matrix=np.stack([unit(name) for name in vectors.values()]))


def scores(by_id: Mapping[str, float]) -> Scores:
    """Scores in the order that ports ask for: best first, ties by id."""
    ordered = sorted(by_id.items(), key=lambda item: (-item[1], item[0]))
    return Scores(ids=tuple(i for i, _ in ordered), values=tuple(v for _, v in ordered))


# A warehouse of two tables that refer to one another, for tests that need any catalogue at all.
ACCOUNT = (table("account", "bank accounts"), column("account", "id", "key"), column("account", "A2", "district"))
LOAN = (table("loan", "loans granted"), column("loan", "account_id", "whose"), column("loan", "amount", "in crowns"))
BANK = (*ACCOUNT, *LOAN)
BANK_REFERENCES = (("loan.account_id", "account.id"),)
