"""The made-up scenarios that studies run on where no data is given, by suite, and the variants that sweeps walk over.

Each suite is a list of variants; a study draws as many scenarios of each as it asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from types import MappingProxyType

from services.studies.retention.phrases import PHRASES
from services.studies.retention.scenarios import Variant, stress_variants

OTHERS = tuple(name for name in PHRASES if name != "office")

_CHAINS = tuple(Variant(size=n, multiplier=m) for n, m in product((1, 2, 3, 4, 6, 8), (1.0, 2.0)))
_FANS = tuple(Variant(shape="fan", size=n, multiplier=m) for n, m in product((2, 3, 4), (1.0, 1.5)))
_RIVALS = tuple(Variant(shape="rivals", size=n) for n in (2, 3, 4))
_NOISE = tuple(
    Variant(shape=s, size=n, false=false, lost=lost)
    for (s, n), (false, lost) in product((("chain", 3), ("fan", 2)), ((0.2, 0.0), (0.4, 0.0), (0.0, 0.2), (0.0, 0.4)))
)


def _said(variants: tuple[Variant, ...], phrases: str) -> tuple[Variant, ...]:
    return tuple(replace(variant, phrases=phrases) for variant in variants)


SUITES: Mapping[str, tuple[Variant, ...]] = MappingProxyType(
    {
        "controls": tuple(Variant(shape="direct", size=n, multiplier=2.0) for n in (2, 3)),
        "chains": _CHAINS,
        "fans": _FANS,
        "rivals": _RIVALS,
        "noise": _NOISE,
        "stress": stress_variants(),
        "weak": tuple(v for v in stress_variants() if v.false == 0.5 and (v.size == 4 or v.manner == "lexical-causal")),
        **{f"clean_{phrases}": _said((*_CHAINS, *_FANS, *_RIVALS), phrases) for phrases in OTHERS},
        **{f"noise_{phrases}": _said(_NOISE, phrases) for phrases in OTHERS},
        **{f"stress_{phrases}": _said(stress_variants(), phrases) for phrases in OTHERS},
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
"""What a scenario is like, one thing at a time. `density`: at .05 nearly only the chain asked about has premises, as in
the published scenarios; at .95 nearly every distractor has some, so that having an edge tells nothing."""

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
