"""Which retrievers and rules there are, which go together, and what each asks of a store.

The arithmetic is in `blending` and `rules`; here are names and constants only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graph.errors import InvalidInput
from graph.values import Similarity
from services.discovery.rules import Rule, correct, eq1, memory_alone, naive, registry_alone
from services.registry import Unit

Needs = Literal["nothing", "found", "expected"]
"""What a rule needs of memories: none, what they found (Eq. 1's nearest), or also what was expected of them."""

ADDS_UP: dict[str, tuple[Rule, Needs]] = {
    "names": (registry_alone, "nothing"),
    "none": (registry_alone, "nothing"),
    "memory": (memory_alone, "found"),
    "eq1": (eq1, "found"),
    "naive": (naive, "found"),
}
CORRECTS: dict[str, tuple[Rule, Needs]] = {
    "correct": (correct, "expected"),
    "default": (correct, "expected"),
}
RETRIEVERS: dict[str, tuple[str, ...]] = {
    "tfidf": tuple(ADDS_UP),
    "bm25": tuple(ADDS_UP),
    "neural": tuple(rule for rule in ADDS_UP if rule != "names"),  # names have no embeddings of their own
    "blend": (*ADDS_UP, *CORRECTS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far memories reach: max(0, (sim - floor) / (1 - floor)) ** power, the `limit` farthest, against `doubt`."""

    power: float = 4.0
    floor: float = 0.0
    limit: int = 10
    doubt: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One retriever with one rule."""

    retriever: str
    name: str
    rule: Rule
    needs: Needs

    @property
    def blends(self) -> bool:
        return self.retriever == "blend"

    @property
    def unit(self) -> Unit:
        """What its lexical scores count: n-grams are the better words; the plain retrievers are as published."""
        return "grams" if self.blends else "words"

    @property
    def wants_vector(self) -> bool:
        return self.retriever in ("neural", "blend") and self.name != "names"

    def similarity(self, *, encoded: bool) -> Similarity:
        if not encoded or not self.wants_vector:
            return "lexical"
        return "neural" if self.retriever == "neural" else "mean"

    def reach(self, *, encoded: bool) -> Reach:
        return Reach(limit=10 if self.needs == "expected" else 0, doubt=0.1 if encoded else 0.05)


def plan(retriever: str, rule: str | None) -> Plan:
    """The retriever with the rule; with its best rule where none is named: Eq. 1 for the paper's plain retrievers.

    Raises `InvalidInput`, naming what there is, for a combination that does not exist.
    """
    if retriever not in RETRIEVERS:
        raise InvalidInput(
            f"retriever {retriever!r}", found="no such retriever", hint=f"There are {', '.join(RETRIEVERS)}"
        )
    if rule is None:
        rule = "default" if "default" in RETRIEVERS[retriever] else "eq1"
    if rule not in RETRIEVERS[retriever]:
        known = "; ".join(f"{name}: {', '.join(rules)}" for name, rules in RETRIEVERS.items())
        raise InvalidInput(
            f"retriever {retriever!r} with rule {rule!r}", found="no such combination", hint=f"There are {known}"
        )
    function, needs = (ADDS_UP | CORRECTS)[rule]
    return Plan(retriever=retriever, name=rule, rule=function, needs=needs)
