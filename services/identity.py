"""Identity of memories: by intent, whatever its spacing, and by the objects found, in any order.

Ids are digests of a canonical form, so that they are equal on every store and safe in URLs.
"""

import json
import unicodedata
from collections.abc import Iterable
from hashlib import sha256

from graph.errors import InvalidInput
from services.limits import ID_CHARACTERS, INTENT_CHARACTERS, OBJECTS_OF_A_MEMORY
from services.texts import fault_in, says_something


def normal_intent(intent: object) -> str:
    """Normalise an intent: NFC, blanks collapsed. Raises `InvalidInput`."""
    fault = fault_in(intent, limit=INTENT_CHARACTERS, layout=True)
    if fault is None and isinstance(intent, str) and says_something(intent):
        return " ".join(unicodedata.normalize("NFC", intent).split())
    raise InvalidInput(
        "an intent",
        found=fault or "nothing but blanks",
        hint="Describe in a sentence what the data is for, in any language",
    )


def normal_objects(objects: Iterable[object]) -> tuple[str, ...]:
    """Sort ids, each once. Raises `InvalidInput` for none, too many, or anything that is no id."""
    found = set()
    for item in objects:
        if not isinstance(item, str) or not item or fault_in(item, limit=ID_CHARACTERS):
            raise InvalidInput(
                "the objects of a memory",
                found=f"{str(item)[:80]!r} is no id",
                hint="Give the ids of tables and columns as `retinue catalog list` shows them",
            )
        found.add(item)
    if not found or len(found) > OBJECTS_OF_A_MEMORY:
        raise InvalidInput(
            "the objects of a memory",
            found=f"{len(found)} ids",
            hint=f"Give the tables and columns that were used: 1 to {OBJECTS_OF_A_MEMORY:,} of them",
        )
    return tuple(sorted(found))


def make_intent_id(intent: str) -> str:
    return "i_" + sha256(intent.encode()).hexdigest()[:24]


def make_memory_id(intent: str, objects: tuple[str, ...]) -> str:
    canonical = json.dumps([intent, sorted(objects)], ensure_ascii=False, separators=(",", ":"))
    return "m_" + sha256(canonical.encode()).hexdigest()[:24]
