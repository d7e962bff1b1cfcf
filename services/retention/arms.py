"""The retention policies, each declared once, and arms: a policy with parameters, such as `dsgc@lambda=0.5`.

A new policy is one entry of POLICIES; the arithmetic of its scores is in `policies`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from graph.errors import InvalidInput
from graph.premises import HOP_LIMIT
from services.arms import Parameter, parse, split
from services.retention import policies
from services.retention.policies import TEMPERATURE, Case, Flow, Given, Score, live_scores
from services.retention.session_arrays import RealArray

Declared = Mapping[str, Parameter]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A policy as declared: its parameters and how it scores chunks, by `score`, or by `flow` along premises.

    `covers`: units of calls and results are taken by what they alone show; see `coverage`.
    `grouped`: a chunk is taken together with the premises it depends on; else chunks are taken one by one.
    `believes`: premises count as far as they are believed, and inferred ones count too.
    `words`: relevance is the mean of the encoder's cosine and the TF-IDF cosine.
    `hops`: premises over which a chunk keeps others alive, for explanations; a parameter `depth` takes precedence.
    """

    name: str
    score: Score | None = None
    flow: Callable[[RealArray, Given], Flow] | None = None
    parameters: Declared = field(default_factory=dict)
    covers: bool = False
    grouped: bool = False
    believes: bool = False
    words: bool = False
    hops: int = 0

    def scores(self, case: Case, relevance: RealArray, given: Given) -> RealArray:
        """Return the score of each chunk, from its relevance and the arm's parameters."""
        if self.flow is not None:
            flow = self.flow(relevance, given)
            return live_scores(case, flow) if case.live is None else case.live(flow)
        assert self.score is not None, self.name
        return self.score(case, relevance, given)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionArm:
    """A policy with all its parameters; `name` is the text that was parsed."""

    name: str
    policy: Policy
    parameters: Mapping[str, float]

    def __getitem__(self, parameter: str) -> float:
        return self.parameters[parameter]

    def flow(self, relevance: RealArray) -> Flow:
        """How liveness runs under a published policy."""
        assert self.policy.flow is not None, self.name
        return self.policy.flow(relevance, self.parameters)

    @property
    def hops(self) -> int:
        """Premises over which this arm keeps a chunk alive; 0 if it does not follow premises one by one."""
        return int(self.parameters.get("depth", self.policy.hops))


LARGEST = 1e6  # of a factor: products of factors and scores stay finite
DEEPEST = 1_000  # rounds over the premises that one query may cost

# 1: calls are kept with their results, or not at all
PAIRS: Declared = {"pairs": Parameter(default=1, most=1, whole=True)}
# 1: end at the first chunk that does not fit
STOP: Declared = {**PAIRS, "stop": Parameter(default=0, most=1, whole=True)}
BOOSTS: Declared = {
    "importance": Parameter(default=0, most=LARGEST),
    "freshness": Parameter(default=0, most=LARGEST),
    "half_life": Parameter(default=50, most=LARGEST, positive=True),
}
SOFTMAX: Declared = {"temperature": Parameter(default=TEMPERATURE, least=1e-6)}
PLAIN: Declared = {**STOP, **BOOSTS}
HOPS: Declared = {
    **PLAIN,
    **SOFTMAX,
    "lambda": Parameter(default=1, most=LARGEST),
    "gamma": Parameter(default=0.85, most=1),
    "depth": Parameter(default=HOP_LIMIT, most=DEEPEST, whole=True),
}
ROOTS: Declared = {
    **PAIRS,
    **BOOSTS,
    **SOFTMAX,
    "stop": Parameter(default=1, most=1, whole=True),
    "lambda": Parameter(default=2, most=LARGEST),
    # Roots: `threshold` on relevance, or the `top` largest, or Otsu's threshold where neither is given (0).
    "threshold": Parameter(default=0, most=1),
    "top": Parameter(default=0, whole=True),
}
GROUPS: Declared = {**PAIRS, **BOOSTS, "beta": Parameter(default=1, most=LARGEST)}
BELIEFS: Declared = {
    **GROUPS,
    "ignore": Parameter(default=0.02, most=1),  # premises believed less are not followed
    "cut": Parameter(default=0.9),  # premises believed less may be left out where the group does not fit
}

POLICIES: Mapping[str, Policy] = MappingProxyType(
    {
        policy.name: policy
        for policy in (
            Policy(name="recent", score=policies.recent, parameters=STOP),
            Policy(
                name="random",
                score=policies.at_random,
                parameters={**STOP, "seed": Parameter(default=0, whole=True)},
            ),
            Policy(name="similar", score=policies.similar, parameters=PLAIN),
            Policy(name="everything-with-an-edge", score=policies.connected, parameters=PLAIN),
            Policy(name="no_graph", score=policies.no_graph, parameters={**PLAIN, **SOFTMAX}),
            Policy(
                name="dsgc",
                flow=policies.dsgc,
                parameters={key: it for key, it in HOPS.items() if key not in ("gamma", "depth")},
                hops=1,
            ),
            Policy(name="dsgc_roots", flow=policies.dsgc_roots, parameters=ROOTS, hops=1),
            Policy(name="multi_hop", flow=policies.multi_hop, parameters=HOPS),
            Policy(name="inherit", score=policies.inherit, parameters=HOPS),
            Policy(
                name="pagerank",
                score=policies.pagerank,
                parameters={**PLAIN, **SOFTMAX, "damping": Parameter(default=0.85, most=1)},
                hops=HOP_LIMIT,
            ),
            Policy(name="coverage", covers=True, parameters=PAIRS),
            Policy(name="closure", flow=policies.closure, parameters=GROUPS, grouped=True),
            Policy(name="credible", score=policies.credible, parameters=BELIEFS, grouped=True, believes=True),
            Policy(
                name="default",
                score=policies.credible,
                parameters={**BELIEFS, "asked": Parameter(default=0.2, most=1)},
                covers=True,
                grouped=True,
                believes=True,
                words=True,
            ),
        )
    }
)


def describe_policies() -> str:
    """List the policies in one sentence, for help texts."""
    return f"{', '.join(reversed(tuple(POLICIES)))}. Parameters follow the name: dsgc@lambda=0.5."


def without_pairs(name: str) -> str:
    """Return the arm that may keep calls without their results."""
    return f"{name}{',' if '@' in name else '@'}pairs=0"


def parse_arm(name: str) -> RetentionArm:
    """Parse `policy` or `policy@key=number,key=number`.

    Raises `InvalidInput` for a policy or parameter that does not exist, and for a value outside its bounds.
    """
    key, _ = split(name)
    if key not in POLICIES:
        raise InvalidInput(f"policy {key!r}", found="no such policy", hint=f"One of {', '.join(POLICIES)}")
    policy = POLICIES[key]
    defaults = {parameter: float(it.default) for parameter, it in policy.parameters.items()}
    given = parse(name, declared=policy.parameters, noun="policy")
    return RetentionArm(name=name, policy=policy, parameters=MappingProxyType(defaults | given))
