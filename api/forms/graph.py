"""The JSON of a neighbourhood."""

from typing import Any

from typing_extensions import TypedDict

from api.forms.values import fill
from graph.explore import Neighbourhood


class NodeReply(TypedDict):
    """A node: its labels, and its properties without embeddings."""

    id: str
    labels: list[str]
    properties: dict[str, Any]


class EndReply(TypedDict):
    """One end of a relationship: the first label and the id of a node."""

    label: str
    id: str


class RelationshipReply(TypedDict):
    """A relationship between two of the nodes."""

    type: str
    start: EndReply
    end: EndReply
    properties: dict[str, Any]


class GraphReply(TypedDict):
    """The neighbourhood of a node; `truncated` where `limit` cut it."""

    nodes: list[NodeReply]
    relationships: list[RelationshipReply]
    truncated: bool


def graph_json(graph: Neighbourhood) -> GraphReply:
    nodes = [fill(NodeReply, node) for node in graph.nodes]
    relationships = [fill(RelationshipReply, it, start=_end(it.start), end=_end(it.end)) for it in graph.relationships]
    return {"nodes": nodes, "relationships": relationships, "truncated": graph.truncated}


def _end(end: tuple[str, str]) -> EndReply:
    return {"label": end[0], "id": end[1]}
