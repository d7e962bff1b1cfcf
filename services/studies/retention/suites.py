"""The generated scenarios that studies run on where no data is given, by suite, and the variants of sweeps.

Each suite is a list of variants; a study draws as many scenarios of each as it asks for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from types import MappingProxyType
from typing import Any

from services.studies.retention.phrases import PHRASES
from services.studies.retention.scenarios import Variant

OTHERS = tuple(name for name in PHRASES if name != "office")

_CHAIN, _FAN, _WIDE = ("chain", 3), ("fan", 2), ("fan", 4)
Shape = tuple[str, int]


def _over(shapes: Sequence[Shape], *settings: Mapping[str, Any]) -> tuple[Variant, ...]:
    """Each shape and size under each of the settings."""
    return tuple(Variant(shape=shape, size=size, **own) for (shape, size), own in product(shapes, settings))


def _phrased(variants: Sequence[Variant], phrases: str) -> tuple[Variant, ...]:
    return tuple(replace(variant, phrases=phrases) for variant in variants)


_FAULTS = ((0.0, 0.0), (0.3, 0.0), (0.0, 0.3))
_CHAINS = tuple(Variant(size=n, multiplier=m) for n, m in product((1, 2, 3, 4, 6, 8), (1.0, 2.0)))
_FANS = tuple(Variant(shape="fan", size=n, multiplier=m) for n, m in product((2, 3, 4), (1.0, 1.5)))
_RIVALS = _over([("rivals", size) for size in (2, 3, 4)], {})
_NOISE = _over((_CHAIN, _FAN), {"false": 0.2}, {"false": 0.4}, {"lost": 0.2}, {"lost": 0.4})
STRESS = (
    *_over(
        (_CHAIN, _FAN, _WIDE),
        *({"manner": m, "false": f} for m in ("random", "causal", "lexical", "lexical-causal") for f in (0.2, 0.5)),
    ),
    *_over((_CHAIN, _FAN), *({"manner": "hub", "false": share} for share in (0.2, 0.5))),
    *_over((_CHAIN, _FAN, _WIDE), {"lost": 0.2}, {"lost": 0.5}),
    *_over((_CHAIN, _FAN), *({"manner": m, "false": 0.3, "lost": 0.3} for m in ("random", "causal", "lexical-causal"))),
    *_over((_CHAIN, _FAN), *({"false": false, "lost": lost, "shuffled": True} for false, lost in _FAULTS)),
    *_over(
        (_CHAIN, _FAN),
        {"hidden": True},
        {"hidden": True, "false": 0.3},
        {"hidden": True, "false": 0.3, "manner": "causal"},
        {"hidden": True, "lost": 0.3},
    ),
    *_over([("rivals", 3)], *({"false": false, "lost": lost} for false, lost in _FAULTS)),
)
"""Every manner of false and missing premises, over chains, fan-in and rivals."""

SUITES: Mapping[str, tuple[Variant, ...]] = MappingProxyType(
    {
        "controls": tuple(Variant(shape="direct", size=n, multiplier=2.0) for n in (2, 3)),
        "chains": _CHAINS,
        "fans": _FANS,
        "rivals": _RIVALS,
        "noise": _NOISE,
        "stress": STRESS,
        "weak": tuple(v for v in STRESS if v.false == 0.5 and (v.size == 4 or v.manner == "lexical-causal")),
        **{f"clean_{phrases}": _phrased((*_CHAINS, *_FANS, *_RIVALS), phrases) for phrases in OTHERS},
        **{f"noise_{phrases}": _phrased(_NOISE, phrases) for phrases in OTHERS},
        **{f"stress_{phrases}": _phrased(STRESS, phrases) for phrases in OTHERS},
    }
)
DEFAULT_SUITES = ("controls", "chains", "fans", "rivals", "noise", "stress")

SCENARIO_SWEEPS: Mapping[str, Mapping[float, Variant]] = MappingProxyType(
    {
        "scale": {float(n): Variant(chunks=n) for n in (20, 50, 100, 200, 500, 1_000)},
        "length": {float(n): Variant(size=n) for n in (1, 2, 3, 4, 6, 8, 10)},
        "density": {share: Variant(density=share) for share in (0.05, 0.2, 0.4, 0.6, 0.8, 0.95)},
        "noise": {share: Variant(false=share) for share in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)},
        "loss": {share: Variant(lost=share) for share in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)},
    }
)
"""Variants of a scenario, one parameter at a time. `density`: at .05 nearly only the chain asked about has premises, as
in the published scenarios; at .95 nearly every distractor has some, so that having an edge means nothing."""

ARM_SWEEPS: Mapping[str, tuple[tuple[str, str], tuple[float, ...]]] = MappingProxyType(
    {
        "lambda": (("dsgc", "lambda"), (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)),
        "depth": (("multi_hop", "depth"), (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)),
        "threshold": (("dsgc_roots", "threshold"), (0.005, 0.01, 0.015, 0.02, 0.03, 0.05)),
        "top": (("dsgc_roots", "top"), (1.0, 2.0, 3.0, 5.0, 10.0)),
        "beta": (("default", "beta"), (0.0, 0.25, 0.5, 1.0, 2.0)),
        "importance": (("default", "importance"), (0.0, 0.1, 0.3, 1.0)),
        "freshness": (("default", "freshness"), (0.0, 0.1, 0.3, 1.0)),
    }
)
"""A parameter of a policy over the given scenarios."""

BUDGETS = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0)
SWEEPS = ("budget", *SCENARIO_SWEEPS, *ARM_SWEEPS)
