"""The sentences of generated scenarios, several sets of them, so that a policy cannot have been fitted to one wording.

The words stand in `phrases.toml`; which chunk needs which is decided in `scenarios`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Words and templates, `{person}` and so on standing for what is drawn."""

    kinds: tuple[str, ...]
    people: tuple[str, ...]
    acts: tuple[str, ...]
    things: tuple[str, ...]
    chatter: tuple[str, ...]
    holds: str
    stands: str
    lets: str
    asks: str
    both: str
    query: str
    direct: tuple[str, ...]
    joint: str = " and "
    named: str = "{kind} {mark}"
    marks: Mapping[str, str] = field(default_factory=dict)

    def mark(self, kind: str) -> str:
        """Return what identifiers of a kind begin with."""
        return self.marks.get(kind, kind)


def first_up(text: str) -> str:
    """Return the text with its first letter in upper case."""
    return text[0].upper() + text[1:]


def _read(entries: Mapping[str, Any]) -> Phrases:
    values: dict[str, Any] = {key: tuple(it) if isinstance(it, list) else it for key, it in entries.items()}
    return Phrases(**values)


HEADS = ("bra", "cor", "del", "fin", "gal", "hol", "jun", "kel", "lam", "mor", "nar", "pel", "rud", "sol")
TAILS = ("bin", "dex", "fal", "gor", "lin", "mas", "nok", "ris", "tam", "vel", "wen", "zar")
"""Syllables of plain words that name things where identifiers are hidden."""

_TEXT = resources.files(__package__).joinpath("phrases.toml").read_text(encoding="utf-8")
PHRASES: Mapping[str, Phrases] = MappingProxyType({name: _read(it) for name, it in tomllib.loads(_TEXT).items()})
