"""The premises of each step of a log, with a grade: declared by a person, observed in the calls, or inferred.

Observed: the call of a result, an id that one tool returned and another took, and what a call wrote and a later one
reads. Other shared values are weighed by `link_model`.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from graph.premises import PremiseGrade
from services.transcripts.effects import touched_by
from services.transcripts.identifiers import Value, phrases_of, says, values_of
from services.transcripts.link_model import LinkFeatures, likelihood
from services.transcripts.provenance import Given, Origins
from services.transcripts.steps import Step
from services.words import spaced

LEAST = 0.5  # least probability of an inferred premise
RARE = 4  # a word that more steps mentioned before is not specific
MOST = 32  # candidates of one step
RECENT = 8  # messages of the user in which the phrases of a call are looked up, the latest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """`step` needs `premise`, both places in the log."""

    step: int
    premise: int
    grade: PremiseGrade
    weight: float


@dataclass(slots=True, kw_only=True)
class _State:
    origins: Origins = field(default_factory=Origins)
    writers: dict[str, list[int]] = field(default_factory=dict)  # calls since it was created or replaced
    before: dict[int, dict[str, list[int]]] = field(default_factory=dict)  # what a call's writes replaced
    turn: dict[str, list[int]] = field(default_factory=dict)  # results since the user spoke, by value
    asked: int = -1
    said: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=RECENT))  # by the user, as `spaced`
    last: int = -1


def infer_premises(steps: Sequence[Step], *, least: float = LEAST) -> tuple[Found, ...]:
    """Return premises sorted by step, then premise, each pair once with its most trusted grade."""
    found: dict[tuple[int, int], Found] = {}
    for place, evidence, certain in candidates(steps):
        for premise, grade in certain.items():
            found[place, premise] = Found(step=place, premise=premise, grade=grade, weight=1.0)
        for premise, known in evidence.items():
            weight = likelihood(known)
            if (place, premise) not in found and weight >= least:
                found[place, premise] = Found(step=place, premise=premise, grade="inferred", weight=weight)
    return tuple(found[pair] for pair in sorted(found))


def candidates(steps: Sequence[Step]) -> list[tuple[int, dict[int, LinkFeatures], dict[int, PremiseGrade]]]:
    """Return, for each step, the features of candidates to weigh and the grades of certain premises, by place."""
    state = _State()
    gathered = []
    for place, step in enumerate(steps):
        certain: dict[int, PremiseGrade] = dict.fromkeys(step.links, "declared")
        if step.answers is not None:
            certain.setdefault(step.answers, "observed")
        evidence: dict[int, LinkFeatures] = {}
        if step.piece.kind == "call":
            evidence = _call(state, step, place, certain)
        elif step.piece.kind == "said" and step.piece.role in ("user", "assistant"):
            evidence = _said(state, step)
        gathered.append((place, {p: known for p, known in evidence.items() if p not in certain}, certain))
        _learn(state, steps, step, place)
    return gathered


def _call(state: _State, step: Step, place: int, certain: dict[int, PremiseGrade]) -> dict[int, LinkFeatures]:
    touched = touched_by(step.piece)
    for name in sorted(touched.read):
        for writer in state.writers.get(name, ()):
            certain.setdefault(writer, "observed")
    # The last writer counts, not the first mention; and what is only written is not used.
    renewed = {name for name in touched.read if state.writers.get(name)} | (
        touched.made | touched.changed
    ) - touched.read
    passed = {name.partition(":")[2] for name in renewed}
    state.before[place] = {}
    for name in sorted(touched.made | touched.changed):
        state.before[place][name] = list(state.writers.get(name, ()))
        state.writers[name] = [place] if name in touched.made else [*state.writers.get(name, ()), place]
    read = {name.partition(":")[2] for name in touched.read}
    evidence: dict[int, LinkFeatures] = {}
    for value in values_of(step.piece):
        if any(value.text in name for name in passed):
            continue
        origin = state.origins.of(value, seen="agent")
        if origin is not None and origin.kind == "call" and any(value.text.endswith(name) for name in read):
            continue  # an earlier read of the same thing is no premise
        taken = origin is not None and _is_taken(value, origin)
        rival = state.origins.rival(origin, since=state.asked) if origin is not None and taken else None
        if origin is not None and taken and rival is None:
            certain.setdefault(origin.first, "observed")
        elif rival is not None:
            _weigh(state, evidence, value, origin, step=step, near=[rival])
        else:
            # An agent follows the last message, in its words.
            named = [place for place in state.turn.get(value.text, ()) if place == state.asked]
            _weigh(state, evidence, value, origin, step=step, near=named)
    for phrase in phrases_of(step.piece):
        source = next((place for place, said in reversed(state.said) if says(said, phrase)), None)
        if source is not None and (known := _evidence(state, evidence, source, kind="said", step=step)):
            known.quote(phrase)
    return evidence


def _is_taken(value: Value, origin: Given) -> bool:
    """True if a tool's output gave it: an id too long to match by chance, or a shorter one under an equal key."""
    if origin.kind != "result":
        return False
    return value.sort == "strong" or (value.sort in ("weak", "number") and value.key == origin.key != "")


def _said(state: _State, step: Step) -> dict[int, LinkFeatures]:
    evidence: dict[int, LinkFeatures] = {}
    for value in values_of(step.piece):
        if value.sort == "word" and state.origins.frequency.get(value.text, 0) > RARE:
            continue
        origin = state.origins.of(value, seen=step.piece.role)
        near = state.turn.get(value.text, []) if step.piece.role == "assistant" else []
        _weigh(state, evidence, value, origin, step=step, near=near)
    return evidence


def _weigh(
    state: _State, evidence: dict[int, LinkFeatures], value: Value, origin: Given | None, *, step: Step, near: list[int]
) -> None:
    """Count a value for every step that may have given it; the best is the nearest since the last message, else its
    origin.

    The user's message is the best only for a word of a call, and for an answer if no result holds the same value.
    """
    options: dict[int, tuple[str, str]] = {} if origin is None else {origin.first: (origin.key, origin.kind)}
    for place in near:
        options.setdefault(place, (value.key, "said" if place == state.asked else "result"))
    results = [place for place in near if place != state.asked]
    if not options:
        return
    if results:
        best = results[-1]
    elif near and (value.sort == "word" or origin is None):
        best = near[-1]
    else:
        best = origin.first if origin is not None else near[-1]
    frequency = state.origins.frequency.get(value.text, 0)
    for place, (key, kind) in options.items():
        known = _evidence(state, evidence, place, kind=kind, step=step)
        if known is not None:
            known.add(value, key=key, kind=kind, frequency=frequency, best=place == best)


def _evidence(
    state: _State, evidence: dict[int, LinkFeatures], place: int, *, kind: str, step: Step
) -> LinkFeatures | None:
    """Return the features of a candidate, new or known; None if the step has too many candidates."""
    if place not in evidence:
        if len(evidence) >= MOST:
            return None
        evidence[place] = LinkFeatures(
            by="user" if step.piece.role == "user" else "call" if step.piece.kind == "call" else "said",
            kind="result" if kind.startswith("cut") else kind,
            here=place > state.asked,
            latest=place == state.last,
            asked=place == state.asked,
        )
    return evidence[place]


def _learn(state: _State, steps: Sequence[Step], step: Step, place: int) -> None:
    piece = step.piece
    call = steps[step.answers] if step.answers is not None else None
    if piece.kind == "result":
        if piece.failed and step.answers is not None:
            state.writers.update(state.before.get(step.answers, {}))  # a failed call wrote nothing
        for value in values_of(piece):
            state.turn.setdefault(value.text, []).append(place)
        state.last = place
    elif piece.kind == "said" and piece.role == "user":
        state.turn.clear()
        state.asked = place
        state.said.append((place, spaced(piece.text)))
        for value in values_of(piece):
            state.turn[value.text] = [place]
    state.origins.learn(step, place, call=call)
