"""Steps of an agent's log, in any format: messages, tool calls, results. Values only; `reading` makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

Kind = Literal["said", "call", "result"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Piece:
    """A part of a message that becomes a chunk.

    `value`: the arguments of a call or the output of a result, parsed if they are JSON. `call`: the id that ties both.
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
    """A piece at its place in the log. `links`: places of the premises that a person declared."""

    id: str
    line: int
    piece: Piece
    answers: int | None = None  # the place of the call that this is the result of
    links: tuple[int, ...] = ()
