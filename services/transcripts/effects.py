"""The effects of a tool call: tables that its SQL reads and writes, and files, by the verb in the tool's name.

SQL goes through the project's parser; text that does not parse has no effects.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from services.learning.names import fold_name
from services.learning.parsing import UnreadableSql, parse_sql
from services.transcripts.identifiers import fold
from services.transcripts.steps import Piece, texts_in

_SQL = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*"
    r"(?:select|with|insert|update|delete|merge|create|drop|truncate|alter|replace|copy|load)\b",
    re.I | re.S,
)
_WRITES = frozenset(("write", "create", "save", "put", "upload", "store", "export", "generate", "make", "copy", "move"))
_CHANGES = frozenset(("edit", "append", "patch", "update", "modify", "insert", "replace"))
_READS = frozenset(("read", "open", "view", "load", "cat", "show", "parse", "import", "run", "execute", "plot", "send"))
_PATH_KEYS = re.compile(r"(?:^|_)(?:path|file|filename|filepath|paths|files|dataset|script)$", re.I)
_TARGETS = re.compile(r"(?:^|_)(?:to|target|destination|dest|output|out)(?:_|$)", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """Names of what a call creates or replaces (`made`), changes and reads."""

    made: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()


def touched_by(piece: Piece) -> Touched:
    """Return the effects of a call, tables as `table:NAME` without schema, files as `file:PATH`; of others, none."""
    if piece.kind != "call":
        return Touched()
    made: set[str] = set()
    changed: set[str] = set()
    read: set[str] = set()
    verbs = set(re.split(r"[\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", piece.tool).lower()))
    for name, text in texts_in(piece.value):
        if _SQL.match(text):
            for touched in _statements(text):
                # Within one call a later statement reads what an earlier one made: that is no premise of the call.
                read |= touched.read - made - changed
                made |= touched.made
                changed |= touched.changed - made
        elif _PATH_KEYS.search(name) and len(text) < 1_000 and "\n" not in text:
            path = f"file:{fold(text)}"
            writes = _TARGETS.search(name) is not None or (verbs & _WRITES and not verbs & _READS)
            if writes and not (verbs & {"copy", "move"} and not _TARGETS.search(name)):
                made.add(path)
            elif verbs & _CHANGES:
                changed.add(path)
                read.add(path)
            else:
                read.add(path)
    return Touched(made=frozenset(made), changed=frozenset(changed), read=frozenset(read))


def _statements(sql: str) -> Iterator[Touched]:
    try:
        script = parse_sql(sql)
    except UnreadableSql:
        return
    for statement in script.statements:
        yield _statement(statement)


def _statement(tree: exp.Expr) -> Touched:
    made: set[str] = set()
    changed: set[str] = set()
    read: set[str] = set()
    named = {fold_name(cte.alias) for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if not table.name or (fold_name(table.name) in named and not table.db):
            continue
        name = f"table:{fold_name(table.name)}"
        holder = table.parent.parent if isinstance(table.parent, exp.Schema) else table.parent
        target = holder is tree and (table.arg_key in ("this", "tables", "expressions") or table.parent is not holder)
        if isinstance(holder, exp.Into):
            made.add(name)
        elif not target or isinstance(tree, exp.Select):
            read.add(name)
        elif isinstance(tree, exp.Create | exp.Drop | exp.TruncateTable) or tree.args.get("overwrite"):
            made.add(name)
        elif isinstance(tree, exp.Insert | exp.Copy | exp.LoadData):
            changed.add(name)
        elif isinstance(tree, exp.Update | exp.Delete | exp.Merge | exp.Alter):
            changed.add(name)
            read.add(name)
    return Touched(made=frozenset(made), changed=frozenset(changed), read=frozenset(read))
