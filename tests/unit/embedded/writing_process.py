"""A process that writes to a store file: URL NAME THREADS EACH; says on stdout what was acknowledged, line by line.

Each write saves three memories at once: whoever reads must find all three or none.
"""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

from graph.embedded import open_store
from graph.memories import Memory

AT = datetime(2026, 1, 1, tzinfo=UTC)


def triple(name: str) -> list[Memory]:
    return [
        Memory(
            id=f"{name}/{part}",
            intent_id=f"{name}/intent",
            intent=name,
            objects=("t",),
            state="confirmed",
            created_at=AT,
            last_used_at=AT,
        )
        for part in range(3)
    ]


def main() -> None:
    url, own_name, threads, each = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    store = open_store(url)
    telling = threading.Lock()

    def write(worker: int) -> None:
        for turn in range(each):
            name = f"{own_name}-{worker}-{turn}"
            assert store.save_memories("w", triple(name)) == (True, True, True)
            with telling:
                sys.stdout.write(f"{name}\n")
                sys.stdout.flush()
            count_up()

    def count_up() -> None:
        """Adds one to the memory that all share, against whoever does the same."""
        while True:
            (shared,) = store.show_memories("w", ["shared"])
            if store.save_memories("w", [replace(shared, times=shared.times + 1)]) == (True,):
                return

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(write, range(threads)))
    store.close()


if __name__ == "__main__":
    main()
