"""One raw row a scenario and arm: what `retain` kept of it, what that is worth, and why a chain was cut.

`retain` sees texts, costs, premises, the query and the budget; the truth comes in once it has answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from math import ceil
from types import MappingProxyType
from typing import Any

from services.retention.arms import Arm
from services.retention.diagnosis import chain_broken, classify, coverage, full_chain, structurally_indirect
from services.retention.relevance import EncoderName, TextEncoder, index_texts
from services.retention.retaining import Retention, retain
from services.retention.scenario_files import FileScenario
from services.retention.sessions import Session
from services.retention.traces import Eviction

DIGITS = 9


def scenario_rows(
    scenario: FileScenario,
    arms: Sequence[tuple[Arm, float | None]],
    *,
    encoder: EncoderName,
    neural: TextEncoder | None,
    multipliers: Sequence[float] = (),
    seed: int = 0,
    sweep: str | None = None,
    at: float | None = None,
) -> Iterator[dict[str, Any]]:
    """The rows of all arms over one scenario, by budget, then by arm."""
    index = index_texts(scenario.chunks.texts, encoder=encoder, neural=neural)
    session = Session(scenario.chunks, premises=scenario.premises, index=index)
    cosines = index.score(scenario.query)
    indirect = structurally_indirect(cosines, scenario.chain, scenario.premises)
    for multiplier, budget in budgets_of(scenario, multipliers):
        for arm, place in arms:
            drawn = with_stream(arm, seed=seed, scenario=scenario)
            found = retain(session, scenario.query, budget_tokens=budget, policy=drawn, cosines=cosines)
            whole = full_chain(found.kept, scenario.chain)
            if not whole:
                found = retain(
                    session, scenario.query, budget_tokens=budget, policy=drawn, cosines=cosines, trace_limit=None
                )
            row: dict[str, Any] = {
                "suite": scenario.suite,
                "scenario": scenario.id,
                "policy": arm.name,
                "encoder": encoder,
                "budget": budget,
                "multiplier": multiplier,
                "regime": scenario.regime,
                "depth": scenario.depth,
                "retained": [scenario.ids[chunk] for chunk in found.kept],
                "tokens": found.tokens,
                "full_chain": int(whole),
                "coverage": coverage(found.kept, scenario.chain),
                "chain_broken": int(chain_broken(found.kept, scenario.chain, scenario.premises)),
                "failure": classify(found.kept, scenario.chain, scenario.premises, cosines=cosines),
                "indirect": len(indirect),
                "trace": [] if whole else lost_links(scenario, found),
            }
            if sweep is not None:
                row |= {"sweep": sweep, "at": multiplier if sweep == "budget" else at if place is None else place}
            yield row


def budgets_of(scenario: FileScenario, multipliers: Sequence[float]) -> list[tuple[float | None, int]]:
    """Multiples of the chain's tokens as budgets; the scenario's own where none is asked for."""
    if not multipliers:
        return [(scenario.multiplier, scenario.budget_tokens)]
    chain = int(scenario.chunks.tokens[list(scenario.chain)].sum())
    return [(multiplier, ceil(multiplier * chain)) for multiplier in multipliers]


def with_stream(arm: Arm, *, seed: int, scenario: FileScenario) -> Arm:
    """`random` draws anew in each scenario, from the study's seed; a seed of its own is kept."""
    if arm.policy != "random" or "seed=" in arm.name:
        return arm
    digest = sha256(f"{seed}/{scenario.suite}/{scenario.id}".encode()).digest()
    drawn = {**arm.parameters, "seed": float(int.from_bytes(digest[:4], "big"))}
    return replace(arm, parameters=MappingProxyType(drawn))


def lost_links(scenario: FileScenario, found: Retention) -> list[dict[str, Any]]:
    """Of each chunk of the chain that had to go: what displaced it, by how much, and what kept that one alive."""
    chain = set(scenario.chain)
    return [eviction_json(eviction, scenario.ids) for eviction in found.trace if eviction.chunk in chain]


def eviction_json(eviction: Eviction, ids: Sequence[str]) -> dict[str, Any]:
    return {
        "chunk": ids[eviction.chunk],
        "score": round(eviction.score, DIGITS),
        "reason": eviction.reason,
        "competitor": None if eviction.competitor is None else ids[eviction.competitor],
        "gap": None if eviction.gap is None else round(eviction.gap, DIGITS),
        "path": [ids[chunk] for chunk in eviction.path],
    }
