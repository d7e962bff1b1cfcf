"""The settings: the environment (`RETINUE_*`), overridden by options, checked for contradictions."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from graph.errors import InvalidSettings, StoreUnavailable

VARIABLES: dict[str, str] = {
    "RETINUE_STORE": "the store: memory://, sqlite:///PATH, neo4j://HOST:7687 or bolt://HOST:7687 (also +s, +ssc)",
    "RETINUE_NEO4J_USER": "the Neo4j user",
    "RETINUE_NEO4J_PASSWORD": "the Neo4j password",
    "RETINUE_NEO4J_DATABASE": "the Neo4j database (its home database where not set)",
    "RETINUE_WORKSPACE": "the workspace that commands work in (default: default)",
    "RETINUE_ENCODER": "auto, none, or the name or folder of a sentence-transformers model (default: auto)",
    "RETINUE_API_KEYS_FILE": "a TOML file with the API keys that the server knows",
    "RETINUE_HOST": "the address the server listens on (default: 127.0.0.1)",
    "RETINUE_PORT": "the port the server listens on (default: 8765)",
}
TEST_VARIABLES = frozenset({"RETINUE_REQUIRE", "RETINUE_TEST_NEO4J"})
EMBEDDED = frozenset({"memory", "sqlite"})
NEO4J = frozenset(scheme + security for scheme in ("neo4j", "bolt") for security in ("", "+s", "+ssc"))
WORKSPACE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The checked settings. `store` None is the default: a file in the user's data folder."""

    store: str | None = None
    neo4j_user: str | None = None
    neo4j_password: str | None = field(default=None, repr=False)
    neo4j_database: str | None = None
    workspace: str = "default"
    encoder: str = "auto"
    api_keys_file: Path | None = None
    host: str = "127.0.0.1"
    port: int = 8765

    @property
    def backend(self) -> str:
        """`memory`, `sqlite` or `neo4j`."""
        scheme = urlsplit(self.store).scheme if self.store else "sqlite"
        return scheme if scheme in EMBEDDED else "neo4j"


def read_settings(environment: Mapping[str, str], /, **options: str | int | Path | None) -> Settings:
    """Return the settings of `environment`, overridden by the `options` that are not None.

    Raises `InvalidSettings` for empty or invalid values, and for a user without a password or the reverse.
    """
    values = {key: str(value) for key, value in options.items() if value is not None}
    for variable in VARIABLES:
        key = variable.removeprefix("RETINUE_").lower()
        if key not in values and variable in environment:
            values[key] = environment[variable]
    for key, value in values.items():
        if not value.strip():
            raise InvalidSettings(
                f"RETINUE_{key.upper()} (or --{key.replace('_', '-')})",
                found="set, but empty",
                hint="Give it a value, or unset it",
            )
    _check_credentials(values)
    if "store" in values:
        _check_store(values["store"])
    readers: dict[str, Callable[[str], object]] = {
        "workspace": check_workspace_name,
        "api_keys_file": lambda path: Path(path).expanduser(),
        "port": _port,
    }
    given: dict[str, Any] = {key: readers.get(key, str)(value) for key, value in values.items()}
    return Settings(**given)


def unknown_variables(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return variables that are named like settings but are none: most likely misspelt."""
    known = VARIABLES.keys() | TEST_VARIABLES
    return tuple(sorted(name for name in environment if name.startswith("RETINUE_") and name not in known))


def check_workspace_name(name: str) -> str:
    """Return a valid name of a workspace. Raises `InvalidSettings`."""
    if not WORKSPACE_NAME.fullmatch(name):
        raise InvalidSettings(
            f"workspace {name!r}",
            found="not a valid name",
            hint="Use 1 to 63 of a-z, 0-9, _ and -, the first a letter or digit",
        )
    return name


def default_store(environment: Mapping[str, str]) -> str:
    """Return the URL of the SQLite file in the user's data folder, and create the folder.

    Raises `StoreUnavailable` without a home, and where the folder cannot be written to.
    """
    import platformdirs  # here, so that --help does not load it

    if environment.get("HOME") == "" and not environment.get("XDG_DATA_HOME"):
        # expanduser would turn the empty home into the root of the file system
        raise _no_folder("HOME is empty")
    folder = platformdirs.user_data_path("retinue", appauthor=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".writable").touch()
        (folder / ".writable").unlink()
    except OSError as error:
        raise _no_folder(f"{folder} cannot be written to ({error.strerror})") from error
    return f"sqlite:///{folder / 'retinue.db'}"


def _no_folder(found: str) -> StoreUnavailable:
    return StoreUnavailable(
        "the default store, a file in the user's data folder",
        found=found,
        hint="Set RETINUE_STORE (or --store) to sqlite:///PATH with a path that can be written to, or to memory://",
    )


def _check_credentials(values: Mapping[str, str]) -> None:
    given = [key for key in ("neo4j_user", "neo4j_password") if key in values]
    if len(given) == 1:
        missing = "RETINUE_NEO4J_PASSWORD" if given == ["neo4j_user"] else "RETINUE_NEO4J_USER"
        raise InvalidSettings(
            "Neo4j credentials",
            found=f"RETINUE_{given[0].upper()} is set and {missing} is not",
            hint="Set both, or neither for a server without authentication",
        )


def _check_store(url: str) -> None:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  # asked for, it is checked
    except ValueError:
        # neither the URL nor the error goes into the message: both can hold a password
        raise InvalidSettings(
            "the store's URL", found="it is no URL", hint=f"Use {VARIABLES['RETINUE_STORE'][11:]}"
        ) from None
    if parts.username or parts.password:  # the URL is left out of the message: it holds the secret
        raise InvalidSettings(
            "the store's URL",
            found="it holds credentials",
            hint="Put them into RETINUE_NEO4J_USER and RETINUE_NEO4J_PASSWORD, where no log shows them",
        )
    whole = url == "memory://" or (parts.scheme == "sqlite" and url.startswith("sqlite:///") and len(url) > 10)
    if not whole and not (parts.scheme in NEO4J and parts.hostname):
        shown = "the store's URL" if "@" in url else f"the store {url!r}"  # before an @ there may be a password
        raise InvalidSettings(shown, found="no such kind of store", hint=f"Use {VARIABLES['RETINUE_STORE'][11:]}")


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 5 or int(text) > 65535:
        raise InvalidSettings(
            f"port {text[:20]!r}", found="not a port", hint="Use a number from 0 (any free one) to 65535"
        )
    return int(text)
