"""Who answers a retention study: the scoring core on its own, or the session service over a store, as doors ask it.

Either gives ids in order of selection and, where asked, why each evicted chunk had to go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4

from services.retention.arms import RetentionArm
from services.retention.explanations import Eviction
from services.retention.relevance import EncoderName, TextEncoder, index_texts
from services.retention.retaining import retain
from services.retention.session_arrays import RealArray
from services.retention.sessions import SessionArrays
from services.sessions import SessionService
from services.sessions.answers import Evicted
from services.sessions.inputs import GivenChunk, GivenPremise
from services.studies.retention.scenario_files import FileScenario

DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`kept` by id, in order of selection; `trace` where it was asked for."""

    kept: tuple[str, ...]
    tokens: int
    trace: tuple[dict[str, Any], ...]


class Ask(Protocol):
    """From an arm and a budget in tokens to the answer about one scenario; `explain`: with its trace."""

    def __call__(self, arm: RetentionArm, budget: int, *, explain: bool) -> Answer: ...


Answering = Callable[[FileScenario, EncoderName], Ask]


def from_core(scenario: FileScenario, encoder: EncoderName, *, neural: TextEncoder | None) -> tuple[Ask, RealArray]:
    """And the cosines, by which failures are told apart."""
    index = index_texts(scenario.chunks.texts, encoder=encoder, neural=neural)
    session = SessionArrays(scenario.chunks, premises=scenario.premises, index=index)
    cosines = index.score(scenario.query)

    def ask(arm: RetentionArm, budget: int, *, explain: bool) -> Answer:
        found = retain(
            session, scenario.query, budget_tokens=budget, policy=arm, cosines=cosines,
            trace_limit=None if explain else 0,
        )  # fmt: skip
        kept = tuple(scenario.ids[chunk] for chunk in found.kept)
        return Answer(kept=kept, tokens=found.tokens, trace=tuple(_by_place(it, scenario.ids) for it in found.trace))

    return ask, cosines


def from_store(service: SessionService, workspace: str) -> Answering:
    """Each scenario becomes a session of the workspace, in which its chunks and premises are added."""

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
        given = [GivenPremise(chunk=scenario.ids[i], premise=scenario.ids[j]) for i, j in edges]
        if given:
            service.add_premises(workspace, session, given)

        def ask(arm: RetentionArm, budget: int, *, explain: bool) -> Answer:
            found = service.retain(
                workspace, session, scenario.query, budget_tokens=budget, policy=_in_full(arm), encoder=encoder,
                explain=explain, may_write=False,
            )  # fmt: skip
            return Answer(kept=found.kept, tokens=found.tokens, trace=tuple(map(_by_id, found.trace)))

        return ask

    return answering


def _in_full(arm: RetentionArm) -> str:
    """The arm with all its parameters: `random` has a seed that its name does not tell."""
    return f"{arm.policy.name}@{','.join(f'{key}={value!r}' for key, value in arm.parameters.items())}"


def _by_place(eviction: Eviction, ids: Sequence[str]) -> dict[str, Any]:
    competitor = None if eviction.competitor is None else ids[eviction.competitor]
    path = [ids[chunk] for chunk in eviction.path]
    return _told(ids[eviction.chunk], eviction, competitor=competitor, path=path)


def _by_id(eviction: Evicted) -> dict[str, Any]:
    return _told(eviction.chunk, eviction, competitor=eviction.competitor, path=list(eviction.path))


def _told(chunk: str, eviction: Eviction | Evicted, *, competitor: str | None, path: list[str]) -> dict[str, Any]:
    return {
        "chunk": chunk,
        "score": round(eviction.score, DIGITS),
        "reason": eviction.reason,
        "competitor": competitor,
        "gap": None if eviction.gap is None else round(eviction.gap, DIGITS),
        "path": path,
    }
