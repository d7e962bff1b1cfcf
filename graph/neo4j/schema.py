"""The schema of the database: numbered scripts under `cypher/schema/`, each run once, in order, and recorded.

A `(:Schema)` node records a script by its number, name and checksum; a released script is never edited.
"""

import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from neo4j.exceptions import ClientError

from graph.errors import SchemaMismatch, StoreUnavailable
from graph.neo4j.connection import Connection
from graph.neo4j.failures import translated
from graph.neo4j.queries import Release

# The states of an index that is dropped, where it is there, and created again.
MISSING, FAILED = "missing", "FAILED"
NARROW, QUANTISED = "for vectors of one width alone", "quantised, which makes cosines of it inexact"
BROKEN = (MISSING, FAILED, NARROW, QUANTISED)
MADE_MEANWHILE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"  # by another process, despite IF NOT EXISTS
INDEX_SECONDS = 300  # how long to wait for indexes to be filled

_SCRIPT = re.compile(r"V(?P<number>\d{3})__(?P<name>[a-z][a-z0-9_]*?)(?:_(?P<release>5|2026))?\.cypher")

_MADE_CONSTRAINT = re.compile(r"CREATE CONSTRAINT (\w+)")
_MADE_INDEX = re.compile(r"CREATE (?:VECTOR |FULLTEXT )?INDEX (\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One numbered script."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    @property
    def statements(self) -> tuple[str, ...]:
        bare = "\n".join(line for line in self.text.splitlines() if not line.startswith("//"))
        return tuple(statement.strip() for statement in bare.split(";\n") if statement.strip())


def load_scripts(release: Release) -> tuple[Script, ...]:
    """Return the scripts for this server release, by number."""
    scripts = []
    for file in files("cypher").joinpath("schema").iterdir():
        match = _SCRIPT.fullmatch(file.name)
        if match is not None and match["release"] in (None, release):
            text = file.read_text(encoding="utf-8")
            scripts.append(Script(number=int(match["number"]), name=file.name, text=text))
    return tuple(sorted(scripts, key=lambda script: script.number))


def migrate(connection: Connection) -> tuple[str, ...]:
    """Bring the schema up to date, recreate indexes that are missing or broken, and wait until all are online.

    Returns a sentence for each index that was recreated. Raises `SchemaMismatch` where the database has an older form
    or a newer schema, and `StoreUnavailable` where an index is not online in time.
    """
    scripts = load_scripts(connection.capabilities.release)
    with translated("bring the schema up to date", url=connection.url):
        recorded = applied(connection)
        newest = max(recorded, default=0)
        for script in scripts:
            name, checksum = recorded.get(script.number, (None, None))
            if name == script.name and checksum != script.checksum:
                raise SchemaMismatch(
                    "open the store",
                    found=f"the database was made with another script {script.name}",
                    hint="`retinue export` with the commit that wrote it, and `retinue import` into an empty database",
                )
        if newest > scripts[-1].number:
            raise SchemaMismatch(
                "open the store",
                found=f"its schema is number {newest}, this version knows {scripts[-1].number}",
                hint="Install the newer version that wrote it",
            )
        for script in scripts:
            name = recorded.get(script.number, (None, None))[0]
            # Another name under the same number: the database was moved to a server of another release.
            if name != script.name:
                _apply(connection, script, recreate=name is not None)
        mended = _mend(connection, scripts)
    await_indexes(connection, seconds=INDEX_SECONDS)
    return mended


def applied(connection: Connection) -> dict[int, tuple[str, str]]:
    """Return by number the name and checksum of each script that was run on the database."""
    rows = connection.execute("MATCH (s:Schema) RETURN s.number AS number, s.name AS name, s.checksum AS checksum")
    return {row["number"]: (row["name"], row["checksum"]) for row in rows}


def await_indexes(connection: Connection, *, seconds: float) -> None:
    """Wait until every index is online. Raises `StoreUnavailable` where that takes longer, or one has failed."""
    until = time.monotonic() + seconds
    while problems := index_problems(connection):
        if time.monotonic() > until or any(FAILED in problem for problem in problems):
            raise StoreUnavailable(
                "open the store", found="; ".join(problems), hint="Try again later, or see `retinue doctor`"
            )
        time.sleep(0.1)


def expected_indexes(release: Release) -> tuple[str, ...]:
    """Return the names of all indexes that the scripts create, those behind constraints too."""
    return tuple(
        name
        for script in load_scripts(release)
        for made in (_MADE_CONSTRAINT, _MADE_INDEX)
        for name in made.findall(script.text)
    )


def index_problems(connection: Connection) -> list[str]:
    """Return a sentence for each index that is not online."""
    with translated("look at the indexes", url=connection.url):
        states = index_states(connection)
    return [f"index {name} is {state}" for name, state in states.items() if state != "ONLINE"]


def index_states(connection: Connection) -> dict[str, str]:
    """Return by name the state of each index that the scripts create: ONLINE, POPULATING, or one of BROKEN."""
    rows = connection.execute("SHOW INDEXES YIELD name, state, options")
    there = {row["name"]: _unlike_ours(row["options"]) or row["state"] for row in rows}
    return {name: there.get(name, MISSING) for name in expected_indexes(connection.capabilities.release)}


def _unlike_ours(options: Mapping[str, Any] | None) -> str | None:
    """Return how a vector index differs from ours, which take vectors of any width, unquantised. One made by hand for a
    single width leaves out all others, in silence; a quantised one, the server's default, gives inexact cosines."""
    made = (options or {}).get("indexConfig") or {}
    if "vector.dimensions" in made:
        return NARROW
    # release 5 says whether, release 2026 how
    rough = made.get("vector.quantization.enabled") or made.get("vector.quantization.type", "NONE") != "NONE"
    return QUANTISED if rough else None


def _mend(connection: Connection, scripts: Sequence[Script]) -> tuple[str, ...]:
    broken = {name: state for name, state in index_states(connection).items() if state in BROKEN}
    for name, state in broken.items():
        if state != MISSING:
            connection.execute(f"DROP INDEX {name} IF EXISTS")
    if broken:
        for script in scripts:
            _apply(connection, script, recreate=False)
    return tuple(f"index {name} was {state} and has been recreated" for name, state in broken.items())


def _apply(connection: Connection, script: Script, *, recreate: bool) -> None:
    if recreate:
        for name in _MADE_INDEX.findall(script.text):
            connection.execute(f"DROP INDEX {name} IF EXISTS")
    for statement in script.statements:
        try:
            connection.execute(statement)
        except ClientError as error:
            if error.code != MADE_MEANWHILE:
                raise
    connection.execute(
        "MERGE (s:Schema {number: $number}) SET s.name = $name, s.checksum = $checksum, s.applied_at = datetime()",
        number=script.number,
        name=script.name,
        checksum=script.checksum,
    )
