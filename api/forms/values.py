"""How reply forms are filled: a reply is a TypedDict, and its fields have the names of the value's attributes.

The same dict is printed by the command line, sent over REST, and described in OpenAPI.
"""

from datetime import datetime
from typing import Any, TypeVar, cast

T = TypeVar("T")


def fill(form: type[T], source: object, /, **given: object) -> T:
    """Return the TypedDict `form`: each field from `given`, else in JSON's types from the attribute of `source`."""
    return cast(T, {key: given[key] if key in given else plain(getattr(source, key)) for key in form.__annotations__})


def plain(value: object) -> Any:
    """Return a value as JSON has it: instants as text, sequences as lists, whatever is in them."""
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def instant(at: datetime) -> str:
    """Return an instant as RFC 3339 text in UTC."""
    return at.isoformat().replace("+00:00", "Z")
