"""Policies by name, with parameters where they have some: `dsgc@lambda=0.5` names an arm in every table.

Parsing and defaults only; what a policy does is in `policies`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from graph.errors import InvalidInput

MERITS: Mapping[str, float] = MappingProxyType({"importance": 0.0, "freshness": 0.0, "half_life": 50.0})
SKIP = MappingProxyType({"stop": 0.0})  # 1: end at the first chunk that does not fit

PARAMETERS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "recent": {**SKIP},
        "random": {**SKIP, "seed": 0.0},
        "similar": {**SKIP, **MERITS},
        "everything-with-an-edge": {**SKIP, **MERITS},
        "no_graph": {**SKIP, **MERITS, "temperature": 0.25},
        "dsgc": {**SKIP, **MERITS, "lambda": 1.0, "temperature": 0.25},
        # Roots: `threshold` on relevance, or the `top` largest, or Otsu's threshold where neither is given (0).
        "dsgc_roots": {**MERITS, "stop": 1.0, "lambda": 2.0, "temperature": 0.25, "threshold": 0.0, "top": 0.0},
        "multi_hop": {**SKIP, **MERITS, "lambda": 1.0, "gamma": 0.85, "depth": 8.0, "temperature": 0.25},
        "inherit": {**SKIP, **MERITS, "lambda": 1.0, "gamma": 0.85, "depth": 8.0, "temperature": 0.25},
        "pagerank": {**SKIP, **MERITS, "damping": 0.85, "temperature": 0.25},
        "closure": {**MERITS, "beta": 1.0},
        "credible": {**MERITS, "beta": 1.0, "ignore": 0.02, "cut": 0.9},
        "default": {**MERITS, "beta": 1.0, "ignore": 0.02, "cut": 0.9},
    }
)
POLICIES = tuple(PARAMETERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionArm:
    """A policy with all its parameters; `name` is what was asked for."""

    name: str
    policy: str
    parameters: Mapping[str, float]

    def __getitem__(self, parameter: str) -> float:
        return self.parameters[parameter]


def parse_arm(name: str) -> RetentionArm:
    """`policy` or `policy@key=number,key=number`."""
    policy, _, rest = name.partition("@")
    if policy not in PARAMETERS:
        raise InvalidInput(f"policy {policy!r}", found="no such policy", hint=f"One of {', '.join(POLICIES)}")
    parameters = dict(PARAMETERS[policy])
    for part in rest.split(",") if rest else ():
        key, equals, value = part.partition("=")
        if not equals or key not in parameters:
            known = ", ".join(sorted(parameters))
            raise InvalidInput(f"parameter {part!r} of {policy}", found="not known", hint=f"key=number, of {known}")
        try:
            parameters[key] = float(value)
        except ValueError:
            raise InvalidInput(f"parameter {part!r} of {policy}", found="no number", hint="Give key=number") from None
    return RetentionArm(name=name, policy=policy, parameters=MappingProxyType(parameters))
