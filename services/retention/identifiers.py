"""Identifiers in texts: names, paths and numbers by which later steps of a log refer to what earlier ones showed."""

import re

LEAST = 4  # characters of an identifier
PART = 4  # characters of a part that two identifiers can have in common

_RUN = re.compile(rf"[\w./:@-]{{{LEAST},}}")
_MARKED = re.compile(r"[\d_./:@-]|(?<=\w)[A-Z]")
_ESCAPED = re.compile(r"\\(?:[bfnrt\"/\\]|u[0-9a-fA-F]{4})")  # in JSON, where a name may follow a line's end
_CUT = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_ENDS = "./:-@"


def identifiers_in(text: str) -> frozenset[str]:
    """Return the words of LEAST characters or more that hold a digit, one of `_ . / : @ -`, or an inner capital."""
    if "\\" in text:
        text = _ESCAPED.sub(" ", text)
    found = (word.strip(_ENDS) for word in _RUN.findall(text))
    return frozenset(word for word in found if len(word) >= LEAST and _MARKED.search(word))


def parts_of(identifier: str) -> frozenset[str]:
    """Return the parts of PART characters or more of an identifier, folded: `getOrder/late_fee` has `order`, `late`."""
    return frozenset(part.casefold() for part in _CUT.split(identifier) if len(part) >= PART)
