"""Exit codes, and the code of each error: the one translation of the command line."""

from graph import errors
from graph.errors import RetinueError

DONE = 0
FAULT = 1
USAGE = 2
NOT_FOUND = 3
CONFLICT = 4
INVALID = 5
UNAVAILABLE = 6
NOT_ALLOWED = 7
INTERRUPTED = 130  # 128 + SIGINT, as shells expect
BROKEN_PIPE = 141  # 128 + SIGPIPE

CODES: dict[type[RetinueError], int] = {
    errors.NotFound: NOT_FOUND,
    errors.Conflict: CONFLICT,
    errors.InvalidInput: INVALID,
    errors.NotAllowed: NOT_ALLOWED,
    errors.Unauthenticated: NOT_ALLOWED,
    errors.InvalidSettings: USAGE,
    errors.StoreUnavailable: UNAVAILABLE,
    errors.SourceUnavailable: UNAVAILABLE,
    errors.SchemaMismatch: UNAVAILABLE,
    errors.EncoderUnavailable: UNAVAILABLE,
}


def exit_code_of(error: RetinueError) -> int:
    return next((CODES[cls] for cls in type(error).__mro__ if cls in CODES), FAULT)
