"""Neo4j's own analyser of Cypher, offline: the npm package behind its editors, fetched once into a user's cache.

What must hold of our query files is said in `house/`; here is only how the analyser is had and asked.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from kit import needs

PACKAGE, VERSION = "@neo4j-cypher/language-support", "2.0.0-next.38"
COMMAND = "install Node.js 20 or newer with npm, then `make test`"

SCRIPT = """
const { lintCypherQuery } = require(process.argv[1]);
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
const said = asked.map(({ text, schema }) => lintCypherQuery(text, schema).diagnostics.map(({ message, range }) =>
  `line ${range.start.line + 1}: ${message}`));
process.stdout.write(JSON.stringify(said));
"""


def analyse(queries: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """For each query (`text`, and the `schema` it may refer to) what the analyser has against it.

    The analyser takes up to seconds a query; what it said is kept, and asked anew where query or schema changed.
    """
    kept = [_folder() / f"{hashlib.sha256(json.dumps(query).encode()).hexdigest()}.json" for query in queries]
    new = [(path, query) for path, query in zip(kept, queries, strict=True) if not path.exists()]
    if new:
        command = [_executable("node"), "-e", SCRIPT, str(_package())]
        asked = json.dumps([query for _, query in new])
        done = subprocess.run(command, input=asked, capture_output=True, text=True, encoding="utf-8", check=True)
        for (path, _), said in zip(new, json.loads(done.stdout), strict=True):
            path.write_text(json.dumps(said), encoding="utf-8")
    return [json.loads(path.read_text(encoding="utf-8")) for path in kept]


def _folder() -> Path:
    return Path(platformdirs.user_cache_dir("retinue-tests")) / f"cypher-analysis-{VERSION}"


def _package() -> Path:
    package = (folder := _folder()) / "node_modules" / PACKAGE
    if not (package / "package.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        install = [_executable("npm"), "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
        done = subprocess.run([*install, f"{PACKAGE}@{VERSION}"], capture_output=True, text=True, check=False)
        if done.returncode:
            needs.lacking("node", reason=f"npm could not fetch {PACKAGE}: {done.stderr[-300:]}", command=COMMAND)
    return package


def _executable(name: str) -> str:
    if not (found := shutil.which(name)):
        needs.lacking("node", reason=f"no `{name}`", command=COMMAND)
    return found
