"""Read a log, line by line, into steps; report faults by line and keep the rest.

Results are matched with their calls and declared links with their steps here; `linking` infers other premises.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from services.limits import ID_CHARACTERS, TEXT_CHARACTERS
from services.texts import fault_in
from services.transcripts.message_formats import Misshapen, messages_in, pieces_of
from services.transcripts.steps import Json, Piece, Step

LINE_CHARACTERS = 8_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFault:
    """What is wrong with a line; lines count from 1."""

    line: int
    reason: str


@dataclass(slots=True, kw_only=True)
class _Reading:
    steps: list[Step] = field(default_factory=list)
    faults: list[LogFault] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)  # by the id of a step
    calls: dict[str, int] = field(default_factory=dict)  # by the id of a call, the latest
    waiting: list[int] = field(default_factory=list)  # calls without an id that no result has met
    numbered: dict[str, int] = field(default_factory=dict)  # pieces of a message so far


def read_log(lines: Iterable[str]) -> tuple[tuple[Step, ...], tuple[LogFault, ...]]:
    """Return steps in order, and faults by line. A faulty message gives no step; other messages of its line do."""
    reading = _Reading()
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            messages = messages_in(_json(text.removeprefix("\ufeff")))
        except (Misshapen, RecursionError) as error:
            reading.faults.append(LogFault(line=number, reason=str(error)))
            continue
        for message in messages:
            try:
                _take(reading, message, line=number)
            except (Misshapen, RecursionError) as error:
                reading.faults.append(LogFault(line=number, reason=str(error)))
    return tuple(reading.steps), tuple(reading.faults)


def _json(text: str) -> Json:
    if len(text) > LINE_CHARACTERS:
        raise Misshapen(f"the line has {len(text):,} characters, more than {LINE_CHARACTERS:,}")
    try:
        value: Json = json.loads(text)
    except ValueError as error:
        raise Misshapen(f"no JSON: {str(error)[:200]}") from error
    return value


def _take(reading: _Reading, message: Mapping[str, Json], *, line: int) -> None:
    pieces = [piece for piece in pieces_of(message) if piece.text.strip()]
    for piece in pieces:
        if fault := fault_in(piece.text, limit=TEXT_CHARACTERS, layout=True):
            raise Misshapen(f"its text: {fault}")
    named = message.get("id", message.get("uuid"))
    if named is not None and (fault := fault_in(named, limit=ID_CHARACTERS)):
        raise Misshapen(f"`id`: {fault}")
    links = _links(reading, message, line=line)
    for piece in pieces:
        place = len(reading.steps)
        identity = _identity(reading, str(named) if named is not None else f"line-{line}")
        answers = _answered(reading, piece, line=line)
        reading.steps.append(Step(id=identity, line=line, piece=piece, answers=answers, links=links))
        reading.places[identity] = place
        if piece.kind == "call":
            if piece.call:
                reading.calls[piece.call] = place
            else:
                reading.waiting.append(place)


def _identity(reading: _Reading, name: str) -> str:
    """The message's id, numbered from its second piece on, also over several lines of the same message."""
    while True:
        number = reading.numbered[name] = reading.numbered.get(name, 0) + 1
        identity = name if number == 1 else f"{name}.{number}"
        if identity not in reading.places:
            return identity


def _answered(reading: _Reading, piece: Piece, *, line: int) -> int | None:
    """The place of the call that a result belongs to: by its id, or in order where calls have none."""
    if piece.kind != "result":
        return None
    if piece.call:
        place = reading.calls.get(piece.call)
        if place is None:
            reading.faults.append(
                LogFault(line=line, reason=f"it answers the call {piece.call!r}, which no line before it makes")
            )
        return place
    for at, place in enumerate(reading.waiting):
        if piece.tool in ("", reading.steps[place].piece.tool):
            return reading.waiting.pop(at)
    return None


def _links(reading: _Reading, message: Mapping[str, Json], *, line: int) -> tuple[int, ...]:
    """Places of the steps named in `premises` and `reply_to`; an unknown name is a fault."""
    given = message.get("premises", ())
    if not isinstance(given, list | tuple):
        raise Misshapen("`premises` is no list of ids")
    reply = message.get("reply_to")
    found = []
    for name in (*given, *(() if reply is None else (reply,))):
        place = reading.places.get(name) if isinstance(name, str) else None
        if place is None:
            shown = json.dumps(name, ensure_ascii=False)[:100]
            reading.faults.append(LogFault(line=line, reason=f"its premise {shown} is no step before it"))
        else:
            found.append(place)
    return tuple(dict.fromkeys(found))
