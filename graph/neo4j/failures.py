"""Translate the errors of the driver into Retinue's: the one place of this back end that does.

The cause stays attached; the message never holds credentials or parameters.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    DriverError,
    Forbidden,
    GqlError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from graph.errors import InvalidInput, InvalidSettings, RetinueError, StoreUnavailable

RATE_LIMIT = "Neo.ClientError.Security.AuthenticationRateLimit"
UNKNOWN_DATABASE = "Neo.ClientError.Database.DatabaseNotFound"
# The first of them with more behind it where the bound was ours: `...TransactionTimedOutClientConfiguration`.
TIMED_OUT = ("Neo.ClientError.Transaction.TransactionTimedOut", "Neo.ClientError.Transaction.LockClientStopped")
# How the server releases say that an index that a query needs is not there, or not online yet.
INDEX_TROUBLE = (
    "no such vector schema index",
    "no such fulltext schema index",
    "no such index",
    "index_population",
    "configured dimensionality",  # 2026, and the next 5: an index made by hand for one width
    "index query vector has",
)
OUT_OF_MEMORY = "MemoryPoolOutOfMemoryError"
OTHER_WIDTH = "do not have the same number of dimensions"
INDEX_CODES = (
    "Neo.ClientError.Schema.IndexNotFound",
    "Neo.DatabaseError.Schema.IndexNotFound",
    "Neo.ClientError.Statement.PropertyNotFound",  # 2026: the index is there without its filter properties
)


@contextmanager
def translated(asked: str, *, url: str) -> Iterator[None]:
    """Raise the driver's errors as ours; `asked` says what was being done."""
    try:
        yield
    except (Neo4jError, DriverError) as error:
        raise translation(error, asked=asked, url=url) from error
    except UnicodeEncodeError as error:  # the driver cannot send it, and has sent nothing
        raise InvalidInput(
            asked,
            found=f"half of a surrogate pair, {error.object[error.start]!r}, which is no character",
            hint="Send valid Unicode text",
        ) from error
    except OSError as error:  # name resolution fails before the driver has a connection to speak of
        raise _unavailable(asked, url=url, found=f"{url} cannot be reached") from error


def translation(error: GqlError, *, asked: str, url: str) -> RetinueError:
    code = getattr(error, "code", None) or ""
    if code == RATE_LIMIT:
        return StoreUnavailable(
            asked, found=f"{url} refuses log-ins for a while", hint="Check the password, wait a minute, and try again"
        )
    if isinstance(error, Forbidden):
        return InvalidSettings(
            asked, found=f"{url} does not let this user do it", hint="Use a Neo4j user who may write and make indexes"
        )
    if isinstance(error, AuthError):
        return InvalidSettings(
            asked,
            found=f"{url} refuses the user or the password",
            hint="Check RETINUE_NEO4J_USER and RETINUE_NEO4J_PASSWORD",
        )
    if code == UNKNOWN_DATABASE:
        return InvalidSettings(asked, found=f"{url} has no such database", hint="Check RETINUE_NEO4J_DATABASE")
    if isinstance(error, ConfigurationError):
        return InvalidSettings(asked, found=str(error), hint="Check RETINUE_STORE and the settings beside it")
    if _is_index_trouble(error, code=code):
        return StoreUnavailable(
            asked,
            found="an index that it needs is missing or not online yet",
            hint="`retinue doctor` names the index and creates it again",
        )
    if OTHER_WIDTH in str(error):
        return InvalidInput(
            asked,
            found="embeddings of another number of dimensions under this model's name",
            hint="Set RETINUE_ENCODER to the model that the workspace was embedded with, "
            "or give the other model another name and run `retinue reindex`",
        )
    if OUT_OF_MEMORY in code:
        return StoreUnavailable(
            asked,
            found=f"{url} has no memory left for a transaction of this size",
            hint="Send less in one call, or give the server more: dbms.memory.transaction.total.max",
        )
    if isinstance(error, ServiceUnavailable | SessionExpired | TransientError) or code.startswith(TIMED_OUT):
        return _unavailable(asked, url=url, found=code or f"{url} does not answer")
    if isinstance(error, DriverError):
        return _unavailable(asked, url=url, found=f"{url} gave no answer ({type(error).__name__})")
    return RetinueError(asked, found=f"the server says {code}", hint="This is a fault of ours; please report it")


def _unavailable(asked: str, *, url: str, found: str) -> StoreUnavailable:
    return StoreUnavailable(asked, found=found, hint=f"Check that Neo4j runs at {url}, and try again")


def _is_index_trouble(error: GqlError, *, code: str) -> bool:
    said = str(error).lower()
    return code in INDEX_CODES or any(sign in said for sign in INDEX_TROUBLE) or ("populating" in said)
