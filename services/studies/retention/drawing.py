"""One scenario as it is drawn: each chunk's place, similarity and state under two policies, and the premises between.

The scenario is one whose chain the chosen policy keeps and plain similarity cuts.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from services.retention.arms import parse_arm
from services.retention.relevance import EncoderName, TextEncoder, index_texts
from services.retention.retaining import retain
from services.retention.sessions import SessionArrays
from services.studies.retention.diagnosis import full_chain
from services.studies.retention.scenario_files import FileScenario
from services.studies.retention.summary import BASELINE, CHOSEN
from services.studies.running import Row

MOST_CHUNKS = 120  # more are no drawing
DEEP = 4
Place = tuple[str, str]  # suite, scenario


def telling_scenario(rows: Iterable[Row], sizes: Mapping[Place, int]) -> tuple[Place, str, int] | None:
    """Choose the first of the deepest scenarios (up to four chunks) that the default keeps and similarity does not.

    `sizes` are numbers of chunks. Returns its place, the encoder and the budget; None where no scenario can be drawn.
    """
    cut: set[tuple[Place, str, int]] = set()
    kept: dict[tuple[Place, str, int], int] = {}
    for row in rows:
        asked = ((row["suite"], row["scenario"]), row["encoder"], row["budget"])
        if row["policy"] == BASELINE and not row["full_chain"]:
            cut.add(asked)
        if row["policy"] == CHOSEN and row["full_chain"]:
            kept[asked] = row["depth"] or 0
    telling = [asked for asked in kept if asked in cut and sizes[asked[0]] <= MOST_CHUNKS and kept[asked] <= DEEP]
    return max(telling, key=lambda asked: kept[asked], default=None)


def drawing_of(
    scenario: FileScenario, *, encoder: EncoderName, neural: TextEncoder | None, budget: int
) -> dict[str, Any]:
    """Return a scenario under both policies: position, cosine and state of chunks, premises and the chain, by id."""
    index = index_texts(scenario.chunks.texts, encoder=encoder, neural=neural)
    session = SessionArrays(scenario.chunks, premises=scenario.premises, index=index)
    cosines = index.score(scenario.query)
    arms = []
    for policy in (BASELINE, CHOSEN):
        found = retain(session, scenario.query, budget_tokens=budget, policy=parse_arm(policy), cosines=cosines)
        head = dict(zip(found.kept, found.leaders, strict=True))
        states = ["evicted" if i not in head else "kept" if head[i] == i else "premise" for i in range(len(cosines))]
        chunks = [
            {"chunk": scenario.ids[i], "position": i, "cosine": round(float(cosines[i]), 6), "state": state}
            for i, state in enumerate(states)
        ]
        arms.append({"policy": policy, "full_chain": full_chain(found.kept, scenario.chain), "chunks": chunks})
    edges = zip(scenario.premises.sources.tolist(), scenario.premises.targets.tolist(), strict=True)
    return {
        "suite": scenario.suite,
        "scenario": scenario.id,
        "encoder": encoder,
        "budget": budget,
        "query": scenario.query,
        "premises": [[scenario.ids[i], scenario.ids[j]] for i, j in edges],
        "chain": [scenario.ids[i] for i in scenario.chain],
        "arms": arms,
    }
