"""What a door makes of a statement that used nothing known: it is refused, since nothing could be remembered of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.errors import InvalidInput

if TYPE_CHECKING:
    from services.learning import Learnt


def useful(learnt: Learnt) -> Learnt:
    """The same again. Raises `InvalidInput` where the catalogue knows nothing that the statement used."""
    if learnt.objects:
        return learnt
    names = ", ".join(learnt.unresolved[:10])
    raise InvalidInput(
        "to learn from a statement",
        found="it uses nothing that the catalogue knows" + (f" ({names})" if names else ""),
        hint="Import the catalogue that holds its tables, or name the workspace that does",
    )
