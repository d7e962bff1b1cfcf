"""Retention scenarios asked of two stores: what is kept, in order, and what is warned of must be the same.

`tests/contract/sessions/test_retaining.py` does it for some of each file.
For all of them, on the servers in RETINUE_TEST_NEO4J:
`PYTHONPATH=tests python tests/kit/replays/retention.py ../shared`.
"""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from graph.store import Store
from services.sessions import GivenChunk, SessionService
from services.studies.retention.scenario_files import FileScenario, read_scenarios
from services.workspaces import WorkspaceService

LIVE = ("dsgc", "dsgc_roots", "dsgc_roots@top=5", "multi_hop", "closure")
"""The published policies, whose scores a store can compute."""
POLICIES = (*LIVE, "default", "credible", "similar")


def now() -> datetime:
    return datetime.now(UTC)


def scenarios(shared: Path, *, most: int | None = None) -> Iterator[FileScenario]:
    for file in sorted((shared / "data" / "retention").glob("*.json")):
        yield from read_scenarios(file).scenarios[:most]


def save_scenario(service: SessionService, workspace: str, scenario: FileScenario) -> str:
    """The scenario as a session; its id."""
    session = f"{scenario.suite}/{scenario.id}"
    service.create(workspace, session)
    chunks = scenario.chunks
    given = [
        GivenChunk(
            id=key,
            text=chunks.texts[place],
            tokens=int(chunks.tokens[place]),
            pinned=bool(chunks.pinned[place]),
            premises=tuple(scenario.ids[target] for target in scenario.premises.of(place)),
        )
        for place, key in enumerate(scenario.ids)
    ]
    service.add_chunks(workspace, session, given)
    return session


def answers(
    store: Store, workspace: str, scenario: FileScenario, *, policies: Sequence[str] = POLICIES, stored: bool = False
) -> list[object]:
    """By policy: what is kept in order, what had to go with the reasons, and the warnings; `stored`: with scores by the
    store's live set where the policy has one."""
    service = SessionService(store, None, now)
    session = save_scenario(service, workspace, scenario)
    found: list[object] = []
    for policy in policies:
        answer = service.retain(
            workspace,
            session,
            scenario.query,
            budget_tokens=scenario.budget_tokens,
            policy=policy,
            encoder="hashing",
            explain=True,
            stored=stored,
        )
        found.append((policy, answer.kept, answer.evicted, answer.warnings, answer.trace))
    return found


def main() -> None:
    from graph.embedded import open_store as open_embedded
    from graph.neo4j.store import open_store as open_neo4j

    shared = Path(sys.argv[1])
    for entry in filter(None, map(str.strip, os.environ["RETINUE_TEST_NEO4J"].split(";"))):
        url, user, password, *_ = entry.split()
        begun, asked, different = time.monotonic(), 0, []
        name = f"t-{uuid.uuid4().hex}"
        with (
            closing(open_neo4j(url, user=user, password=password)) as store,
            closing(open_embedded("memory://")) as memory,
        ):
            for each in (store, memory):
                WorkspaceService(each, now).create(name)
            for scenario in scenarios(shared):
                there, here = answers(store, name, scenario, stored=True), answers(memory, name, scenario)
                asked += len(here)
                different += [(scenario.suite, scenario.id, a) for a, b in zip(there, here, strict=True) if a != b]
            server = store.health().server
            store.delete_workspace(name)
        print(f"{server}: {asked} answers, {len(different)} differ, {time.monotonic() - begun:.0f} s")  # noqa: T201
        for it in different[:5]:
            print("  ", it)  # noqa: T201


if __name__ == "__main__":
    main()
