"""Where changes are kept before they are acknowledged.

`Journal` itself, for `memory://`, keeps nothing; `graph.embedded.sqlite_journal` keeps everything on disk.
"""

from collections.abc import Generator, Sequence
from typing import NamedTuple

from graph.embedded.kinds import Change


class Update(NamedTuple):
    """The changes since the last read, to be closed afterwards. `complete`: they are the whole state, and what was read
    before is to be dropped."""

    changes: Generator[Change]
    complete: bool = False


class Journal:
    """One journal serves one store, under the store's lock. This one keeps nothing, and has no other writers."""

    def read(self) -> Update | None:
        """Return the changes of other stores since the last read, by kind; None if there are none."""
        return None

    def rewind(self) -> None:
        """Forget what was read: the next read returns the whole state."""

    def begin(self) -> bool:
        """Keep all other writers out until `end`. Returns False if one of them is writing."""
        return True

    def end(self) -> None:
        """Let others write; roll back what was not committed."""

    def commit(self, changes: Sequence[Change]) -> None:
        """Make these changes durable; once, between `begin` and `end`. Each is encoded even where none is kept, so that
        every store refuses what cannot be written."""
        for change in changes:
            body, _ = change.kind.write(change.value)
            f"{change.workspace}{change.id}{body}".encode()

    def problems(self) -> tuple[str, ...]:
        """Return what keeps it from working, in words."""
        return ()

    def close(self) -> None:
        """Give up the file, if there is one."""
