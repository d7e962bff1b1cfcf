"""Delete many memories in batches, with a report by id.

A batch that fails is repeated one by one, so that one failing id does not affect the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graph.errors import RetinueError, StoreUnavailable, UnknownWorkspace
from graph.memories import Memories

BATCH = 500
GIVE_UP_AFTER = 3  # failures in a row of a store that does not respond: the rest is not tried


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """The result of deleting one id. `missing`: there is no such memory."""

    id: str
    status: Literal["forgotten", "missing", "error"]
    error: str | None = None


def forget_ids(store: Memories, workspace: str, ids: Sequence[str], *, revision: int | None = None) -> list[Forgotten]:
    """Delete these memories. Returns the result of each, in order. Raises `UnknownWorkspace` only."""
    report: list[Forgotten] = []
    unanswered = 0
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        try:
            report += _forget(store, workspace, batch, revision=revision)
            continue
        except UnknownWorkspace:
            raise
        except RetinueError:
            pass
        for memory_id in batch:
            if unanswered >= GIVE_UP_AFTER:
                report.append(Forgotten(id=memory_id, status="error", error="not tried: the store does not respond"))
                continue
            try:
                report += _forget(store, workspace, [memory_id], revision=revision)
                unanswered = 0
            except RetinueError as error:
                unanswered = unanswered + 1 if isinstance(error, StoreUnavailable) else 0
                report.append(Forgotten(id=memory_id, status="error", error=str(error)))
    return report


def _forget(store: Memories, workspace: str, ids: Sequence[str], *, revision: int | None) -> list[Forgotten]:
    gone = set(store.forget_memories(workspace, ids, revision=revision))
    return [Forgotten(id=item, status="forgotten" if item in gone else "missing") for item in ids]
