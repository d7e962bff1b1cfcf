"""Sessions of a made-up agent, as chat lines with the premises of each step known: what inference is measured by.

Made hard on purpose: ids come again for other things, outputs are cut short, values look alike, a fifth of the steps
rests on nothing, answers speak of things in other words. What is done in a session is in `errands`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from services.transcripts.steps import Json

T = TypeVar("T")

Shape = Literal["tool_calls", "blocks", "items"]
SHAPES: tuple[Shape, ...] = ("tool_calls", "blocks", "items")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difficulty:
    """Chances: of a step that rests on nothing before another, of an output cut short, of a value that looks like one
    that is there, of an id that was used before, of an answer in other words, of a look at things that are not used.
    """

    idle: float = 0.25  # of steps without a call's result: some fifth of all is idle or rests on nothing
    cut: float = 0.15
    alike: float = 0.3
    again: float = 0.2
    reworded: float = 0.4
    beside: float = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedLog:
    """Chat lines, one step a line, and for each step (by place) what it rests on: a result's call apart."""

    lines: tuple[str, ...]
    premises: tuple[frozenset[int], ...]
    answers: tuple[int | None, ...]


class World:
    """Writes steps down with their truth; draws names and numbers."""

    def __init__(self, random: np.random.Generator, *, shape: Shape, difficulty: Difficulty) -> None:
        self.random, self.difficulty, self._shape = random, difficulty, shape
        self._messages: list[dict[str, Json]] = []
        self._premises: list[frozenset[int]] = []
        self._answers: list[int | None] = []
        self._made: dict[str, list[str]] = {}
        self.facts: list[tuple[str, int]] = []  # what may be told again much later, and whence it is known

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.random.integers(len(options)))]

    def number(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high))

    def mark(self, pattern: str) -> str:
        """A fresh id: `9` a digit, `h` a hexadecimal one, `A` a letter; now and then one character off an old one."""
        old = self._made.setdefault(pattern, [])
        while True:
            if old and self.chance(self.difficulty.alike):
                made = list(self.pick(old))
                at = self.pick([i for i, form in enumerate(pattern) if form in "9hA"])
                made[at] = self._draw(pattern[at])
                text = "".join(made)
            else:
                text = "".join(self._draw(form) if form in "9hA" else form for form in pattern)
            if text not in old:
                old.append(text)
                return text

    def _draw(self, form: str) -> str:
        return self.pick({"9": "0123456789", "h": "0123456789abcdef", "A": "ABCDEFGHKLMNPRSTUVWXYZ"}[form])

    def stranger(self, pattern: str) -> str:
        """An id of this pattern that nobody else will use: as noise in an output."""
        return self.mark(pattern)

    def user(self, text: str, needs: Iterable[int] = ()) -> int:
        return self._step({"role": "user", "content": text}, needs)

    def say(self, text: str, needs: Iterable[int] = ()) -> int:
        return self._step({"role": "assistant", "content": text}, needs)

    def call(
        self, tool: str, arguments: dict[str, Json], output: Json, needs: Iterable[int] = (), *, whole: bool = False
    ) -> int:
        """A call and its result, whose place is returned; the output may be cut short unless it must be `whole`."""
        self.idle()
        return self._called(tool, arguments, output, needs, whole=whole)

    def _called(self, tool: str, arguments: dict[str, Json], output: Json, needs: Iterable[int], *, whole: bool) -> int:
        place = len(self._messages)
        call = f"call_{place}_{self.number(0, 1 << 30):x}"
        given = json.dumps(arguments, ensure_ascii=False)
        made: dict[str, Json]
        if self._shape == "tool_calls":
            function: Json = {"name": tool, "arguments": given}
            made = {"role": "assistant", "content": None, "tool_calls": [{"id": call, "function": function}]}
        elif self._shape == "blocks":
            block: Json = {"type": "tool_use", "id": call, "name": tool, "input": arguments}
            made = {"role": "assistant", "content": [block]}
        else:
            made = {"type": "function_call", "call_id": call, "name": tool, "arguments": given}
        self._step(made, needs)
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        if not whole and len(text) > 60 and self.chance(self.difficulty.cut):
            text = text[: int(len(text) * (0.4 + 0.55 * self.random.random()))] + self.pick(
                ["...", "…", " [truncated]", "... [output truncated]"]
            )
        if self._shape == "tool_calls":
            made = {"role": "tool", "tool_call_id": call, "content": text}
        elif self._shape == "blocks":
            made = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]}
        else:
            made = {"type": "function_call_output", "call_id": call, "output": text}
        return self._step(made, (), answers=place)

    def idle(self) -> None:
        """Now and then a step that rests on nothing, with numbers and codes in it that mean nothing either."""
        while self.chance(self.difficulty.idle):
            if self.chance(0.25):
                tool, arguments, output = self.pick(ASIDE)
                shown: Json = {"at": self.number(1000, 99_999), "of": self._stray(), **output}
                self._called(tool, {**arguments, "limit": self.number(5, 50)}, shown, (), whole=False)
                continue
            text = self.pick(IDLE).format(
                number=self.number(2, 60),
                year=self.number(2019, 2027),
                port=self.pick([80, 443, 5432, 8080, 8443]),
                code=self.pick([200, 201, 204, 404, 429, 500]),
                version=f"v{self.number(1, 5)}.{self.number(0, 20)}.{self.number(0, 9)}",
                some=self._stray(),
            )
            self.say(text) if self.chance(0.7) else self.user(text)

    def _stray(self) -> str:
        patterns = list(self._made) or ["AA-9999"]
        return self.mark(self.pick(patterns))

    def _step(self, message: dict[str, Json], needs: Iterable[int], *, answers: int | None = None) -> int:
        self._messages.append(message)
        self._premises.append(frozenset(needs))
        self._answers.append(answers)
        return len(self._messages) - 1

    def log(self) -> SimulatedLog:
        lines = tuple(json.dumps(message, ensure_ascii=False) for message in self._messages)
        return SimulatedLog(lines=lines, premises=tuple(self._premises), answers=tuple(self._answers))


IDLE = (
    "Let me think about the next step for a moment.",
    "I will take this one thing at a time.",
    "Note to self: answers should stay under {number} lines.",
    "By the way, I am back at {number} past the hour.",
    "Requests that fail with {code} are tried again after {number} seconds.",
    "The gateway listens on port {port} and speaks {version}.",
    "Please use the {year} calendar from now on.",
    "Thanks, that is helpful so far!",
    "Our style guide is at revision {version}, page {number}.",
    "Someone mentioned {some} in the corridor; ignore it, it is not ours.",
    "Example for the handbook: a reference looks like {some}.",
    "Coffee first. Then let us go on.",
)

ASIDE: tuple[tuple[str, dict[str, Json], dict[str, Json]], ...] = (
    ("clock", {"zone": "UTC"}, {"time": "09:41", "zone": "UTC"}),
    ("weather", {"place": "here"}, {"sky": "held at grey", "degrees": 11}),
    ("list_tools", {}, {"tools": ["run_sql", "get_order", "read_file", "search"], "status": "ready"}),
    ("disk_usage", {}, {"used": "71 %", "status": "finished", "queue": "gpu"}),
    ("unread_mail", {}, {"mails": [{"from": "office@example.org", "about": "parcel for the tent in Lyon"}]}),
)

Errand = Callable[[World], None]


def simulate(
    errands: Sequence[Errand],
    *,
    seed: int,
    rounds: int = 10,
    difficulty: Difficulty | None = None,
    shape: Shape | None = None,
) -> SimulatedLog:
    """One session of so many errands in random order; the same seed gives the same lines."""
    random = np.random.default_rng([seed, 116])
    world = World(random, shape=shape or SHAPES[seed % len(SHAPES)], difficulty=difficulty or Difficulty())
    for _ in range(rounds):
        world.pick(errands)(world)
    return world.log()
