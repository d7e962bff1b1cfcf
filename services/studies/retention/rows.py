"""One raw row a scenario and arm: which chunks `retain` kept, what that is worth, and why a chain was cut.

`retain` sees texts, costs, premises, the query and the budget; the truth comes in once it has answered.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from math import ceil
from types import MappingProxyType
from typing import Any

from services.retention.arms import RetentionArm
from services.retention.relevance import EncoderName, TextEncoder
from services.studies.retention.asking import Answering, from_core, trace_row
from services.studies.retention.diagnosis import chain_broken, classify, coverage, full_chain, structurally_indirect
from services.studies.retention.protocol import StudyArms
from services.studies.retention.scenario_files import FileScenario


def scenario_rows(
    scenario: FileScenario,
    arms: StudyArms,
    *,
    encoder: EncoderName,
    neural: TextEncoder | None,
    multipliers: Sequence[float] = (),
    seed: int = 0,
    sweep: str | None = None,
    at: float | None = None,
    answering: Answering | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of all arms over one scenario, by budget, then by arm; `answering` None asks the core alone."""
    ask, cosines = from_core(scenario, encoder, neural=neural)
    if answering is not None:
        ask = answering(scenario, encoder)
    place_of = {name: place for place, name in enumerate(scenario.ids)}
    chain = {scenario.ids[chunk] for chunk in scenario.chain}
    indirect = structurally_indirect(cosines, scenario.chain, scenario.premises)
    for multiplier, budget in budgets_of(scenario, multipliers):
        for arm, place in arms:
            drawn = with_stream(arm, seed=seed, scenario=scenario)
            found = ask(drawn, budget, explain=False)
            kept = {place_of[name] for name in found.kept}
            whole = full_chain(kept, scenario.chain)
            trace = () if whole else ask(drawn, budget, explain=True).trace
            row: dict[str, Any] = {
                "suite": scenario.suite,
                "scenario": scenario.id,
                "policy": arm.name,
                "encoder": encoder,
                "budget": budget,
                "multiplier": multiplier,
                "regime": scenario.regime,
                "depth": scenario.depth,
                "retained": list(found.kept),
                "tokens": found.tokens,
                "full_chain": int(whole),
                "coverage": coverage(kept, scenario.chain),
                "chain_broken": int(chain_broken(kept, scenario.chain, scenario.premises)),
                "failure": classify(kept, scenario.chain, scenario.premises, cosines=cosines),
                "indirect": len(indirect),
                "trace": [trace_row(eviction) for eviction in trace if eviction.chunk in chain],
            }
            if sweep is not None:
                row |= {"sweep": sweep, "at": multiplier if sweep == "budget" else at if place is None else place}
            yield row


def budgets_of(scenario: FileScenario, multipliers: Sequence[float]) -> list[tuple[float | None, int]]:
    """Return (multiplier, tokens): multiples of the chain's tokens, or the scenario's own budget."""
    if not multipliers:
        return [(scenario.multiplier, scenario.budget_tokens)]
    chain = int(scenario.chunks.tokens[list(scenario.chain)].sum())
    return [(multiplier, ceil(multiplier * chain)) for multiplier in multipliers]


def with_stream(arm: RetentionArm, *, seed: int, scenario: FileScenario) -> RetentionArm:
    """Give `random` a seed for this scenario, derived from the study's; a seed in its name is kept."""
    if arm.policy.name != "random" or "seed=" in arm.name:
        return arm
    digest = sha256(f"{seed}/{scenario.suite}/{scenario.id}".encode()).digest()
    drawn = {**arm.parameters, "seed": float(int.from_bytes(digest[:4], "big"))}
    return replace(arm, parameters=MappingProxyType(drawn))
