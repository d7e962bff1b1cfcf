"""Port operations and query files are the same set, and each file's header holds to its text and its operation.

The analyser is Neo4j's own, offline; what live servers say of the same files is in `test_query_plans`.
"""

from __future__ import annotations

import inspect
import re
from importlib import resources

import pytest

from graph.catalogue import Catalogue
from graph.changes import ChangeFeed
from graph.chunks import Chunks
from graph.embeddings import EmbeddingStore
from graph.evidence import EvidenceSource
from graph.explore import GraphExplorer
from graph.feedback import FeedbackStore
from graph.memories import Memories
from graph.neo4j.queries import Query, all_queries, load_fragments
from graph.premises import Premises
from graph.session_contents import SessionReader
from graph.sessions import Sessions
from graph.workspaces import Workspaces
from kit import cypher_analysis
from kit.query_headers import header_of

NOUNS = {
    "workspaces": (Workspaces,),
    "catalogue": (Catalogue,),
    "memories": (Memories,),
    "evidence": (EvidenceSource,),
    "changes": (ChangeFeed,),
    "embeddings": (EmbeddingStore,),
    "feedback": (FeedbackStore,),
    "explore": (GraphExplorer,),
    "sessions": (Sessions, SessionReader),
    "chunks": (Chunks,),
    "premises": (Premises,),
}
QUERIES = {query.path: query for query in all_queries()}
OPERATIONS = {
    (noun, name) for noun, ports in NOUNS.items() for port in ports for name in vars(port) if not name.startswith("_")
}

LABELS = ["Workspace", "Leaving", "DataObject", "Table", "Attribute", "Memory", "Intent", "Discovery", "Reply", "Trust"]
LABELS += ["Session", "Chunk", "Archived", "Tombstone"]
RELATIONSHIPS = ["HOLDS", "HAS_ATTRIBUTE", "REFERENCES", "FOR", "FOUND", "EXPECTED", "ASKED_IN", "IN"]
RELATIONSHIPS += ["CONTAINS", "PREMISE", "OF"]


def served_by(query: Query) -> set[str]:
    noun = query.path.split("/")[0]
    return {f"{noun}/{name} on {release}" for name in query.operations for release in query.releases}


def test_each_operation_has_one_query_a_release_and_each_query_an_operation() -> None:
    wanted = {f"{noun}/{name} on {line}" for noun, name in OPERATIONS for line in ("5", "2026")}
    files = [query for query in QUERIES.values() if not query.path.startswith("deletion/")]
    served = [each for query in files for each in served_by(query)]
    assert set(served) == wanted
    assert len(served) == len(set(served))


@pytest.mark.parametrize(("noun", "name"), sorted(OPERATIONS))
def test_an_operation_on_a_workspace_has_it_as_a_parameter(noun: str, name: str) -> None:
    takes_workspace = {"workspace", "name"} & set(
        inspect.signature(next(getattr(port, name) for port in NOUNS[noun] if hasattr(port, name))).parameters
    )
    for query in QUERIES.values():
        if name in query.operations:
            assert ("workspace" in header_of(query).parameters) == bool(takes_workspace)


@pytest.mark.parametrize("path", QUERIES)
def test_a_header_holds_to_its_text(path: str) -> None:
    assert header_of(QUERIES[path]).what


@pytest.mark.parametrize("path", sorted(load_fragments()))
def test_a_fragment_begins_with_its_name_and_what_it_does(path: str) -> None:
    text = resources.files("cypher").joinpath("fragments", f"{path}.cypher").read_text(encoding="utf-8")
    assert re.match(rf"// {path}: \S", text)


@pytest.mark.parametrize("path", QUERIES)
def test_values_travel_as_parameters_and_answers_have_one_order(path: str) -> None:
    query = QUERIES[path]
    code = re.sub(r"//[^\n]*", "", query.text)
    for part in re.findall(r"ORDER BY ([^\n]+(?:\n\s+[^\n]+)*?)(?=\n\s*(?:LIMIT|SKIP|WITH|RETURN|\})|\Z)", code):
        assert re.search(r"\b\w*(?:id|name|sort_key|key)\b", part), f"no id ends the order `{part}`"
    assert re.match(r"\s*(?:CYPHER 25\s)?", code)


@pytest.mark.parametrize("path", QUERIES)
def test_a_hint_asks_for_a_seek(path: str) -> None:
    """One that names the index alone is content with a scan of it, all workspaces' nodes for each row."""
    assert re.findall(r"USING INDEX (?!SEEK )", QUERIES[path].text) == []


@pytest.mark.tier("landing")
def test_neo4js_analyser_has_nothing_against_them() -> None:
    asked = [
        {
            "text": query.text,
            "schema": {
                "labels": LABELS,
                "relationshipTypes": RELATIONSHIPS,
                "parameters": dict.fromkeys(header_of(query).parameters, ""),
                "defaultLanguage": "CYPHER 5",
            },
        }
        for query in QUERIES.values()
    ]
    said = dict(zip(QUERIES, cypher_analysis.analyse(asked), strict=True))
    assert {path: problems for path, problems in said.items() if problems} == {}
