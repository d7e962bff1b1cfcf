"""Arms are parsed against declared parameters, and whatever is not one of their values is refused."""

from __future__ import annotations

import pytest

from graph.errors import InvalidInput
from services.arms import Parameter, parse

DECLARED = {
    "lambda": Parameter(default=1.0),
    "temperature": Parameter(default=0.25, positive=True),
    "k": Parameter(default=5, most=50, whole=True),
}


def test_values_are_returned_by_name() -> None:
    assert parse("dsgc@lambda=0.5,k=7", declared=DECLARED, noun="policy") == {"lambda": 0.5, "k": 7.0}
    assert parse("dsgc", declared=DECLARED, noun="policy") == {}


@pytest.mark.parametrize(
    "given",
    ["lambda=nan", "lambda=inf", "lambda=-1", "lambda=", "lambda", "temperature=0", "k=51", "k=1.5", "mu=1", "k=1,k=2"],
)
def test_what_is_no_value_of_a_parameter_is_refused(given: str) -> None:
    with pytest.raises(InvalidInput):
        parse(f"dsgc@{given}", declared=DECLARED, noun="policy")
