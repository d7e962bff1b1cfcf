"""What an agent's log is made of, whatever the shape it was written in: things said, tools called, results.

Values only; shapes are read in `shapes`, files in `reading`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

Kind = Literal["said", "call", "result"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Piece:
    """A part of a line that becomes a chunk of its own.

    `value` holds the arguments of a call or the output of a result, parsed where they are JSON. `call` ties the two.
    """

    kind: Kind
    role: str
    text: str
    tool: str = ""
    call: str = ""
    value: Json = None
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """A piece at its place in the log. `links` are the places of the steps that a person said it rests on."""

    id: str
    line: int
    piece: Piece
    answers: int | None = None  # the place of the call that this is the result of
    links: tuple[int, ...] = ()
