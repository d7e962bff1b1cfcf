"""External databases: opened read-only through SQLAlchemy, and named without their credentials.

What is read is up to the caller; SQLAlchemy and drivers come with the extra `sources`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus, unquote

from graph.errors import InvalidInput, SourceUnavailable
from services.places import place_of

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection

CONNECT_SECONDS = 10

# Where a URL names no driver: the one of the extra, or one that is often there, before SQLAlchemy's own choice.
_DRIVERS = {"postgresql": ("psycopg", "psycopg2"), "mysql": ("pymysql", "mysqlclient"), "mariadb": ("pymysql",)}
_ALIASES = {"postgres": "postgresql"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\+[A-Za-z0-9_]+)?://")
_URL = re.compile(r"\b[A-Za-z][\w+.-]*://\S*@")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Database:
    """An open connection, in a read-only transaction if the database has those; `name` is its URL without credentials,
    driver and options."""

    name: str
    kind: str
    connection: Connection


def is_database_url(text: str) -> bool:
    return _SCHEME.match(text) is not None


def name_of(url: str) -> str:
    """The URL without credentials, driver and options. Raises `InvalidInput`."""
    return _shown(_parsed(url))


@contextmanager
def reading(url: str) -> Iterator[Database]:
    """Open a database read-only. Raises `InvalidInput` for a wrong URL or driver, `SourceUnavailable` if the database
    does not respond or refuses; neither message contains the password."""
    _check_installed()
    parsed = _parsed(url)
    from sqlalchemy import create_engine
    from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError
    from sqlalchemy.pool import NullPool

    name, kind = _shown(parsed), parsed.get_backend_name()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # unknown types, which are reported without one
            engine = create_engine(_for_reading(parsed, name), poolclass=NullPool, hide_parameters=True)
            try:
                with engine.connect() as connection:
                    yield Database(name=name, kind=kind, connection=_read_only(connection, kind))
            finally:
                engine.dispose()
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise InvalidInput(
            f"the database {name}",
            found=f"there is no driver for it: {_sentence(error, parsed)}",
            hint="Install SQLAlchemy's driver for this database beside Retinue, and name it: postgresql+psycopg://...",
        ) from None
    except (SQLAlchemyError, OSError) as error:
        raise SourceUnavailable(
            f"the database {name}",
            found=_sentence(error, parsed),
            hint="Check its address and credentials, and that this user may read its schema",
        ) from None


def _check_installed() -> None:
    if find_spec("sqlalchemy") is None:
        raise InvalidInput(
            "to read a live database",
            found="SQLAlchemy is not installed",
            hint="Install the extra `sources`: pip install '.[sources]' in the folder of Retinue",
        )


def _parsed(url: str) -> URL:
    _check_installed()
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    hint = "Give SCHEME://USER:PASSWORD@HOST/DATABASE; percent-encode all but letters and digits in a password"
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # their texts hold the URL
        raise InvalidInput("the URL of a database", found="it cannot be read", hint=hint) from None
    kind = parsed.get_backend_name()
    if kind != "sqlite" and "@" in f"{parsed.host or ''}{parsed.database or ''}":
        raise InvalidInput("the URL of a database", found="it has more than one @", hint=hint)
    if not parsed.database and kind == "sqlite":
        raise InvalidInput("the URL of a database", found="it names no file", hint="Give sqlite:///PATH")
    known = _ALIASES.get(kind, kind)
    if "+" not in parsed.drivername:
        there = [driver for driver in _DRIVERS.get(known, ()) if find_spec(_module(driver)) is not None]
        known = "+".join([known, *there[:1]])
    else:
        known = f"{known}+{parsed.drivername.partition('+')[2]}"
    return parsed.set(drivername=known)


def _module(driver: str) -> str:
    return "MySQLdb" if driver == "mysqlclient" else driver


def _shown(url: URL) -> str:
    kind = url.get_backend_name()
    if kind == "sqlite":
        return f"sqlite:///{place_of(Path(url.database or ''))}"
    host = f"{url.host or ''}{f':{url.port}' if url.port else ''}" or str(url.query.get("host", ""))
    return f"{kind}://{host}/{url.database or ''}"


def _for_reading(url: URL, name: str) -> URL:
    """The URL with options that open the database read-only, never create it, and limit the wait for it."""
    kind = url.get_backend_name()
    if kind == "sqlite":
        path = Path(url.database or "")
        if not path.is_file():
            raise InvalidInput(f"the database {name}", found="there is no such file", hint="Give the path of a file")
        return url.set(database=path.absolute().as_uri(), query={"mode": "ro", "uri": "true"})
    if kind in ("postgresql", "mysql", "mariadb") and "connect_timeout" not in url.query:
        return url.update_query_dict({"connect_timeout": str(CONNECT_SECONDS)})
    return url


def _read_only(connection: Connection, kind: str) -> Connection:
    if kind == "postgresql":
        return connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    if kind in ("mysql", "mariadb"):
        connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
        connection.rollback()  # it applies from the next transaction on
    elif kind == "oracle":
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")
    return connection


def _sentence(error: BaseException, url: URL) -> str:
    """The driver's message, on one line, without the secrets of the URL."""
    said = " ".join(str(getattr(error, "orig", None) or error).split())[:400]
    secrets = {str(url.password or ""), *(str(value) for key, value in url.query.items() if _secret(key))}
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        for form in {secret, quote(secret), quote(secret, safe=""), quote_plus(secret), unquote(secret)}:
            said = said.replace(form, "***")
    return _URL.sub("***@", said).rstrip(".") or type(error).__name__


def _secret(option: str) -> bool:
    return re.search("pass|pwd|secret|token|key", option, re.IGNORECASE) is not None
