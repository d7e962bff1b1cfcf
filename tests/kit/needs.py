"""What tests may need beyond Python: each need has a name, and its absence a loud skip or, where required, a failure.

`RETINUE_REQUIRE` lists the needs that must be there (`contracts.md`); how a need is met is the business of its fixture.
"""

from __future__ import annotations

import os
from typing import Literal, NoReturn, get_args

import pytest

Need = Literal["neo4j", "neural", "browser", "postgres", "node", "shared"]
NEEDS: tuple[Need, ...] = get_args(Need)


def required() -> frozenset[str]:
    """The needs that `RETINUE_REQUIRE` names; an unknown name is an error, as it would otherwise require nothing."""
    named = frozenset(os.environ.get("RETINUE_REQUIRE", "").replace(",", " ").split())
    if unknown := sorted(named - set(NEEDS)):
        raise pytest.UsageError(f"RETINUE_REQUIRE names {', '.join(unknown)}; it knows {', '.join(NEEDS)}")
    return named


def lacking(need: Need, *, reason: str, command: str) -> NoReturn:
    """Skips the test loudly, or fails it where the need is required; `command` would make it run."""
    said = f"needs {need}: {reason}; to run it: {command}"
    if need in required():
        pytest.fail(f"{said} (RETINUE_REQUIRE names {need})", pytrace=False)
    pytest.skip(said)
