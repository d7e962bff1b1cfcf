"""Which retrievers and rules there are, which go together, with what parameters, and what each asks of a store.

The arithmetic is in `blending` and `rules`; here are names and constants only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Literal

from graph.errors import InvalidInput
from graph.evidence import Similarity
from services.catalogue_index import Unit
from services.discovery import rules
from services.discovery.rules import Rule

Needs = Literal["nothing", "found", "likeness", "expected", "kin"]
"""What a rule needs of memories: none, what they found, also how alike objects are; or what was expected of them, or
also how alike their intents are."""

Parameters = Mapping[str, tuple[float, float]]
"""By name, what a rule's parameter is with an encoder, and without one."""

MOST_MEMORIES = 50
EQ1: Parameters = {"alpha": (0.5, 0.5), "k": (5, 5)}
VOTE: Parameters = {"power": (4, 4), "doubt": (0.1, 0.1), "agreement": (0, 0), "k": (10, 10)}
RIDGE: Parameters = {"floor": (0.0, 0.05), "penalty": (0.2, 0.2), "k": (20, 20)}
PARAMETERS: Mapping[str, Parameters] = {
    "names": {},
    "none": {},
    "memory": EQ1,
    "eq1": EQ1,
    "naive": {},
    "rocchio": {"beta": (0.75, 0.75), "gamma": (0.15, 0.15), "k": (5, 5)},
    "vote": VOTE,
    "leader": {"k": (10, 10)},
    "correct": {"power": (4, 4), "doubt": (0.1, 0.05), "k": (10, 10)},
    "ridge": RIDGE,
    "default": RIDGE,
}
NEEDS: Mapping[str, Needs] = {
    "names": "nothing",
    "none": "nothing",
    "memory": "found",
    "eq1": "found",
    "naive": "found",
    "rocchio": "likeness",
    "vote": "found",
    "leader": "found",
    "correct": "expected",
    "ridge": "kin",
    "default": "kin",
}
TRUSTED = ("correct", "ridge", "default")  # heard as far as outcomes have earned them trust
CANDIDATES: Mapping[str, Rule] = {
    "leader/careful": partial(rules.vote, power=8, doubt=0.03, agreement=0, limit=10),
    "leader/vote": partial(rules.vote, power=4, doubt=0.1, agreement=0, limit=10),
    "leader/bold": partial(rules.vote, power=4, doubt=0.02, agreement=0, limit=10),
    "leader/none": rules.registry_alone,
}
PLAIN = ("names", "none", "memory", "eq1", "naive", "rocchio")
RETRIEVERS: dict[str, tuple[str, ...]] = {
    "tfidf": PLAIN,
    "bm25": PLAIN,
    "neural": tuple(rule for rule in PLAIN if rule != "names"),  # names have no embeddings of their own
    "blend": (*PLAIN, "vote", "leader", "correct", "ridge", "default"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far memories reach: max(0, (sim - floor) / (1 - floor)) ** power, the `limit` farthest."""

    power: float = 4.0
    floor: float = 0.0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryArm:
    """One retriever with one rule. `name` is the rule as it was asked for, with its parameters."""

    retriever: str
    name: str
    base: str
    given: Mapping[str, float]
    memory_retriever: str

    @property
    def blends(self) -> bool:
        return self.retriever == "blend"

    @property
    def needs(self) -> Needs:
        return NEEDS[self.base]

    @property
    def expects(self) -> bool:
        return self.needs in ("expected", "kin")

    @property
    def trusts(self) -> bool:
        return self.base in TRUSTED

    @property
    def leads(self) -> bool:
        return self.base == "leader"

    @property
    def unit(self) -> Unit:
        """What its lexical scores count: n-grams are the better words; the plain retrievers are as published."""
        return "grams" if self.blends else "words"

    @property
    def intent_unit(self) -> Unit:
        return "grams" if self.memory_retriever == "blend" else "words"

    @property
    def wants_vector(self) -> bool:
        neural = ("neural", "blend")
        remembers = self.needs != "nothing" and self.memory_retriever in neural
        return (self.retriever in neural and self.base != "names") or remembers

    def similarity(self, *, encoded: bool) -> Similarity:
        if not encoded or not self.wants_vector or self.memory_retriever not in ("neural", "blend"):
            return "lexical"
        return "neural" if self.memory_retriever == "neural" else "mean"

    def parameter(self, name: str, *, encoded: bool) -> float:
        usual = PARAMETERS[self.base][name]
        return self.given.get(name, usual[0] if encoded else usual[1])

    def reach(self, *, encoded: bool) -> Reach:
        if self.base in ("vote", "leader"):
            return Reach(limit=2 * int(self.parameter("k", encoded=encoded)))
        if not self.expects:
            return Reach()
        limit = int(self.parameter("k", encoded=encoded))
        if self.needs == "expected":
            return Reach(power=self.parameter("power", encoded=encoded), limit=limit)
        return Reach(power=1.0, floor=self.parameter("floor", encoded=encoded), limit=limit)

    def rule(self, *, encoded: bool) -> Rule:
        """The rule with its parameters; of the leader its candidates are to be asked instead."""
        own = {name: self.parameter(name, encoded=encoded) for name in PARAMETERS[self.base] if name != "k"}
        match self.base:
            case "memory":
                return rules.memory_alone
            case "eq1":
                return rules.eq1
            case "naive":
                return rules.naive
            case "rocchio":
                return partial(rules.rocchio, beta=own["beta"], gamma=own["gamma"])
            case "vote":
                limit = int(self.parameter("k", encoded=encoded))
                power, doubt, agreement = own["power"], own["doubt"], own["agreement"]
                return partial(rules.vote, power=power, doubt=doubt, agreement=agreement, limit=limit)
            case "correct":
                return partial(rules.correct, doubt=own["doubt"])
            case "ridge" | "default":
                return partial(rules.ridge, floor=own["floor"], penalty=own["penalty"])
            case _:
                return rules.registry_alone


def parse_arm(retriever: str, rule: str | None, *, memory_retriever: str | None = None) -> DiscoveryArm:
    """The retriever with the rule; with its best rule where none is named: Eq. 1 for the paper's plain retrievers.

    Raises `InvalidInput`, naming what there is, for a combination or a parameter that does not exist.
    """
    for name in (retriever, memory_retriever or retriever):
        if name not in RETRIEVERS:
            raise InvalidInput(
                f"retriever {name!r}", found="no such retriever", hint=f"There are {', '.join(RETRIEVERS)}"
            )
    if rule is None:
        rule = "default" if "default" in RETRIEVERS[retriever] else "eq1"
    base, _, rest = rule.partition("@")
    if base not in RETRIEVERS[retriever]:
        known = "; ".join(f"{name}: {', '.join(rules)}" for name, rules in RETRIEVERS.items())
        raise InvalidInput(
            f"retriever {retriever!r} with rule {base!r}", found="no such combination", hint=f"There are {known}"
        )
    return DiscoveryArm(
        retriever=retriever,
        name=rule,
        base=base,
        given=_parameters(base, rest),
        memory_retriever=memory_retriever or retriever,
    )


def _parameters(base: str, text: str) -> dict[str, float]:
    """`key=number,key=number`, of the rule's own keys."""
    found: dict[str, float] = {}
    for part in text.split(",") if text else ():
        key, _, value = part.partition("=")
        known = ", ".join(f"{name} ({usual[0]:g})" for name, usual in PARAMETERS[base].items()) or "no parameter"
        try:
            found[key] = float(value)
        except ValueError:
            found[key] = float("nan")
        if (
            key not in PARAMETERS[base]
            or not isfinite(found[key])
            or found[key] < 0
            or (key == "k" and found[key] > MOST_MEMORIES)
        ):
            raise InvalidInput(
                f"parameter {part!r} of rule {base!r}",
                found="none that it has",
                hint=f"Give key=number; it has {known}",
            )
    return found
