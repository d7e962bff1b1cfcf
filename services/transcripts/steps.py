"""Steps of an agent's log, in any format: messages, tool calls, results. Values only; `reading` makes them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from graph.chunks import CHUNK_ROLES, ChunkKind, ChunkRole

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

MOST_DEEP = 50  # levels of a JSON value that are read

Kind = Literal["said", "call", "result"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Piece:
    """A part of a message that becomes a chunk.

    `value`: the arguments of a call or the output of a result, parsed if they are JSON. `call`: the id that ties both.
    `thought`: it is the model's own reasoning.
    """

    kind: Kind
    role: str
    text: str
    tool: str = ""
    call: str = ""
    value: Json = None
    failed: bool = False
    thought: bool = False

    def chunk_kind(self) -> ChunkKind:
        if self.kind != "said":
            return self.kind
        return "thought" if self.thought else "system" if self.role == "system" else "message"

    def chunk_role(self) -> ChunkRole | None:
        """Return the role, None for one that chunks do not have."""
        return self.role if self.role in CHUNK_ROLES else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """A piece at its place in the log. `links`: places of the premises that a person declared."""

    id: str
    line: int
    piece: Piece
    answers: int | None = None  # the place of the call that this is the result of
    links: tuple[int, ...] = ()


def texts_in(value: Json, *, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the texts of a JSON value, each with the key that it stands under, down to MOST_DEEP levels."""
    if isinstance(value, str):
        yield name, value
    elif depth < MOST_DEEP and isinstance(value, Mapping):
        for key, inner in value.items():
            yield from texts_in(inner, name=key, depth=depth + 1)
    elif depth < MOST_DEEP and isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner, name=name, depth=depth + 1)
