"""Mask statements: literals are replaced and comments dropped, names and shape are kept.

Works on tokens, not on the tree, so that the statement keeps its spelling; it still parses.
"""

from collections.abc import Iterator

from sqlglot import Token, TokenType

from services.learning.parsing import SqlScript

TEXT = "'?'"
NUMBER = "0"

_TEXTS = frozenset(
    {TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.NATIONAL_RAW_STRING, TokenType.RAW_STRING}
    | {TokenType.HEREDOC_STRING, TokenType.UNICODE_STRING, TokenType.BYTE_STRING, TokenType.HEX_STRING}
    | {TokenType.BIT_STRING}
)
_SIZED_AFTER = frozenset({TokenType.ALIAS, TokenType.DCOLON})  # `CAST(a AS DECIMAL(10, 2))`: the 10 is no data

_PARAMETERS = frozenset({TokenType.PARAMETER, TokenType.PLACEHOLDER})  # `$1` is no data


def mask(script: SqlScript, *, strings: frozenset[int]) -> str:
    """Mask a statement: `'?'` for each text, `0` for each number. `strings`: the offsets of double-quoted tokens that
    are literals."""
    words: list[str] = []
    end = -1
    for token, written in _masked(script, strings):
        if token.token_type == TokenType.HINT and written.endswith("*/"):
            continue
        if token.start > end:  # some words are several tokens, as 1L in Hive
            gap = bool(words) and token.start > end + 1
            words.append(f" {written}" if gap else written)
            end = token.end
    return "".join(words)


def _masked(script: SqlScript, strings: frozenset[int]) -> Iterator[tuple[Token, str]]:
    sized = False
    second: TokenType | None = None
    last: TokenType | None = None
    for token in script.tokens:
        kind = token.token_type
        if kind == TokenType.L_PAREN:
            sized = second in _SIZED_AFTER
        elif kind == TokenType.R_PAREN:
            sized = False
        written = script.text[token.start : token.end + 1]
        if kind in _TEXTS or (kind == TokenType.IDENTIFIER and token.start in strings):
            written = TEXT
        elif kind == TokenType.NUMBER and not sized and last not in _PARAMETERS:
            written = NUMBER
        second, last = last, kind
        yield token, written
