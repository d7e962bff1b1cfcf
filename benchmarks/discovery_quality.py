"""F1@5 of discovery on the shared tasks: each in order, scored with the memories of earlier ones, then remembered.

Run as `python -m benchmarks.discovery_quality --encoder none|auto`; it asks the real service on memory:// stores.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from graph.embedded import open_store
from graph.values import DataObject, Embeddings, FloatArray
from services.discovery.service import DiscoveryService
from services.encoders import Encoder, load_encoder
from services.memories.service import MemoryService
from services.memories.states import Verdict
from services.registry import Registries
from services.words import fold, full_text

SHARED = Path(__file__).parents[2] / "shared" / "data" / "discovery"
ARMS = [("blend", "none"), ("blend", "eq1"), ("blend", "correct"), ("tfidf", "none"), ("tfidf", "eq1")]
NEURAL_ARMS = [("neural", "none"), ("neural", "eq1")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """One database: its catalogue, its tasks in order as (intent, gold ids)."""

    name: str
    objects: tuple[DataObject, ...]
    references: tuple[tuple[str, str], ...]
    tasks: tuple[tuple[str, tuple[str, ...]], ...]


class HeldEncoder:
    """An encoder that encodes each text once: intents come back as questions, memories and expectations."""

    def __init__(self, encoder: Encoder) -> None:
        self.name = encoder.name
        self._encoder = encoder
        self._held: dict[str, FloatArray] = {}

    def encode(self, texts: Sequence[str]) -> FloatArray:
        new = [text for text in dict.fromkeys(texts) if text not in self._held]
        if new:
            self._held |= dict(zip(new, self._encoder.encode(new), strict=True))
        return np.stack([self._held[text] for text in texts])


def read_domains(folder: Path, *, names: Sequence[str] = ()) -> Iterator[Domain]:
    """The databases of a folder (all, or these), by name."""
    for file in sorted(folder.glob("*.json")):
        if names and file.stem not in names:
            continue
        data = json.loads(file.read_text(encoding="utf-8"))
        objects = [
            DataObject(
                id=item["id"],
                kind=item["kind"],
                name=item["name"],
                description=item.get("description", ""),
                table=item.get("table"),
                data_type=item.get("data_type"),
                folded=fold(f"{item['name']} {item.get('description', '')}"),
            )
            for item in data["objects"]
        ]
        yield Domain(
            name=file.stem,
            objects=tuple(objects),
            references=tuple((one, two) for one, two in data["references"]),
            tasks=tuple((task["intent"], tuple(task["objects"])) for task in data["tasks"]),
        )


def f1_at_5(found: Sequence[str], gold: Sequence[str]) -> float:
    return 2 * len(set(found[:5]) & set(gold)) / (5 + len(gold))


def replay(domain: Domain, encoder: Encoder | None, arms: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Mean F1@5 of each arm over the domain's tasks."""
    store = open_store("memory://")
    store.create_workspace("default", incarnation="benchmark", at=_now())
    names = {item.id: item.name for item in domain.objects}
    texts = [full_text(item, names.get(item.table or "")) for item in domain.objects]
    embeddings = None
    if encoder is not None:
        ids = tuple(item.id for item in domain.objects)
        embeddings = Embeddings(model=encoder.name, ids=ids, matrix=encoder.encode(texts))
        encoder.encode([intent for intent, _ in domain.tasks])  # held from here on: in batches it is ten times as fast
    store.save_objects("default", domain.objects, references=domain.references, embeddings=embeddings)
    discovery = DiscoveryService(store, Registries(store), encoder, clock=_now)
    memories = MemoryService(store, encoder, _now)
    totals = dict.fromkeys(arms, 0.0)
    for intent, gold in domain.tasks:
        for retriever, rule in arms:
            answer = discovery.discover("default", intent, limit=5, retriever=retriever, rule=rule)
            totals[retriever, rule] += f1_at_5([hit.id for hit in answer.results], gold)
        memories.remember("default", intent, gold, evidence=Verdict(kind="annotated"))
    store.close()
    return {arm: total / len(domain.tasks) for arm, total in totals.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", default="auto")
    parser.add_argument("--rule", action="append", help="RETRIEVER/RULE, several times; all arms without")
    arguments = parser.parse_args()
    encoder, missing = load_encoder(arguments.encoder)
    print(f"encoder: {encoder.name if encoder else missing}")
    arms = [tuple(arm.split("/")) for arm in arguments.rule or ()] or ARMS + (NEURAL_ARMS if encoder else [])
    held = HeldEncoder(encoder) if encoder else None
    for half in ("bird", "spider"):
        began, rows = time.perf_counter(), []
        for domain in read_domains(SHARED / half):
            rows.append(replay(domain, held, arms))
            print(f"  {half}/{domain.name} {time.perf_counter() - began:.1f} s", file=sys.stderr, flush=True)
        for arm in arms:
            print(f"{half:7} {'/'.join(arm):16} {np.mean([row[arm] for row in rows]):.3f}")


def _now() -> datetime:
    return datetime.now(UTC)


if __name__ == "__main__":
    main()
