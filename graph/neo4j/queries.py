"""Load the query files under `cypher/`, expand their fragments, and read from each header what its query serves.

A header says more than is read here, for people; `tests/kit/query_headers.py` checks all of it. Nothing here talks to a
server.
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

_MODE = re.compile(
    r"// mode: (?P<mode>read|write)(?P<prefixes>(?:, (?:locked|kept plan))*)"
    r"(?: {2,}lines: (?P<releases>\w+(?:, \w+)*))?(?: {2,}also serves: (?P<also>[a-z_]+))?"
)
_FRAGMENT = re.compile(r"\{\{(\w+)\}\}")
_SUFFIX = re.compile(r"_(5|2026)$")


class QueryFileError(Exception):
    """A query file breaks the form that its header promises."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"cypher/{path}: {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One statement, expanded, below its header.

    `name` is that of the file without the release, `operations` are those of the ports that run it.
    """

    name: str
    operations: tuple[str, ...]
    mode: Mode
    releases: tuple[Release, ...]
    path: str
    header: str
    text: str


def load_queries(release: Release) -> dict[str, Query]:
    """Return the queries for this server release, by name. Raises `QueryFileError` for the first malformed file."""
    return {query.name: query for query in all_queries() if release in query.releases}


def all_queries() -> tuple[Query, ...]:
    """Return every query file, by path, without schema scripts, fragments and queries for people."""
    found = []
    for folder in sorted(files("cypher").iterdir(), key=lambda entry: entry.name):
        if folder.is_dir() and folder.name not in ASIDE:
            found += [
                parse_query(file.read_text(encoding="utf-8"), path=f"{folder.name}/{file.name}")
                for file in _cypher_files(folder)
            ]
    return tuple(found)


def _cypher_files(folder: Traversable) -> list[Traversable]:
    return sorted((f for f in folder.iterdir() if f.name.endswith(".cypher")), key=lambda file: file.name)


@cache
def load_fragments() -> Mapping[str, str]:
    """Return the texts of `cypher/fragments/`, by name, without their leading comments."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in _cypher_files(files("cypher") / "fragments")}
    return {name.removesuffix(".cypher"): _body(text).strip() for name, text in texts.items()}


def parse_query(text: str, *, path: str) -> Query:
    """Read a query, and expand its fragments."""
    header = _header(text)
    mode = next(filter(None, map(_MODE.fullmatch, header)), None)
    if mode is None:
        raise QueryFileError(path, "a line `// mode: read` or `// mode: write` must follow what it does")
    name = _SUFFIX.sub("", path.rpartition("/")[2].removesuffix(".cypher"))
    lines = mode["releases"].split(", ") if mode["releases"] else RELEASES
    prefixes = [f"{{{{{name}}}}}" for word, name in PREFIXES.items() if word in mode["prefixes"].split(", ")]
    return Query(
        name=name,
        operations=(name, mode["also"]) if mode["also"] else (name,),
        mode="read" if mode["mode"] == "read" else "write",
        releases=tuple(release for release in RELEASES if release in lines),
        path=path,
        header="\n".join(header),
        text=_expand([*prefixes, *_body(text).splitlines()], path=path),
    )


def _body(text: str) -> str:
    return "\n".join(text.splitlines()[len(_header(text)) :])


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
