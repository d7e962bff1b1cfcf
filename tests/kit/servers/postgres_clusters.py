"""A PostgreSQL of a test's own: made by initdb in a temporary folder, with a password, on a free port of loopback.

initdb refuses root, so that where root runs the tests, the user of Debian's package (or nobody) runs the server.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PASSWORD = "s3cret/w@rd"
COMMAND = "apt-get install postgresql && RETINUE_REQUIRE=postgres make test"


class Lacking(Exception):
    """There is no PostgreSQL on this machine, or it does not start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A running server; `url` has the password of its superuser, percent-encoded."""

    folder: Path
    port: int
    binaries: Path

    @property
    def url(self) -> str:
        return f"postgresql://retinue:s3cret%2Fw%40rd@127.0.0.1:{self.port}"

    def run(self, script: str, *, database: str = "postgres") -> str:
        """What psql prints for the script, rows alone."""
        done = subprocess.run(
            [
                *(self.binaries / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"),
                *("-h", "127.0.0.1", "-p", str(self.port), "-U", "retinue", "-d", database, "-f", "-"),
            ],
            input=script,
            env={"PGPASSWORD": PASSWORD, "PATH": os.environ["PATH"], "PGCLIENTENCODING": "UTF8"},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def log(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def stop(self) -> None:
        _as_server(self.binaries / "pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


def start() -> Cluster:
    """Raises `Lacking`."""
    binaries = _binaries()
    folder = Path(tempfile.mkdtemp(prefix="retinue-postgres-"))
    password = folder / "password"
    password.write_text(PASSWORD, encoding="utf-8")
    if (user := _user()) is not None:
        for path in (folder, password):
            os.chown(path, user.pw_uid, user.pw_gid)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    _as_server(
        binaries / "initdb", "-D", folder / "data", "-U", "retinue", "--auth=scram-sha-256", "--encoding=UTF8",
        "--locale=C", "--no-sync", f"--pwfile={password}",
    )  # fmt: skip
    options = (
        f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off -c log_statement=all "
        "-c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.track_utility=on -c max_connections=20"
    )
    _as_server(
        binaries / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w", "-t", "60", "-o", options, "start"
    )
    return Cluster(folder=folder, port=port, binaries=binaries)


def _binaries() -> Path:
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4].partition(".")[0])
    )
    if found:
        return found[-1].parent
    if path := shutil.which("initdb"):
        return Path(path).resolve().parent
    raise Lacking("no initdb on the path or in /usr/lib/postgresql")


def _user() -> pwd.struct_passwd | None:
    """Who runs the server where root may not."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise Lacking("root may not run it, and there is no user `postgres` or `nobody`")


def _as_server(*command: Any) -> None:
    user = _user()
    rights: dict[str, Any] = {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    with tempfile.TemporaryFile() as said:  # a pipe would be held open by the server that pg_ctl leaves behind
        done = subprocess.run(
            [str(part) for part in command], stdout=said, stderr=said, cwd="/", timeout=120, check=False, **rights
        )
        said.seek(0)
        if done.returncode:
            raise Lacking(f"{Path(command[0]).name} failed: {said.read().decode(errors='replace').strip()[-400:]}")
