"""Load the query files under `cypher/`, expand their fragments, and check each against its header.

A header says what a query does, its mode, its parameters and the columns it returns; nothing here talks to a server.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import takewhile
from typing import Literal

Mode = Literal["read", "write"]
Release = Literal["5", "2026"]
RELEASES: tuple[Release, ...] = ("5", "2026")

# Schema scripts and queries for people to paste have no header; fragments are parts of queries.
ASIDE = ("schema", "browser", "fragments", "__pycache__")
# The words that may follow the mode: each stands for the fragment that begins the query, in this order.
PREFIXES = {"kept plan": "kept_plan", "locked": "lock"}

_NAME = re.compile(r"// (?P<name>[a-z][a-z0-9_]*): (?P<what>.+)")
_MODE = re.compile(
    r"// mode: (?P<mode>read|write)(?P<prefixes>(?:, (?:locked|kept plan))*)"
    r"(?: {2,}lines: (?P<releases>\w+(?:, \w+)*))?(?: {2,}also serves: (?P<also>[a-z_]+))?"
)
_FRAGMENT = re.compile(r"\{\{(\w+)\}\}")
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
    """One statement, expanded, with what its header declares.

    `name` is that of the file without the release, `operations` are those of the ports that run it.
    """

    name: str
    operations: tuple[str, ...]
    what: str
    mode: Mode
    releases: tuple[Release, ...]
    parameters: tuple[str, ...]
    columns: tuple[str, ...]
    path: str
    header: str
    text: str


def load_queries(release: Release) -> dict[str, Query]:
    """Return the queries for this server release, by name. Raises `QueryFileError` for the first malformed file."""
    queries: dict[str, Query] = {}
    for query in all_queries():
        if release not in query.releases:
            continue
        if query.name in queries:
            raise QueryFileError(query.path, f"serves release {release} as {queries[query.name].path} does")
        queries[query.name] = query
    return queries


def all_queries() -> tuple[Query, ...]:
    """Return every query file, by path, without schema scripts, fragments and queries for people."""
    found = []
    for folder in sorted(files("cypher").iterdir(), key=lambda entry: entry.name):
        if folder.is_dir() and folder.name not in ASIDE:
            found += [read_query(file, folder=folder.name) for file in _cypher_files(folder)]
    return tuple(found)


def _cypher_files(folder: Traversable) -> list[Traversable]:
    return sorted((f for f in folder.iterdir() if f.name.endswith(".cypher")), key=lambda file: file.name)


@cache
def load_fragments() -> Mapping[str, str]:
    """Return the texts of `cypher/fragments/`, by name, without their leading comments."""
    found = {}
    for file in _cypher_files(files("cypher") / "fragments"):
        name, text = file.name.removesuffix(".cypher"), file.read_text(encoding="utf-8")
        header = _header(text)
        first = _NAME.fullmatch(header[0]) if header else None
        if first is None or first["name"] != name:
            raise QueryFileError(f"fragments/{file.name}", f"the first line must be `// {name}: what it does`")
        found[name] = "\n".join(text.splitlines()[len(header) :]).strip()
    return found


def read_query(file: Traversable, *, folder: str) -> Query:
    return parse_query(file.read_text(encoding="utf-8"), path=f"{folder}/{file.name}")


def parse_query(text: str, *, path: str) -> Query:
    """Read a query, expand its fragments, and check the result against its header of fixed lines."""
    header = _header(text)
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
    releases = _releases(mode["releases"], path=path)
    if suffix is not None and releases != (suffix[1],):
        raise QueryFileError(path, f"its name says that it serves release {suffix[1]}; `lines:` must say so too")

    returns = next((i for i, line in enumerate(header) if line.startswith("// ->")), len(header))
    if returns == len(header):
        raise QueryFileError(path, "a line `// -> column: type` must say what it returns")
    parameters = _names(header[at + 1 : returns], path=path)
    prefixes = [f"{{{{{name}}}}}" for word, name in PREFIXES.items() if word in mode["prefixes"].split(", ")]
    body = _expand([*prefixes, *text.strip().splitlines()[len(header) :]], path=path)
    used = set(re.findall(r"\$([A-Za-z_]\w*)", _QUOTED.sub(" ", body)))
    if undeclared := used - set(parameters):
        raise QueryFileError(path, f"uses parameters that its header does not declare: {sorted(undeclared)}")
    if unused := set(parameters) - used:
        raise QueryFileError(path, f"declares parameters that it does not use: {sorted(unused)}")
    if ";" in _QUOTED.sub(" ", body):
        raise QueryFileError(path, "holds more than one statement")
    return Query(
        name=name,
        operations=(name, mode["also"]) if mode["also"] else (name,),
        what=" ".join([first["what"], *(line.removeprefix("//").strip() for line in header[1:at])]),
        mode="read" if mode["mode"] == "read" else "write",
        releases=releases,
        parameters=parameters,
        columns=_names([line.replace("->", "", 1) for line in header[returns:]], path=path),
        path=path,
        header="\n".join(header),
        text=body,
    )


def _header(text: str) -> list[str]:
    return list(takewhile(lambda line: line.startswith("//"), text.splitlines()))


def _expand(lines: list[str], *, path: str) -> str:
    """Put each fragment where a line names it, as far indented as that line."""
    fragments = load_fragments()
    expanded = []
    for line in lines:
        margin = "\n" + " " * (len(line) - len(line.lstrip()))
        for name in _FRAGMENT.findall(line):
            if name not in fragments:
                raise QueryFileError(path, f"names a fragment that is not in cypher/fragments: {name}")
            line = line.replace(f"{{{{{name}}}}}", fragments[name].replace("\n", margin))
        expanded.append(line)
    return "\n".join(expanded).strip()


def _releases(said: str | None, *, path: str) -> tuple[Release, ...]:
    if said is None:
        return RELEASES
    releases = tuple(release for release in RELEASES if release in said.split(", "))
    if len(releases) != len(said.split(", ")):
        raise QueryFileError(path, f"`lines: {said}` names a release other than {', '.join(RELEASES)}")
    return releases


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
