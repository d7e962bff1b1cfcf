"""The protocol of a retention study: which scenarios, arms, encoders and budgets, checked before anything runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graph.errors import InvalidInput
from services.retention.arms import POLICIES, RetentionArm, parse_arm
from services.retention.relevance import ENCODERS
from services.studies.protocol import read_protocol
from services.studies.retention.suites import ARM_SWEEPS, BUDGETS, SCENARIO_SWEEPS, SWEEPS

SWEPT = ("similar", "everything-with-an-edge", "dsgc", "multi_hop", "closure", "default")

StudyArms = Sequence[tuple[RetentionArm, float | None]]
"""Arms, each with where it stands on a sweep (None: where the scenario does, or there is none)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionProtocol:
    """Empty `data` is the bundled scenarios, `repeat` of each variant from seed `seed` on; empty `policy` is all."""

    data: tuple[str, ...] = ()
    suite: tuple[str, ...] = ()
    policy: tuple[str, ...] = ()
    encoder: tuple[str, ...] = ("hashing",)
    budget_multiplier: tuple[float, ...] = ()
    sweep: str | None = None
    repeat: int = 4
    seed: int = 0

    def arms(self) -> StudyArms:
        """Return the policies, or one policy at each value of the parameter that is swept."""
        if self.sweep is not None and self.sweep in ARM_SWEEPS:
            (policy, parameter), points = ARM_SWEEPS[self.sweep]
            bases = self.policy or (policy,)
            # `multi_hop@gamma=1` swept over `depth` is `multi_hop@gamma=1,depth=2`
            return tuple(
                (parse_arm(f"{base}{',' if '@' in base else '@'}{parameter}={at:g}"), at)
                for base in bases
                for at in points
            )
        return tuple((parse_arm(name), None) for name in self.policy or (SWEPT if self.sweep else POLICIES))

    @property
    def multipliers(self) -> tuple[float, ...]:
        """Budgets in multiples of the chain's tokens; empty: the budget of each scenario."""
        return self.budget_multiplier or (BUDGETS if self.sweep == "budget" else ())


def make_retention_protocol(
    options: Mapping[str, Any], *, file: Path | None = None
) -> tuple[RetentionProtocol, str | None]:
    """Make the protocol from a file and the options; returns it and the file's digest. Raises `InvalidInput`."""
    made, digest = read_protocol(RetentionProtocol, options, file=file, command="retention")
    _check(made)
    return made, digest


def _check(made: RetentionProtocol) -> None:
    for encoder in made.encoder:
        if encoder not in ENCODERS:
            raise InvalidInput(f"encoder {encoder!r}", found="no such encoder", hint=f"One of {', '.join(ENCODERS)}")
    if made.sweep is not None and made.sweep not in SWEEPS:
        raise InvalidInput(f"sweep {made.sweep!r}", found="no such sweep", hint=f"One of {', '.join(SWEEPS)}")
    if made.sweep in SCENARIO_SWEEPS and (made.data or made.suite):
        raise InvalidInput(
            f"sweep {made.sweep!r} over data", found="it makes its own scenarios", hint="Leave --data and --suite out"
        )
    if made.sweep == "budget" and made.budget_multiplier:
        raise InvalidInput("sweep 'budget' with --budget-multiplier", found="both set budgets", hint="Give one of them")
    for multiplier in made.budget_multiplier:
        if not 0 < multiplier < float("inf"):
            raise InvalidInput(
                f"budget multiplier {multiplier}", found="no size of a budget", hint="Give a number above 0"
            )
    if made.repeat < 1:
        raise InvalidInput(f"repeat {made.repeat}", found="no scenario", hint="Give 1 or more")
    if len(set(made.policy)) < len(made.policy):
        raise InvalidInput("policies", found="one of them twice", hint="Name each arm once")
    made.arms()
