"""Ways to answer a retention study: the scoring core on its own, or the session service over a store.

Both give ids in order of selection and, where asked, why each chunk was evicted.
"""

from collections.abc import Callable
from typing import Any, Protocol
from uuid import uuid4

from graph.premises import Premise
from services.retention.arms import RetentionArm
from services.retention.explanations import Eviction
from services.retention.relevance import EncoderName, TextEncoder, index_texts
from services.retention.retaining import retain
from services.retention.session_arrays import RealArray
from services.retention.sessions import SessionArrays
from services.sessions import SessionService
from services.sessions.answers import Retained, named
from services.sessions.inputs import GivenChunk
from services.studies.retention.scenario_files import FileScenario

DIGITS = 9


class Ask(Protocol):
    """Answer one scenario by an arm within a budget in tokens; `explain`: with reasons for all evictions."""

    def __call__(self, arm: RetentionArm, budget: int, *, explain: bool) -> Retained: ...


Answering = Callable[[FileScenario, EncoderName], Ask]


def from_core(scenario: FileScenario, encoder: EncoderName, *, neural: TextEncoder | None) -> tuple[Ask, RealArray]:
    """Return a way to ask the core about a scenario, and the cosines, by which failures are classified."""
    index = index_texts(scenario.chunks.texts, encoder=encoder, neural=neural)
    session = SessionArrays(scenario.chunks, premises=scenario.premises, index=index)
    cosines = index.score(scenario.query)

    def ask(arm: RetentionArm, budget: int, *, explain: bool) -> Retained:
        found = retain(
            session, scenario.query, budget_tokens=budget, policy=arm, cosines=cosines,
            trace_limit=None if explain else 0,
        )  # fmt: skip
        return named(found, scenario.ids, lost=(), policy=arm.name, encoder=encoder)

    return ask, cosines


def from_store(service: SessionService, workspace: str) -> Answering:
    """Make each scenario a session of the workspace, with its chunks and premises, and ask the service about it."""

    def answering(scenario: FileScenario, encoder: EncoderName) -> Ask:
        session = uuid4().hex
        service.create(workspace, session)
        tokens = scenario.chunks.tokens.tolist()
        chunks = zip(scenario.ids, scenario.chunks.texts, tokens, scenario.chunks.pinned.tolist(), strict=True)
        service.add_chunks(
            workspace,
            session,
            [GivenChunk(id=key, text=text, tokens=cost, pinned=pin) for key, text, cost, pin in chunks],
        )
        edges = zip(scenario.premises.sources.tolist(), scenario.premises.targets.tolist(), strict=True)
        given = [Premise(chunk=scenario.ids[i], premise=scenario.ids[j]) for i, j in edges]
        if given:
            service.add_premises(workspace, session, given)

        def ask(arm: RetentionArm, budget: int, *, explain: bool) -> Retained:
            return service.retain(
                workspace, session, scenario.query, budget_tokens=budget, policy=_in_full(arm), encoder=encoder,
                explain=explain, may_write=False, stored=True,
            )  # fmt: skip

        return ask

    return answering


def trace_row(eviction: Eviction[str]) -> dict[str, Any]:
    """Return an eviction as it stands in a row; figures are rounded, as stores sum in different orders."""
    return {
        "chunk": eviction.chunk,
        "score": round(eviction.score, DIGITS),
        "reason": eviction.reason,
        "competitor": eviction.competitor,
        "gap": None if eviction.gap is None else round(eviction.gap, DIGITS),
        "path": list(eviction.path),
    }


def _in_full(arm: RetentionArm) -> str:
    """The arm with all its parameters: the seed of `random` is not in its name."""
    return f"{arm.policy.name}@{','.join(f'{key}={value!r}' for key, value in arm.parameters.items())}"
