"""Read a dbt project as a catalogue: models, seeds, snapshots and sources of its `manifest.json`.

References come from relationship tests and foreign-key constraints. Nodes that become no relation are left out.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from graph.errors import InvalidInput
from services.catalogue.ids import make_id
from services.catalogue.items import collect, column_item, table_item
from services.catalogue.values import Rejected, SourceCatalogue, Unusable

KINDS = frozenset({"model", "seed", "snapshot", "source"})

_REF = re.compile(r"\bref\(\s*(.+?)\s*\)")
_SOURCE = re.compile(r"\bsource\(\s*(.+?)\s*\)")
_ARGUMENT = re.compile(r"(?:(\w+)\s*=\s*)?(?:'([^']*)'|\"([^\"]*)\"|(\d[\w.]*))")


def is_manifest(data: object) -> bool:
    """Whether JSON is a manifest of dbt: it has nodes, and metadata that names dbt."""
    return _has_nodes(data) and any(str(key).startswith("dbt_") for key in _object(data.get("metadata")))


def read_manifest(data: object, *, source: str) -> SourceCatalogue:
    """Read a manifest of any schema version: only fields that all of them have. Raises `InvalidInput`."""
    if not _has_nodes(data):
        raise InvalidInput(
            "a manifest of dbt", found="there are no `nodes` in it", hint="Give target/manifest.json of a dbt project"
        )
    nodes = data["nodes"] | _object(data.get("sources"))
    project = _Project({key: node for key, node in nodes.items() if isinstance(node, dict)})
    rejected = [
        Rejected(item=str(key), reason="it is no object") for key, node in nodes.items() if not isinstance(node, dict)
    ]
    objects = [item for key in project.relations for item in project.items(key, rejected)]
    pairs: list[tuple[str, str]] = []
    for key, node in project.nodes.items():
        for said in _keys(node, in_project=key in project.relations):
            try:
                pairs += project.pairs(key, node, said)
            except Unusable as error:
                rejected.append(Rejected(item=f"{key}: {said.get('to') or 'relationship'}", reason=str(error)))
    return collect(source, objects, pairs, rejected=rejected)


class _Project:
    """The nodes of a manifest, and which of them become relations of the warehouse."""

    def __init__(self, nodes: Mapping[str, Mapping[str, Any]]) -> None:
        self.nodes = nodes
        self.relations = {key: _path(node) for key, node in sorted(nodes.items()) if _is_relation(node)}
        # the database only where two relations differ by it alone, so that ids are those of a live import otherwise
        shared = Counter(path[1:] for path in self.relations.values())
        self.paths = {key: path if shared[path[1:]] > 1 else path[1:] for key, path in self.relations.items()}

    def items(self, key: str, rejected: list[Rejected]) -> Iterator[dict[str, object]]:
        node, path = self.nodes[key], self.paths[key]
        yield table_item(path, description=_prose(node.get("description")))
        for title, column in _columns(node):
            if not isinstance(column, dict):
                rejected.append(Rejected(item=f"{key}: column {title}", reason="it is no object"))
                continue
            described, data_type = _prose(column.get("description")), column.get("data_type")
            yield column_item(path, column.get("name") or title, data_type=data_type, description=described)

    def pairs(self, key: str, node: Mapping[str, Any], said: Mapping[str, Any]) -> list[tuple[str, str]]:
        here = self._owner(key, node)
        there = self._target(said, node, here)
        columns, others = _names(said["columns"]), _names(said["to_columns"])
        if not columns or len(columns) != len(others):
            raise Unusable(f"it names {len(columns)} columns here and {len(others)} there")
        return [
            (self._column(here, column), self._column(there, other))
            for column, other in zip(columns, others, strict=True)
        ]

    def _owner(self, key: str, node: Mapping[str, Any]) -> str:
        """Whose columns refer: the node itself, or the one that a test is of."""
        if key in self.relations:
            return key
        if (attached := str(node.get("attached_node"))) in self.relations:
            return attached
        if named := self._named(str(_arguments(node).get("model") or "")):
            return named
        raise Unusable("it is of no model, seed or source that is here")

    def _target(self, said: Mapping[str, Any], node: Mapping[str, Any], here: str) -> str:
        if named := self._named(str(said.get("to") or "")):
            return named
        others = [it for it in _names(_object(node.get("depends_on")).get("nodes")) if it != here]
        if node.get("resource_type") == "test" and len(others) == 1 and others[0] in self.relations:
            return others[0]
        raise Unusable(f"what it refers to, {str(said.get('to'))[:80]}, is no model, seed or source that is here")

    def _named(self, text: str) -> str | None:
        """The relation of `ref('model')`, `source('name', 'table')`, or of a relation's own dotted name."""
        if (found := _SOURCE.search(text)) and len(words := _words(found[1])) == 2:
            return self._one(lambda node: (node.get("source_name"), node.get("name")) == tuple(words))
        if (found := _REF.search(text)) and (words := _words(found[1])):
            package = words[0] if len(words) == 2 else None
            return self._one(
                lambda node: (
                    node.get("resource_type") != "source"
                    and node.get("name") == words[-1]
                    and package in (None, node.get("package_name"))
                )
            )
        wanted = tuple(part.strip('`"[]').casefold() for part in text.split(".")) if text else ()
        fitting = [
            key
            for key, path in self.relations.items()
            if wanted and tuple(part.casefold() for part in path[-len(wanted) :]) == wanted
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _one(self, fits: Any) -> str | None:
        """The relation that fits; of several versions of a model the latest."""
        found = [key for key in self.relations if fits(self.nodes[key])]
        latest = [key for key in found if self.nodes[key].get("version") == self.nodes[key].get("latest_version")]
        return next(iter(latest or found), None)

    def _column(self, key: str, name: str) -> str:
        """The column's id, spelled as the node spells it, whatever case a test writes."""
        for title, column in _columns(self.nodes[key]):
            spelled = str(_object(column).get("name") or title)
            if spelled.casefold() == name.casefold():
                return make_id((*self.paths[key], spelled))
        return make_id((*self.paths[key], name))


def _columns(node: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    return _object(node.get("columns")).items()


def _is_relation(node: Mapping[str, Any]) -> bool:
    settings = _object(node.get("config"))
    return (
        str(node.get("resource_type")) in KINDS
        and settings.get("materialized") != "ephemeral"
        and settings.get("enabled", True) is not False
    )


def _path(node: Mapping[str, Any]) -> tuple[str, ...]:
    """Database (may be empty), schema where there is one, and name of the relation."""
    name = node.get("identifier") or node.get("alias") or node.get("name") or ""
    schema = node.get("schema")
    return (str(node.get("database") or ""), *([str(schema)] if schema else []), str(name))


def _keys(node: Mapping[str, Any], *, in_project: bool) -> Iterator[Mapping[str, Any]]:
    """What the node says of references: `columns`, `to`, `to_columns`."""
    if node.get("resource_type") == "test":
        if _object(node.get("test_metadata")).get("name") == "relationships":
            said = _arguments(node)
            column = said.get("column_name") or node.get("column_name")
            yield {"to": said.get("to"), "columns": column, "to_columns": said.get("field")}
        return
    if not in_project:
        return
    for title, column in _columns(node):
        for rule in _foreign(_object(column).get("constraints")):
            yield rule | {"columns": column.get("name") or title}
    yield from _foreign(node.get("constraints"))


def _foreign(constraints: object) -> Iterator[dict[str, Any]]:
    for rule in constraints if isinstance(constraints, list) else ():
        if isinstance(rule, dict) and rule.get("type") == "foreign_key" and rule.get("to"):
            yield {"to": rule["to"], "columns": rule.get("columns"), "to_columns": rule.get("to_columns")}


def _arguments(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a generic test, those under `arguments` (since dbt 1.10) too."""
    given = _object(_object(node.get("test_metadata")).get("kwargs"))
    return given | _object(given.get("arguments"))


def _has_nodes(data: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(_object(data).get("nodes"), dict)


def _object(value: object) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def _words(inside: str) -> list[str]:
    """The positional arguments of a call, `v=2` aside."""
    return [a or b or c for keyword, a, b, c in _ARGUMENT.findall(inside) if not keyword]


def _names(value: object) -> Sequence[str]:
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _prose(text: object) -> object:
    """A description without the blanks that YAML leaves around it; a value that is no text is rejected by `collect`."""
    return text.strip() if isinstance(text, str) else text
