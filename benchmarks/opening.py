"""How long a store takes to open and to answer first: in a fresh process, and through the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.filling import Filled, fill, warm_encoder
from benchmarks.rows import Row, timed
from benchmarks.synthetic import MEMORY_SHARE, warehouse
from graph.embedded import open_store

RETINUE = (sys.executable, "-c", "from api.cli import main; main()")
ROOT = Path(__file__).resolve().parents[1]
READ = "SELECT workspace, kind, id, version, body, vector FROM records"
OPENING = f"""
import json, resource, sqlite3, sys, time
from pathlib import Path
from graph.embedded import open_store

def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if sys.platform == "linux" else 0
    return pages * resource.getpagesize() / 2**20

url = sys.argv[1]
database = sqlite3.connect(url.removeprefix("sqlite:///"))
begin = time.perf_counter()
for row in database.execute({READ!r}):
    pass
bare = time.perf_counter() - begin
database.close()
before = resident()
begin = time.perf_counter()
store = open_store(url)
taken = time.perf_counter() - begin
graph = resident() - before
from services.catalogue_index import CatalogueIndexes
begin = time.perf_counter()
registry = CatalogueIndexes(store).current("bench")
registry.cosines("text", "grams"), registry.cosines("intent", "grams")
lexical = time.perf_counter() - begin
print(json.dumps([taken, bare, graph, lexical, resident() - before - graph]))
"""


def open_embedded(size: int) -> Iterator[Row]:
    """Of a file with embeddings; memory is stated part by part."""
    with tempfile.TemporaryDirectory() as folder:
        url = filled_file(size, Path(folder), encoder=True)
        runs = [json.loads(run([sys.executable, "-c", OPENING, url])) for _ in range(3)]
    taken, bare, memory, lexical, arrays = (median(values) for values in zip(*runs, strict=True))
    vectors = (size + size // MEMORY_SHARE) * 384 * 4 / 2**20
    yield Row(
        name="open_embedded",
        size=size,
        seconds=taken,
        baseline="reading the same file's rows, nothing made of them",
        baseline_seconds=bare,
        note=f"{size // MEMORY_SHARE:,} memories; {vectors:.0f} MiB embeddings, {max(0, memory - vectors):.0f} MiB "
        f"graph, {arrays:.0f} MiB registry and lexical index, which take {lexical:.2f} s more at the first answer",
    )


def cold_discover(size: int) -> Iterator[Row]:
    """`retinue discover` as a command of its own, words alone: start, open, index, answer."""
    with tempfile.TemporaryDirectory() as folder:
        url = filled_file(size, Path(folder), encoder=False)
        command = [*RETINUE, "--store", url, "--workspace", "bench", "--json", "discover"]
        asked = [*command, "average loan amount by district"]
        spent, bare = [], []
        for _ in range(5):
            spent.append(timed(lambda: run(asked)))
            bare.append(timed(lambda: run([sys.executable, "-c", "import numpy, networkx, sqlite3"])))
    yield Row(
        name="cold_discover",
        size=size,
        seconds=median(spent),
        baseline="a Python process that imports numpy, networkx and sqlite3",
        baseline_seconds=median(bare),
        note=f"{size // MEMORY_SHARE:,} memories, no encoder, a process a question",
    )


def filled_file(size: int, folder: Path, *, encoder: bool) -> str:
    url, made = f"sqlite:///{folder / 'bench.db'}", warehouse(size)
    with Filled(open_store(url), encoder=warm_encoder(made) if encoder else None) as services:
        fill(services, "bench", made)
    return url


def run(command: list[str]) -> str:
    environment = {**os.environ, "RETINUE_ENCODER": "none"}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout
