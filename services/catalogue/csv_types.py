"""Guess the SQL type of a column of text from some of its values.

A guess is the narrowest type that all values fit; blanks, and the usual words for null, are ignored.
"""

import re
from collections.abc import Iterable

_NOTHING = frozenset({"", "null", "none", "na", "n/a", "nan", "nil", "\\n", "-", "?"})
_TYPES = (
    ("BOOLEAN", re.compile(r"true|false|yes|no|t|f|y|n", re.IGNORECASE)),
    ("INTEGER", re.compile(r"[+-]?(0|[1-9]\d{0,17})", re.ASCII)),  # 007 is a code, and 20 digits are no number
    ("DECIMAL", re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d*)\.?\d+([eE][+-]?\d+)?|[+-]?\d+(,\d+)?", re.ASCII)),
    ("DATE", re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}[./]\s?\d{1,2}[./]\s?\d{4}", re.ASCII)),
    ("TIME", re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?(\s?[AaPp][Mm])?", re.ASCII)),
    (
        "TIMESTAMP",
        re.compile(
            r"(\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4})[T ]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?"
            r"(\s?(Z|[AaPp][Mm]|UTC|[+-]\d{2}:?\d{2}))?",
            re.ASCII,
        ),
    ),
)
_CODE = re.compile(r"[+-]?0\d+", re.ASCII)


def guess_type(values: Iterable[str]) -> str | None:
    """Guess a type: None if no value counts; TEXT if no narrower type fits them all."""
    fitting = [name for name, _ in _TYPES]
    seen = False
    for value in values:
        said = value.strip()
        if said.lower() in _NOTHING:
            continue
        seen = True
        fitting = [name for name, form in _TYPES if name in fitting and form.fullmatch(said) and not _CODE.match(said)]
        if not fitting:
            return "TEXT"
    return fitting[0] if seen else None


def is_value(text: str) -> bool:
    """True if the text is a number, a date or a time, and so no name of a column."""
    said = text.strip()
    return any(form.fullmatch(said) for name, form in _TYPES if name != "BOOLEAN")
