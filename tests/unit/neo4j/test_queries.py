"""Query files: what is read in a header, and what is refused."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from graph.neo4j.queries import (
    ASIDE,
    PREFIXES,
    QueryFileError,
    all_queries,
    load_fragments,
    load_queries,
    parse_query,
)
from kit.query_headers import header_of

GOOD = """// near_things: the things near to one
// and a second line of what it does
// mode: read          lines: 2026
// workspace: string          limit: integer, 1..50
// -> id: string          score: float 0..1
MATCH (t:Thing {workspace: $workspace}) // not $this
WHERE t.name <> '$that'
RETURN t.id AS id, 1.0 AS score
LIMIT $limit
"""
PATH = "things/near_things_2026.cypher"


def test_a_header_is_read() -> None:
    query = parse_query(GOOD, path=PATH)
    assert (query.name, query.mode, query.releases) == ("near_things", "read", ("2026",))
    header = header_of(query)
    assert header.what == "the things near to one and a second line of what it does"
    assert header.parameters == ("workspace", "limit")
    assert header.columns == ("id", "score")
    assert query.text.startswith("MATCH")
    assert query.text.endswith("LIMIT $limit")


def test_without_lines_it_serves_all() -> None:
    text = GOOD.replace("          lines: 2026", "")
    assert parse_query(text, path="things/near_things.cypher").releases == ("5", "2026")


def test_fragments_are_expanded_where_they_are_named() -> None:
    text = GOOD.replace("mode: read ", "mode: write, locked, kept plan ").replace("          limit: integer, 1..50", "")
    text = text.replace("LIMIT $limit\n", "").replace("t.id AS id,", "t.id AS id,\n  s {{session}} AS s,")
    query = parse_query(text, path=PATH)
    first, second, *_ = query.text.split("\n")
    assert (first, second, query.mode) == ("CYPHER replan=skip", "MATCH (w:Workspace {name: $workspace})", "write")
    assert "WHERE w:Workspace\nMATCH (t:Thing" in query.text
    fields = load_fragments()["session"].splitlines()[1]
    assert f"t.id AS id,\n  s {{\n  {fields}\n  }} AS s," in query.text
    assert "//" not in query.text.replace("// not $this", "")  # a fragment's own comments stay in its file


def test_each_fragment_is_used() -> None:
    used = set(PREFIXES.values())
    for file in (resources.files("cypher")).iterdir():
        if file.is_dir() and file.name not in ASIDE:
            for query in file.iterdir():
                used |= set(re.findall(r"\{\{(\w+)\}\}", query.read_text(encoding="utf-8")))
    assert used == set(load_fragments())


@pytest.mark.parametrize(
    ("good", "bad", "says"),
    [
        ("near_things:", "far_things:", "first line"),
        ("// mode: read          lines: 2026\n", "", "mode"),
        ("mode: read", "mode: both", "mode"),
        ("mode: read", "mode: read, hurried", "mode"),
        ("RETURN t.id", "{{thing}} RETURN t.id", "thing"),
        ("lines: 2026", "lines: 2026, 7", "7"),
        ("          lines: 2026", "", "2026"),
        ("lines: 2026", "lines: 5", "2026"),
        ("          limit: integer, 1..50", "", "does not declare"),
        ("LIMIT $limit\n", "", "does not use"),
        ("limit: integer", "limit integer", "form"),
        ("// -> id: string          score: float 0..1\n", "", "returns"),
        ("LIMIT $limit", "LIMIT $limit; MATCH (n) DELETE n", "one statement"),
    ],
)
def test_what_breaks_the_form_is_refused(good: str, bad: str, says: str) -> None:
    assert good in GOOD
    with pytest.raises(QueryFileError, match=says) as raised:
        header_of(parse_query(GOOD.replace(good, bad), path=PATH))
    assert PATH in str(raised.value)


def test_each_line_has_every_query() -> None:
    five, newer = load_queries("5"), load_queries("2026")
    assert five.keys() == newer.keys() == {query.name for query in all_queries()}
    assert five["evidence"].path == "evidence/evidence_5.cypher"
    assert newer["evidence"].path == "evidence/evidence_2026.cypher"


def test_writing_queries_take_the_workspaces_lock() -> None:
    """All but those that make or delete the workspace itself, and records that nothing else depends on."""
    without = {"create_workspace", "delete_workspace", "record_discovery"}
    for query in all_queries():
        if query.mode == "write" and query.name not in without:
            assert "SET w.locked = true\nREMOVE w.locked" in query.text, query.path
