"""The query files under `cypher/`: found, read, and held to their headers when loaded.

A header says what a query does, its mode, its parameters and the columns it returns; nothing here talks to a server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

Mode = Literal["read", "write"]
Line = Literal["5", "2026"]
LINES: tuple[Line, ...] = ("5", "2026")

# Schema scripts and queries for people to paste have no header of ours.
ASIDE = ("schema", "browser", "__pycache__")

_NAME = re.compile(r"// (?P<name>[a-z][a-z0-9_]*): (?P<what>.+)")
_MODE = re.compile(r"// mode: (?P<mode>read|write)(?: {2,}lines: (?P<lines>\w+(?:, \w+)*))?")
_PARAMETER = re.compile(r"(?P<name>[a-z_]+): \S.*")
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_SUFFIX = re.compile(r"_(5|2026)$")


class QueryFileError(Exception):
    """A query file breaks the form that its header promises."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"cypher/{path}: {problem}")
        self.path = path


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One statement with what its header declares; `name` is the port operation, without the server line."""

    name: str
    what: str
    mode: Mode
    lines: tuple[Line, ...]
    parameters: tuple[str, ...]
    columns: tuple[str, ...]
    path: str
    text: str


def load_queries(line: Line) -> dict[str, Query]:
    """The queries that serve this server line, by name; raises `QueryFileError` for the first that is not in form."""
    queries: dict[str, Query] = {}
    for query in all_queries():
        if line not in query.lines:
            continue
        if query.name in queries:
            raise QueryFileError(query.path, f"serves line {line} as {queries[query.name].path} does")
        queries[query.name] = query
    return queries


def all_queries() -> tuple[Query, ...]:
    """Every query file, those of upkeep too, schema scripts and queries for people aside; by path."""
    found = []
    for folder in sorted(files("cypher").iterdir(), key=lambda entry: entry.name):
        if folder.is_dir() and folder.name not in ASIDE:
            found += [read_query(file, folder=folder.name) for file in _cypher_files(folder)]
    return tuple(found)


def _cypher_files(folder: Traversable) -> list[Traversable]:
    return sorted((f for f in folder.iterdir() if f.name.endswith(".cypher")), key=lambda file: file.name)


def read_query(file: Traversable, *, folder: str) -> Query:
    return parse_query(file.read_text(encoding="utf-8"), path=f"{folder}/{file.name}")


def parse_query(text: str, *, path: str) -> Query:
    """Reads a query with its header of fixed lines and checks one against the other."""
    header = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        header.append(line)
    stem = path.rpartition("/")[2].removesuffix(".cypher")
    suffix = _SUFFIX.search(stem)
    name = _SUFFIX.sub("", stem)

    first = _NAME.fullmatch(header[0]) if header else None
    if first is None or first["name"] != name:
        raise QueryFileError(path, f"the first line must be `// {name}: what it does`")
    at = next((i for i, line in enumerate(header) if line.startswith("// mode:")), 0)
    mode = _MODE.fullmatch(header[at])
    if mode is None:
        raise QueryFileError(path, "a line `// mode: read` or `// mode: write` must follow what it does")
    lines = _lines(mode["lines"], path=path)
    if suffix is not None and lines != (suffix[1],):
        raise QueryFileError(path, f"its name says that it serves line {suffix[1]}; `lines:` must say so too")

    returns = next((i for i, line in enumerate(header) if line.startswith("// ->")), len(header))
    if returns == len(header):
        raise QueryFileError(path, "a line `// -> column: type` must say what it returns")
    parameters = _names(header[at + 1 : returns], path=path)
    body = "\n".join(text.splitlines()[len(header) :]).strip()
    used = set(re.findall(r"\$([A-Za-z_]\w*)", _QUOTED.sub(" ", body)))
    if undeclared := used - set(parameters):
        raise QueryFileError(path, f"uses parameters that its header does not declare: {sorted(undeclared)}")
    if unused := set(parameters) - used:
        raise QueryFileError(path, f"declares parameters that it does not use: {sorted(unused)}")
    if ";" in _QUOTED.sub(" ", body):
        raise QueryFileError(path, "holds more than one statement")
    return Query(
        name=name,
        what=" ".join([first["what"], *(line.removeprefix("//").strip() for line in header[1:at])]),
        mode="read" if mode["mode"] == "read" else "write",
        lines=lines,
        parameters=parameters,
        columns=_names([line.replace("->", "", 1) for line in header[returns:]], path=path),
        path=path,
        text=body,
    )


def _lines(said: str | None, *, path: str) -> tuple[Line, ...]:
    if said is None:
        return LINES
    lines = tuple(line for line in LINES if line in said.split(", "))
    if len(lines) != len(said.split(", ")):
        raise QueryFileError(path, f"`lines: {said}` names a server line other than {', '.join(LINES)}")
    return lines


def _names(lines: list[str], *, path: str) -> tuple[str, ...]:
    """The names in lines of `name: type` entries, set apart by two blanks or more."""
    names = []
    for line in lines:
        for entry in re.split(r" {2,}", line.removeprefix("//").strip()):
            match = _PARAMETER.fullmatch(entry)
            if match is None:
                raise QueryFileError(path, f"`{entry}` is not of the form `name: type`")
            names.append(match["name"])
    return tuple(names)
