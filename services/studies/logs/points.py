"""Points in logs at which retention is asked, and what the next calls turned out to need. Nothing is kept here."""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from graph.errors import InvalidInput, NotFound
from services.retention.identifiers import identifiers_in
from services.retention.session_arrays import ChunkArrays, PremiseArrays, TokenCounter, make_chunks, make_premises
from services.retention.units import calls_answered
from services.transcripts.as_session import LoggedSession, read_session

LAST = 4  # messages before a point that the agent has in any case


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFile:
    """The sessions of one domain, a line each; `data` is the name of the folder."""

    path: Path
    data: str
    domain: str
    digest: str

    def sessions(self) -> Iterator[tuple[str, Sequence[Any]]]:
        """Yield the id and the messages of each session. Raises `InvalidInput` for a line of another form."""
        packed = self.path.suffix == ".gz"
        with gzip.open(self.path, "rt", encoding="utf-8") if packed else self.path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    session = json.loads(line)
                    key, messages = str(session["id"]), session["messages"]
                    if not isinstance(messages, list):
                        raise TypeError("`messages` is no list")
                except (ValueError, TypeError, KeyError) as error:
                    raise InvalidInput(
                        f"line {number} of {self.path.name}",
                        found=f"no session: {error!r}"[:200],
                        hint='Give a JSON object a line: {"id": ..., "messages": [...]}',
                    ) from error
                yield key, messages


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Point:
    """What `retain` is asked before the calls of message `line`, and the identifiers that only `chunks` show of what
    these calls use. `query` is the text of the LAST messages before; `tokens` counts the log so far, these included."""

    session: str
    line: int
    chunks: ChunkArrays
    premises: PremiseArrays
    query: str
    tokens: int
    needed: frozenset[str]


def files_in(folder: Path) -> list[LogFile]:
    """Return the files DOMAIN.jsonl and DOMAIN.jsonl.gz of a folder by name, `events.jsonl` aside."""
    if not folder.is_dir():
        raise NotFound(f"the data {folder}", found="no such folder", hint="Give a folder with DOMAIN.jsonl.gz")
    found = [
        LogFile(
            path=path,
            data=folder.resolve().name,
            domain=path.name.removesuffix(".gz").removesuffix(".jsonl"),
            digest=sha256(path.read_bytes()).hexdigest(),
        )
        for path in sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")])
        if path.name != "events.jsonl"
    ]
    if not found:
        raise InvalidInput(f"the data {folder}", found="no DOMAIN.jsonl or DOMAIN.jsonl.gz", hint="Give such files")
    return found


def points_of(session: str, messages: Sequence[Any], *, counter: TokenCounter, most: int, seed: int) -> Iterator[Point]:
    """Yield at most `most` points of a session, drawn by the seed among those whose calls need something."""
    logged = read_session((json.dumps(message) for message in messages), counter=counter)
    shown = [identifiers_in(chunk.text) for chunk in logged.chunks]
    lines = np.array(logged.lines, dtype=np.int64)
    stream = np.random.default_rng([seed, *sha256(session.encode()).digest()[:8]])
    calling = sorted({line for line, it in zip(logged.lines, logged.chunks, strict=True) if it.kind == "call"})
    found = 0
    for line in stream.permutation(np.array(calling, dtype=np.int64)).tolist():
        if found == most:
            return
        if (point := _point(session, logged, lines, shown, line=line)) is not None:
            found += 1
            yield point


def _point(
    session: str, logged: LoggedSession, lines: Any, shown: Sequence[frozenset[str]], *, line: int
) -> Point | None:
    before = np.unique(lines[lines < line])
    if len(before) <= LAST:
        return None
    known = int(np.searchsorted(lines, before[-LAST]))
    here = int(np.searchsorted(lines, line))
    end = int(np.searchsorted(lines, line, side="right"))
    calls = [place for place in range(here, end) if logged.chunks[place].kind == "call"]
    said = [place for place in range(known, end) if place not in calls]
    needed = _all(shown[place] for place in calls) & _all(shown[:known]) - _all(shown[place] for place in said)
    if not needed:
        return None
    place_of = {chunk.id: place for place, chunk in enumerate(logged.chunks[:known])}
    earlier = logged.chunks[:known]
    linked = [it for it in logged.premises if it.chunk in place_of and it.premise in place_of]
    return Point(
        session=session,
        line=line,
        chunks=make_chunks(
            [chunk.text for chunk in earlier],
            tokens=[chunk.tokens for chunk in earlier],
            is_call=[chunk.kind == "call" for chunk in earlier],
            calls=calls_answered([chunk.kind for chunk in earlier], [chunk.call_id for chunk in earlier]),
        ),
        premises=make_premises(
            known,
            [(place_of[it.chunk], place_of[it.premise]) for it in linked],
            weights=[it.weight for it in linked],
            grades=[it.grade for it in linked],
        ),
        query="\n".join(chunk.text for chunk in logged.chunks[known:here]),
        tokens=sum(chunk.tokens for chunk in logged.chunks[:here]),
        needed=frozenset(needed),
    )


def _all(found: Any) -> frozenset[str]:
    return frozenset().union(*found)
