"""Arms: a rule or policy with parameters, written `name@key=value,key=value`, parsed against what is declared.

Discovery rules and retention policies declare their names and parameters in rooms of their own; both are parsed here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite

from graph.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A declared parameter: its default, and the bounds within which a value must lie.

    `positive` excludes 0, for what is divided by; `whole` accepts integers only.
    """

    default: float = 0.0
    least: float = 0.0
    most: float = inf
    positive: bool = False
    whole: bool = False

    def accepts(self, value: float) -> bool:
        """True if the value is finite, within the bounds, and whole or positive where that is declared."""
        within = isfinite(value) and self.least <= value <= self.most
        return within and not (self.positive and value == 0) and not (self.whole and not value.is_integer())

    def describe(self) -> str:
        """The accepted values in words, for an error's hint."""
        kind = "a whole number" if self.whole else "a number"
        low = "above 0" if self.positive else f"from {self.least:g}"
        return f"{kind} {low}" + ("" if self.most == inf else f" to {self.most:g}")


def split(arm: str) -> tuple[str, str]:
    """The name before the first `@`, and the text of the parameters after it."""
    name, _, rest = arm.partition("@")
    return name, rest


def parse(arm: str, *, declared: Mapping[str, Parameter], noun: str) -> dict[str, float]:
    """Parse the parameters of an arm: the values given, by name, without defaults.

    `noun` is what the arm is called in errors ("rule", "policy"). Raises `InvalidInput` for a parameter that is not
    declared, is given twice, is no finite number, or lies outside its bounds.
    """
    name, rest = split(arm)
    found: dict[str, float] = {}
    for part in rest.split(",") if rest else ():
        key, _, text = part.partition("=")
        asked = f"parameter {part!r} of {noun} {name!r}"
        if key not in declared:
            known = ", ".join(declared) or "no parameters"
            raise InvalidInput(asked, found="no such parameter", hint=f"Give key=number; {name} has {known}")
        if key in found:
            raise InvalidInput(asked, found=f"{key} was given before", hint="Give each parameter once")
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not declared[key].accepts(value):
            raise InvalidInput(asked, found=f"{text!r} for {key}", hint=f"{key} is {declared[key].describe()}")
        found[key] = value
    return found
