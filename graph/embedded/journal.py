"""Where changes are kept before they are acknowledged: the promise that both kinds of embedded store share.

`NullJournal`, for `memory://`, keeps nothing; `graph.embedded.sqlite_journal` keeps everything on disk.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import NamedTuple, Protocol

from graph.embedded.kinds import Change


class News(NamedTuple):
    """What was written since the last look, to be closed once read; `afresh`: it is everything, and what one has is to
    be thrown away."""

    changes: Generator[Change]
    afresh: bool = False


class Journal(Protocol):
    """One journal serves one store, under the store's lock."""

    writable: bool

    def news(self) -> News | None:
        """The changes of others since the last look, in the order of their kinds; None where there are none."""
        ...

    def rewind(self) -> None:
        """Forgets what was looked at: the next news are everything."""
        ...

    def begin(self) -> bool:
        """Keeps all other writers out until `end`; False where one of them is at it."""
        ...

    def end(self) -> None:
        """Lets others write; what was not committed by now never was."""
        ...

    def commit(self, changes: Sequence[Change]) -> None:
        """Makes these durable; once, between `begin` and `end`."""
        ...

    def problems(self) -> tuple[str, ...]:
        """What keeps it from working, in words."""
        ...

    def close(self) -> None: ...


class NullJournal:
    """Keeps nothing. It writes each change out all the same: what cannot be written is refused alike everywhere."""

    writable = True

    def news(self) -> News | None:
        return None

    def rewind(self) -> None:
        """Nothing was kept that could be read again."""

    def begin(self) -> bool:
        return True

    def end(self) -> None:
        """There is nobody else."""

    def commit(self, changes: Sequence[Change]) -> None:
        for change in changes:
            body, _ = change.kind.write(change.value)
            f"{change.workspace}{change.id}{body}".encode()

    def problems(self) -> tuple[str, ...]:
        return ()

    def close(self) -> None:
        """Nothing is held."""
