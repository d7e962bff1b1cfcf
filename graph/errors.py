"""The one error tree: broken promises and broken machines, each said in one sentence.

Expected outcomes (a stale revision in a batch, an unresolved name) are values, not errors. Each error says
what was asked, what was found, and what to do; the doors turn `slug` into a problem type or an exit code.
"""

from __future__ import annotations

from typing import ClassVar


class RetinueError(Exception):
    """Something asked of Retinue could not be done."""

    slug: ClassVar[str] = "fault"

    def __init__(self, asked: str, *, found: str, hint: str) -> None:
        super().__init__(f"{asked}: {found}. {hint}")
        self.asked = asked
        self.found = found
        self.hint = hint


class NotFound(RetinueError):
    """What was named is not there."""

    slug = "not-found"


class UnknownWorkspace(NotFound):
    """The workspace does not exist."""

    slug = "unknown-workspace"

    def __init__(self, workspace: str) -> None:
        super().__init__(
            f"workspace {workspace!r}",
            found="no such workspace",
            hint=f"Create it with `retinue workspace create {workspace}`",
        )
        self.workspace = workspace


class UnknownObjects(NotFound):
    """Data objects were named that the workspace does not hold."""

    slug = "unknown-objects"

    def __init__(self, workspace: str, ids: tuple[str, ...]) -> None:
        super().__init__(
            f"data objects {_some(ids)} in workspace {workspace!r}",
            found="not in its catalogue",
            hint="List the objects with `retinue catalog list`, or import the catalogue that holds them",
        )
        self.workspace = workspace
        self.ids = ids


class UnknownMemories(NotFound):
    """Memories were named that the workspace does not hold."""

    slug = "unknown-memories"

    def __init__(self, workspace: str, ids: tuple[str, ...]) -> None:
        super().__init__(
            f"memories {_some(ids)} in workspace {workspace!r}",
            found="no such memories",
            hint="List the memories with `retinue memory list`",
        )
        self.workspace = workspace
        self.ids = ids


class UnknownSession(NotFound):
    """The session does not exist."""

    slug = "unknown-session"

    def __init__(self, workspace: str, session: str) -> None:
        super().__init__(
            f"session {session!r} in workspace {workspace!r}",
            found="no such session",
            hint="List the sessions with `retinue session list`; `retinue chunk add` creates one",
        )
        self.workspace = workspace
        self.session = session


class UnknownChunks(NotFound):
    """Chunks were named that the session does not hold."""

    slug = "unknown-chunks"

    def __init__(self, session: str, ids: tuple[str, ...]) -> None:
        super().__init__(
            f"chunks {_some(ids)} in session {session!r}",
            found="no such chunks",
            hint="Add chunks before the premises between them",
        )
        self.session = session
        self.ids = ids


class InvalidInput(RetinueError):
    """The input cannot be used as it is."""

    slug = "invalid-input"


class Conflict(RetinueError):
    """Somebody else's write came first, and the two do not go together."""

    slug = "conflict"


class ChunkConflict(Conflict):
    """A chunk of this id is there with another text."""

    slug = "conflict"

    def __init__(self, session: str, ids: tuple[str, ...]) -> None:
        super().__init__(
            f"to add chunks {_some(ids)} to session {session!r}",
            found="chunks of these ids with another text; nothing was added",
            hint="Give what was said anew an id of its own, or purge the chunk first",
        )
        self.session = session
        self.ids = ids


class StaleRevision(Conflict):
    """The caller's revision is not the current one."""

    slug = "stale-revision"


class StaleMemory(StaleRevision):
    """The memory is not at the revision that the change was meant for."""

    def __init__(self, memory_id: str, revision: int) -> None:
        super().__init__(
            f"revision {revision} of memory {memory_id}",
            found="it has been changed since",
            hint="Read it again, and change what is there now",
        )
        self.memory_id = memory_id


class StaleStamp(StaleRevision):
    """The workspace, or its catalogue, is not as the caller saw it."""

    def __init__(self, workspace: str) -> None:
        super().__init__(
            f"workspace {workspace!r} as it was seen",
            found="it has been written to since",
            hint="Read it again, and decide on what it is now",
        )
        self.workspace = workspace


class NotAllowed(RetinueError):
    """The caller may not do this."""

    slug = "not-allowed"


class Unauthenticated(RetinueError):
    """The caller did not show a key that is known here."""

    slug = "unauthenticated"


class InvalidSettings(RetinueError):
    """The settings contradict themselves or are incomplete."""

    slug = "invalid-settings"


class StoreUnavailable(RetinueError):
    """The store cannot be reached or cannot answer now; asking again later may work."""

    slug = "store-unavailable"


class SourceUnavailable(RetinueError):
    """A database to be read from cannot be reached, or does not let itself be read."""

    slug = "source-unavailable"


class SchemaMismatch(RetinueError):
    """The store's schema is not the one this version works with."""

    slug = "schema-mismatch"


class EncoderUnavailable(RetinueError):
    """The neural encoder that was asked for by name cannot be used."""

    slug = "encoder-unavailable"


def _some(ids: tuple[str, ...]) -> str:
    more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
    return ", ".join(map(repr, ids[:5])) + more
