"""The one error tree of the product, each class described in one sentence.

Expected outcomes (a stale revision in a batch, an unresolved name) are values, not errors. Each error says
what was asked, what was found, and what to do; the doors turn `slug` into a problem type or an exit code.
"""

from typing import ClassVar


class RetinueError(Exception):
    """A request could not be carried out."""

    slug: ClassVar[str] = "fault"

    def __init__(self, asked: str, *, found: str, hint: str) -> None:
        super().__init__(f"{asked}: {found}. {hint}")
        self.asked = asked
        self.found = found
        self.hint = hint


class NotFound(RetinueError):
    """A named item does not exist."""

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
    """Named data objects are not in the workspace."""

    slug = "unknown-objects"

    def __init__(self, workspace: str, ids: tuple[str, ...]) -> None:
        super().__init__(
            f"data objects {_some(ids)} in workspace {workspace!r}",
            found="not in its catalogue",
            hint="List the objects with `retinue catalog list`, or import the catalogue that holds them",
        )
        self.ids = ids


class UnknownMemories(NotFound):
    """Named memories are not in the workspace."""

    slug = "unknown-memories"

    def __init__(self, workspace: str, ids: tuple[str, ...]) -> None:
        super().__init__(
            f"memories {_some(ids)} in workspace {workspace!r}",
            found="no such memories",
            hint="List the memories with `retinue memory list`",
        )
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


class UnknownChunks(NotFound):
    """Named chunks are not in the session."""

    slug = "unknown-chunks"

    def __init__(self, session: str, ids: tuple[str, ...]) -> None:
        super().__init__(
            f"chunks {_some(ids)} in session {session!r}",
            found="no such chunks",
            hint="Add chunks before the premises between them",
        )
        self.ids = ids


class InvalidInput(RetinueError):
    """The input cannot be used as it is."""

    slug = "invalid-input"


class Conflict(RetinueError):
    """A conflicting write came first."""

    slug = "conflict"


class ChunkConflict(Conflict):
    """A chunk of this id exists with another text."""

    def __init__(self, session: str, ids: tuple[str, ...]) -> None:
        super().__init__(
            f"to add chunks {_some(ids)} to session {session!r}",
            found="chunks of these ids with another text; nothing was added",
            hint="Give the new text another id, or purge the chunk first",
        )
        self.ids = ids


class StaleRevision(Conflict):
    """The caller's revision is not the current one."""

    slug = "stale-revision"


class StaleMemory(StaleRevision):
    """The memory is no longer at the revision that the change was made for."""

    def __init__(self, memory_id: str, revision: int) -> None:
        super().__init__(
            f"revision {revision} of memory {memory_id}",
            found="it has been changed since",
            hint="Read it again, and change the current revision",
        )


class StaleStamp(StaleRevision):
    """The workspace, or its catalogue, has changed since the caller read it."""

    def __init__(self, workspace: str) -> None:
        super().__init__(
            f"workspace {workspace!r} as it was read",
            found="it has been written to since",
            hint="Read it again, and decide on its current state",
        )


class NotAllowed(RetinueError):
    """The caller may not do this."""

    slug = "not-allowed"


class Unauthenticated(RetinueError):
    """The caller sent no known API key."""

    slug = "unauthenticated"


class InvalidSettings(RetinueError):
    """The settings contradict themselves or are incomplete."""

    slug = "invalid-settings"


class StoreUnavailable(RetinueError):
    """The store cannot be reached or cannot answer now; a later attempt may succeed."""

    slug = "store-unavailable"


class SourceUnavailable(RetinueError):
    """A source database cannot be reached or read."""

    slug = "source-unavailable"


class SchemaMismatch(RetinueError):
    """The store's schema is not the one this version works with."""

    slug = "schema-mismatch"


class EncoderUnavailable(RetinueError):
    """The neural encoder named in the settings cannot be used."""

    slug = "encoder-unavailable"


def _some(ids: tuple[str, ...]) -> str:
    more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
    return ", ".join(map(repr, ids[:5])) + more
