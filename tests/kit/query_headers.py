"""The header of a query file, read in full and held to its text: what it does, mode, parameters and columns.

A server takes a query as it stands; what its header promises is checked here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graph.neo4j.queries import RELEASES, Query, QueryFileError

NAME = re.compile(r"// (?P<name>[a-z][a-z0-9_]*): (?P<what>.+)")
ENTRY = re.compile(r"(?P<name>[a-z_]+): \S.*")
QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
SUFFIX = re.compile(r"_(5|2026)\.cypher$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a header declares, besides what the loader reads."""

    what: str
    parameters: tuple[str, ...]
    columns: tuple[str, ...]


def header_of(query: Query) -> Header:
    """Read the fixed lines of the header. Raises `QueryFileError` for what is missing, and where the text differs."""
    lines, path = query.header.splitlines(), query.path
    first = NAME.fullmatch(lines[0])
    if first is None or first["name"] != query.name:
        raise QueryFileError(path, f"the first line must be `// {query.name}: what it does`")
    at = next(i for i, line in enumerate(lines) if line.startswith("// mode:"))
    said = re.findall(r"  lines: (\w+(?:, \w+)*)", lines[at])
    if said and said != [", ".join(query.releases)]:
        raise QueryFileError(path, f"`lines: {said[0]}` names a release other than {', '.join(RELEASES)}")
    suffix = SUFFIX.search(path)
    if suffix is not None and query.releases != (suffix[1],):
        raise QueryFileError(path, f"its name says that it serves release {suffix[1]}; `lines:` must say so too")
    returns = next((i for i, line in enumerate(lines) if line.startswith("// ->")), None)
    if returns is None:
        raise QueryFileError(path, "a line `// -> column: type` must say what it returns")
    header = Header(
        what=" ".join([first["what"], *(line.removeprefix("//").strip() for line in lines[1:at])]),
        parameters=_names(lines[at + 1 : returns], path=path),
        columns=_names([line.replace("->", "", 1) for line in lines[returns:]], path=path),
    )
    bare = QUOTED.sub(" ", query.text)
    used = set(re.findall(r"\$([A-Za-z_]\w*)", bare))
    if undeclared := used - set(header.parameters):
        raise QueryFileError(path, f"uses parameters that its header does not declare: {sorted(undeclared)}")
    if unused := set(header.parameters) - used:
        raise QueryFileError(path, f"declares parameters that it does not use: {sorted(unused)}")
    if ";" in bare:
        raise QueryFileError(path, "holds more than one statement")
    return header


def _names(lines: list[str], *, path: str) -> tuple[str, ...]:
    """The names in lines of `name: type` entries, set apart by two blanks or more."""
    names = []
    for line in lines:
        for entry in re.split(r" {2,}", line.removeprefix("//").strip()):
            match = ENTRY.fullmatch(entry)
            if match is None:
                raise QueryFileError(path, f"`{entry}` is not of the form `name: type`")
            names.append(match["name"])
    return tuple(names)
