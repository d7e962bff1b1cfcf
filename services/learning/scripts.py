"""Read SQL scripts as logs: split into statements, each with the comment before it as its intent.

Splitting looks at quotes and comments only, so that an unreadable statement does not affect the others.
"""

import re
from collections.abc import Iterator

from sqlglot.dialects.dialect import Dialect

from graph.errors import InvalidInput
from services.catalogue.ddl_statements import cut_script
from services.identity import normal_intent
from services.learning.lines import Line, Logged
from services.learning.parsing import UnreadableSql, known_dialect, parse_sql

_COMMENT = r"(?P<comment>--[^\n]*|^[ \t]*\#[^\n]*|/\*.*?\*/)"
_QUOTED = r"(?P<quoted>'[^']*'|\"[^\"]*\"|`[^`]*`|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)"
_ESCAPED = _QUOTED.replace("'[^']*'", r"'(?:[^'\\]|\\.)*'").replace(r'"[^\"]*\"', r'"(?:[^"\\]|\\.)*"')
_REST = r"|(?P<end>;)|(?P<code>[^\s;'\"`$/#-]+|\S)"
_PLAIN = re.compile(f"{_COMMENT}|{_QUOTED}{_REST}", re.DOTALL | re.MULTILINE)
_WITH_ESCAPES = re.compile(f"{_COMMENT}|{_ESCAPED}{_REST}", re.DOTALL | re.MULTILINE)

_LAST_OF_LINE = re.compile(r";[ \t]*$", re.MULTILINE)
_LABEL = re.compile(r"^(intent|question|title|description)\s*:\s*", re.IGNORECASE)
_MARKS = re.compile(r"^\s*(?:--+|#+|/\*+|\*+(?!/))?\s*|\s*(?:\*+/|--+)?\s*$")

# Statements that manage a session read no data of a catalogue.
QUIET = re.compile(
    r"(BEGIN|START|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|SET|RESET|SHOW|USE|DISCARD|DEALLOCATE|LISTEN|UNLISTEN|NOTIFY|"
    r"CHECKPOINT|VACUUM|ANALYZE|FETCH|CLOSE|MOVE|LOCK)\b(?!\s*\()",
    re.IGNORECASE,
)


def read_script(text: str, *, dialect: str = "") -> Iterator[Logged]:
    """Read the statements, by the lines on which they begin; those that only manage a session are left out."""
    if not known_dialect(dialect):
        raise InvalidInput(
            f"a script of the dialect {dialect[:40]!r}",
            found="no such dialect",
            hint="Name it as sqlglot does: postgres, mysql, snowflake, tsql, bigquery, ...",
        )
    name = dialect.strip().lower()
    escapes = "\\" in Dialect.get_or_raise(name).tokenizer_class.STRING_ESCAPES
    pattern = _WITH_ESCAPES if escapes else _PLAIN
    script = cut_script(text.removeprefix("\ufeff"))
    position, counted, line = 0, 0, 1
    while position < len(script):
        comments, start, end, doubtful = _scan(script, position, pattern)
        if start is None:
            position = end + 1
            continue
        if doubtful and not _is_readable(script[start:end], name) and (cut := _LAST_OF_LINE.search(script, start, end)):
            end = cut.start()  # an unclosed quote would swallow the statements after it
        line += script.count("\n", counted, start)
        counted = start
        statement = script[start:end].strip()
        if statement and not QUIET.match(statement):
            yield Logged(number=line, found=Line(intent=_intent(script, comments, start), sql=statement, dialect=name))
        position = end + 1


def _scan(script: str, position: int, pattern: re.Pattern[str]) -> tuple[list[re.Match[str]], int | None, int, bool]:
    """From here to the next `;`: the comments before the statement, where it begins and ends, and whether a quoted
    text in it runs over the end of what looks like a statement."""
    comments: list[re.Match[str]] = []
    start: int | None = None
    doubtful = False
    for piece in pattern.finditer(script, position):
        if piece["end"]:
            return comments, start, piece.start(), doubtful
        if piece["comment"]:
            if start is None and (position == 0 or "\n" in script[position : piece.start()]):
                comments.append(piece)  # one on the line of the statement before is about that one
            continue
        start = piece.start() if start is None else start
        doubtful = doubtful or bool(piece["quoted"] and _LAST_OF_LINE.search(piece[0]))
    return comments, start, len(script), doubtful


def _is_readable(statement: str, dialect: str) -> bool:
    try:
        parse_sql(statement, dialect=dialect)
    except UnreadableSql:
        return False
    return True


def _intent(script: str, comments: list[re.Match[str]], start: int) -> str | None:
    """The text of the comment right above the statement; None if there is none."""
    lines: list[str] = []
    below = start
    for comment in reversed(comments):
        if script.count("\n", comment.end(), below) > 1:  # a blank line between: it is about something else
            break
        below = comment.start()
        lines[:0] = [_MARKS.sub("", said) for said in comment[0].splitlines()]
    said = " ".join(line for line in lines if any(map(str.isalpha, line)) and not line.endswith(";"))
    try:
        return normal_intent(_LABEL.sub("", said))
    except InvalidInput:
        return None
