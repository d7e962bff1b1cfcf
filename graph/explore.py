"""The neighbourhood of a node as people see it, and the port that reads it.

Nothing here is used for scoring.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node as people see it: its labels, and properties without embeddings."""

    id: str
    labels: tuple[str, ...]
    properties: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """A relationship between two nodes, each named by its first label and its id."""

    type: str
    start: tuple[str, str]
    end: tuple[str, str]
    properties: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """Nodes by (first label, id) and the relationships among them; `truncated` where the limit cut it."""

    nodes: tuple[Node, ...]
    relationships: tuple[Relationship, ...]
    truncated: bool = False


class GraphExplorer(Protocol):
    """The graph as people walk it."""

    def neighbourhood(self, workspace: str, around: str, *, depth: int, limit: int = 200) -> Neighbourhood:
        """Return the nodes within `depth` (0..4) relationships of the object, memory or intent with this id (looked up
        in this order), the nearest ones if there are more than `limit`. The workspace's own node is neither shown nor
        walked through. Raises `NotFound`."""
