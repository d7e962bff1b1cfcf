"""Arms of discovery: the declared rules, the retrievers each goes with, and parsing of both.

Names, parameters and what a rule asks of a store; the arithmetic is in `rules`, which is imported only to score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from graph.errors import InvalidInput
from services.arms import Parameter, parse, split

if TYPE_CHECKING:
    from graph.evidence import Similarity
    from services.catalogue_index import Unit
    from services.discovery.rules import RuleFunction

Needs = Literal["nothing", "found", "object_similarities", "expected"]
"""What a rule needs of memories: nothing, what they found, also similarities among objects; or their expectations, the
similarities among their intents, and the registry's credit."""

RETRIEVERS = ("tfidf", "bm25", "neural", "blend")
MOST_MEMORIES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Which memories a question asks for, nearest first: `nearest` confirmed ones, each with Eq. 1's share
    alpha * similarity, and `limit` of any state."""

    nearest: int = 5
    alpha: float = 0.5
    limit: int = 0


Values = Mapping[str, float]


def _nearest(values: Values) -> Reach:
    return Reach(nearest=int(values["k"]), alpha=values.get("alpha", 0.5))


def _of_any_state(values: Values) -> Reach:
    return Reach(nearest=0, limit=int(values["k"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule as declared: `function` names its function in `rules`, called with the parameters in `passed`.

    `words_only` are defaults that differ without an encoder. `trusted`: its memory part is scaled by the trust that
    outcomes earned it.
    """

    name: str
    help: str
    function: str
    retrievers: tuple[str, ...] = ("blend",)
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    passed: tuple[str, ...] = ()
    words_only: Values = field(default_factory=dict)
    needs: Needs = "found"
    trusted: bool = False
    reach: Callable[[Values], Reach] = lambda _values: Reach()

    @property
    def expects(self) -> bool:
        """True if it weighs memories by their expectations."""
        return self.needs == "expected"


def _memories(count: int) -> Parameter:
    return Parameter(default=count, most=MOST_MEMORIES, whole=True)


_BY_WORDS = ("tfidf", "bm25", "blend")  # names have no embeddings of their own
_EQ1 = {"alpha": Parameter(default=0.5), "k": _memories(5)}
_ROCCHIO = {"beta": Parameter(default=0.75), "gamma": Parameter(default=0.15), "k": _memories(5)}
_POWER = {"power": Parameter(default=4.0), "doubt": Parameter(default=0.1, positive=True), "k": _memories(10)}
# A floor of 1 divides by zero, and a penalty of 0 has no solution where two memories are of one intent.
_CORROBORATION = {
    "floor": Parameter(default=0.15, most=0.99), "penalty": Parameter(default=0.2, least=0.001), "k": _memories(30),
}  # fmt: skip
_DECLARED = (
    Rule(
        name="names", help="names alone, no memory; not with neural", function="registry_alone",
        retrievers=_BY_WORDS, needs="nothing",
    ),
    Rule(name="none", help="no memory", function="registry_alone", retrievers=RETRIEVERS, needs="nothing"),
    Rule(
        name="memory", help="memory alone", function="memory_alone",
        retrievers=RETRIEVERS, parameters=_EQ1, reach=_nearest,
    ),
    Rule(
        name="eq1", help="the paper's sum of both, default of the plain retrievers", function="eq1",
        retrievers=RETRIEVERS, parameters=_EQ1, reach=_nearest,
    ),
    Rule(name="naive", help="the nearest memory first", function="naive", retrievers=RETRIEVERS),
    Rule(
        name="rocchio", help="relevance feedback", function="rocchio", retrievers=RETRIEVERS,
        parameters=_ROCCHIO, passed=("beta", "gamma"), needs="object_similarities", reach=_nearest,
    ),
    Rule(
        name="vote", help="shares of what the nearest memories found", function="vote",
        parameters=_POWER | {"agreement": Parameter()}, passed=("power", "doubt", "agreement", "k"),
        reach=_of_any_state,
    ),
    Rule(
        name="default", help="corrections by memories that are borne out", function="corroborate",
        parameters=_CORROBORATION, passed=("floor", "penalty"), words_only={"floor": 0.05},
        needs="expected", trusted=True, reach=_of_any_state,
    ),
)  # fmt: skip
WENT = {"leader": "default", "correct": "default", "ridge": "default"}
"""Rules that went, and what took their place."""
RULES: Mapping[str, Rule] = {rule.name: rule for rule in _DECLARED}
PAIRS: Mapping[str, tuple[str, ...]] = {
    retriever: tuple(rule.name for rule in _DECLARED if retriever in rule.retrievers) for retriever in RETRIEVERS
}
"""By retriever, the rules that go with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryArm:
    """One retriever with one rule. `name` is the rule as it was asked for, `given` its parameters there."""

    retriever: str
    name: str
    rule: Rule
    given: Values
    memory_retriever: str

    @property
    def blends(self) -> bool:
        return self.retriever == "blend"

    @property
    def unit(self) -> Unit:
        """What its lexical scores count: n-grams rank better; the plain retrievers use words, as published."""
        return "grams" if self.blends else "words"

    @property
    def intent_unit(self) -> Unit:
        return "grams" if self.memory_retriever == "blend" else "words"

    @property
    def wants_vector(self) -> bool:
        neural = ("neural", "blend")
        remembers = self.rule.needs != "nothing" and self.memory_retriever in neural
        return (self.retriever in neural and self.rule.name != "names") or remembers

    def similarity(self, *, encoded: bool) -> Similarity:
        if not encoded or not self.wants_vector or self.memory_retriever not in ("neural", "blend"):
            return "lexical"
        return "neural" if self.memory_retriever == "neural" else "mean"

    def values(self, *, encoded: bool) -> dict[str, float]:
        """All parameters of the rule: those given, else the defaults with an encoder or without one."""
        usual = {name: declared.default for name, declared in self.rule.parameters.items()}
        return usual | ({} if encoded else dict(self.rule.words_only)) | dict(self.given)

    def reach(self, *, encoded: bool) -> Reach:
        return self.rule.reach(self.values(encoded=encoded))

    def function(self, *, encoded: bool) -> RuleFunction:
        """The rule's function with its parameters."""
        from services.discovery import rules

        values = self.values(encoded=encoded)
        function: RuleFunction = getattr(rules, self.rule.function)
        return partial(function, **{name: values[name] for name in self.rule.passed})


def parse_arm(retriever: str, rule: str | None, *, memory_retriever: str | None = None) -> DiscoveryArm:
    """Parse a retriever and a rule `name@key=value`; without a rule, the best one for the retriever.

    `memory_retriever`: the retriever by which intents are compared, where that is another. Raises `InvalidInput`,
    naming what there is, for a combination or a parameter that does not exist.
    """
    for name in (retriever, memory_retriever or retriever):
        if name not in RETRIEVERS:
            raise InvalidInput(
                f"retriever {name!r}", found="no such retriever", hint=f"There are {', '.join(RETRIEVERS)}"
            )
    if rule is None:
        rule = "default" if "default" in PAIRS[retriever] else "eq1"
    name, _ = split(rule)
    if name in WENT:
        raise InvalidInput(f"rule {name!r}", found="it is gone", hint=f"`{WENT[name]}` took its place")
    if name not in PAIRS[retriever]:
        known = "; ".join(f"{each}: {', '.join(rules)}" for each, rules in PAIRS.items())
        raise InvalidInput(
            f"retriever {retriever!r} with rule {name!r}", found="no such combination", hint=f"There are {known}"
        )
    return DiscoveryArm(
        retriever=retriever,
        name=rule,
        rule=RULES[name],
        given=parse(rule, declared=RULES[name].parameters, noun="rule"),
        memory_retriever=memory_retriever or retriever,
    )


def describe_rules() -> str:
    """List the rules in one sentence, for help texts."""
    plain, blended = (
        ", ".join(f"{rule.name} ({rule.help})" for rule in _DECLARED if ("tfidf" in rule.retrievers) is plain)
        for plain in (True, False)
    )
    return (
        f"What memory does to the ranking: {plain}; with blend also {blended}. "
        "Parameters follow the name: vote@power=6,doubt=0.03."
    )
