"""Neo4j Community as plain Java processes: jars from Maven Central into a user's cache, one folder and two ports each.

Which servers a test run uses is decided in `neo4j_servers`; here is only how one is fetched, started and stopped.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import neo4j
import platformdirs

FASTER_VECTORS = "jdk.incubator.vector"  # a trimmed Java runtime may lack it, and the server does without
OPENED = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch")

# The server outlives neither a test run that ends nor one that is killed: the shell waits for its standard input
# to close, which happens in either case, and then ends the server, whose data nobody needs any more.
TETHER = """
exec 3<&0; folder="$1"; shift
"$@" 3<&- & server=$!
echo "$server" >"$folder/pid"
{ cat <&3 >/dev/null; kill -9 "$server"; sleep 1; rm -rf "$folder"; } &
wait "$server"
"""

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>retinue.tests</groupId><artifactId>server</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{version}</version></dependency>
    <dependency><groupId>org.neo4j.client</groupId><artifactId>neo4j-browser</artifactId><version>5.15.0</version>
    </dependency>
  </dependencies>
</project>
"""

CONF = """server.bolt.listen_address=127.0.0.1:{bolt}
server.bolt.advertised_address=127.0.0.1:{bolt}
server.http.listen_address=127.0.0.1:{http}
server.http.advertised_address=127.0.0.1:{http}
server.https.enabled=false
dbms.usage_report.enabled=false
server.memory.pagecache.size=512m
"""

# A test run is short and its graphs are small: most of a server's time would go into compiling, and into making plans
# anew as counts double, or for every size that a list of parameters has. The first two took it from 111 to 44 CPU
# seconds over forty small workspaces (5.26).
HURRIED_OPTION = "-XX:TieredStopAtLevel=1"
HURRIED_CONF = "dbms.cypher.min_replan_interval=1h\ninternal.cypher.use_parameter_size=false\n"


class Unavailable(Exception):
    """A server cannot be had here; the message says why, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """A release of the server: the Java it needs and the class it starts from."""

    version: str
    java: int
    main: str

    @property
    def folder(self) -> Path:
        return Path(platformdirs.user_cache_dir("retinue-tests")) / f"neo4j-{self.version}"


def java_of(*, at_least: int) -> str:
    """The oldest Java that is new enough, of JAVA_HOME, PATH, and the folders beside the one that PATH leads to."""
    homes = [Path(home)] if (home := os.environ.get("JAVA_HOME")) else []
    if command := shutil.which("java"):
        homes.append(found := Path(command).resolve().parent.parent)
        homes.extend(found.parent.glob("*"))
    versions: dict[int, str] = {}
    for executable in (str(home / "bin" / "java") for home in homes):
        if shutil.which(executable):
            said = subprocess.run([executable, "-version"], capture_output=True, text=True, check=False).stderr
            if match := re.search(r'version "(?:1\.)?(\d+)', said):
                versions.setdefault(int(match[1]), executable)
    if fit := [version for version in versions if version >= at_least]:
        return versions[min(fit)]
    raise Unavailable(f"no Java {at_least} or newer (found: {', '.join(map(str, sorted(versions))) or 'none'})")


def has_module(java: str, module: str) -> bool:
    listed = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=False).stdout
    return f"{module}@" in listed


def fetch(distribution: Distribution) -> Path:
    """The folder with the server's jars, fetched once per user; it appears whole, also where two runs fetch at once."""
    jars = distribution.folder / "jars"
    if jars.is_dir():
        return jars
    if not (maven := shutil.which("mvn")):
        raise Unavailable("no `mvn` to fetch the server with")
    distribution.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=distribution.folder) as scratch:
        Path(scratch, "pom.xml").write_text(POM.replace("{version}", distribution.version), encoding="utf-8")
        copy = ["dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory=jars"]
        done = subprocess.run([maven, "-q", "-B", *copy], cwd=scratch, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unavailable(f"`mvn` could not fetch Neo4j {distribution.version}: {done.stdout.strip()[-300:]}")
        with contextlib.suppress(OSError):  # somebody else's fetch was faster
            Path(scratch, "jars").rename(jars)
    return jars


def free_ports(count: int) -> list[int]:
    """Loopback ports that nothing listens at; taken together, so that they differ."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Process:
    """A running server with a folder of its own, which goes with it. A `hurried` one is no good for measuring."""

    def __init__(self, distribution: Distribution, *, hurried: bool = False, patience_seconds: float = 300) -> None:
        java, jars = java_of(at_least=distribution.java), fetch(distribution)
        self.home = Path(tempfile.mkdtemp(prefix="retinue-neo4j-"))
        self.bolt, self.http = free_ports(2)
        self.password = secrets.token_hex(12)
        (self.home / "conf").mkdir()
        conf = self.home / "conf" / "neo4j.conf"
        settings = CONF.format(bolt=self.bolt, http=self.http) + (HURRIED_CONF if hurried else "")
        conf.write_text(settings, encoding="utf-8")
        options = [f"--add-opens={module}=ALL-UNNAMED" for module in OPENED]
        if has_module(java, FASTER_VECTORS):
            options.append(f"--add-modules={FASTER_VECTORS}")
        places = [f"--home-dir={self.home}", f"--config-dir={self.home / 'conf'}"]
        if hurried:
            options.append(HURRIED_OPTION)
        self._command = [java, "-Xmx1g", "-cp", f"{jars}/*", *options, distribution.main, *places]
        self._shells: list[subprocess.Popen[bytes]] = []
        self.start(patience_seconds=patience_seconds)
        try:
            self._set_password()
        except BaseException:
            self.stop()
            raise

    def start(self, *, patience_seconds: float = 300) -> None:
        """Starts it (again, where it was killed) on what its folder holds, and waits until it answers."""
        starts = self._starts()
        with (self.home / "out.log").open("ab") as out:
            self._shells.append(
                subprocess.Popen(
                    ["sh", "-c", TETHER, "sh", str(self.home), *self._command],
                    stdin=subprocess.PIPE,
                    stdout=out,
                    stderr=out,
                    start_new_session=True,  # an interrupt at the keyboard is for the tests; they stop the server
                )
            )
        try:
            self._await_start(patience_seconds, starts=starts)
        except BaseException:
            self.stop()
            raise

    def kill(self) -> None:
        """Ends it as a crash would: at once, in the middle of whatever it does."""
        os.kill(int((self.home / "pid").read_text(encoding="utf-8")), signal.SIGKILL)
        self._shells[-1].wait()

    def stop(self) -> None:
        """Stops the server and removes its folder; may be called twice."""
        for shell in self._shells:
            if shell.stdin:
                shell.stdin.close()
            shell.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def _starts(self) -> int:
        log = self.home / "logs" / "neo4j.log"
        return log.read_text(encoding="utf-8").count("Started.") if log.exists() else 0

    def _await_start(self, patience_seconds: float, *, starts: int) -> None:
        until = time.monotonic() + patience_seconds
        while self._starts() == starts:
            if self._shells[-1].poll() is not None or time.monotonic() > until:
                said = (self.home / "out.log").read_text(encoding="utf-8").strip()[-500:]
                raise Unavailable(f"the server did not start within {patience_seconds:.0f} s: {said}")
            time.sleep(0.1)

    def _set_password(self) -> None:
        with neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{self.bolt}", auth=("neo4j", "neo4j")) as driver:
            driver.execute_query(
                "ALTER CURRENT USER SET PASSWORD FROM $old TO $new",
                {"old": "neo4j", "new": self.password},
                database_="system",
            )
