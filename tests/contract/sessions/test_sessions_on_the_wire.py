"""A session crosses the wire packed: one record however many chunks, and nothing where it is known already."""

from __future__ import annotations

import uuid
from contextlib import closing

from graph.neo4j.store import open_store
from graph.premises import Premise
from kit.servers.neo4j_servers import Server
from kit.values.samples import AT
from kit.wire import observed
from services.sessions import GivenChunk, SessionService

CHUNKS = 400


def test_a_session_is_read_once_as_one_record_and_a_live_set_is_another(neo4j_server: Server) -> None:
    name = f"t-{uuid.uuid4().hex}"
    with (
        observed(neo4j_server.url) as (url, traffic),
        closing(open_store(url, user=neo4j_server.user, password=neo4j_server.password)) as store,
    ):
        store.create_workspace(name, incarnation="first", at=AT)
        service = SessionService(store, None, lambda: AT)
        service.create(name, "s")
        service.add_chunks(name, "s", [GivenChunk(id=f"c{n}", text=f"step {n} of {n // 7}") for n in range(CHUNKS)])
        pairs = [(n, n - 1 - n % 5) for n in range(6, CHUNKS)] + [(n, n // 2) for n in range(7, CHUNKS)]
        service.add_premises(name, "s", [Premise(chunk=f"c{i}", premise=f"c{j}") for i, j in pairs])

        def asked(policy: str) -> tuple[list[str], int]:
            traffic.clear()
            answer = service.retain(name, "s", "step 33", budget_tokens=50, policy=policy)
            assert answer.kept
            return list(traffic.queries), traffic.records

        queries, records = asked("default")
        assert (len(queries), records) == (2, 2), queries  # the session's version, and all of it
        whole = traffic.received
        queries, records = asked("default")
        assert (len(queries), records) == (1, 1), queries  # it is as it was
        service.add_chunks(name, "s", [GivenChunk(id="more", text="step 33 again", premises=("c33",))])
        queries, records = asked("default")
        assert (len(queries), records) == (2, 2), queries
        assert traffic.received < whole / 4  # what is new, and what that rests on
        for policy in ("dsgc", "dsgc_roots", "multi_hop", "closure"):
            queries, records = asked(policy)
            assert (len(queries), records) == (1, 1), queries  # ranked over the arrays that are there
        traffic.clear()
        assert service.live(name, "s", roots=["c33"]).roots == ("c33",)
        assert (len(traffic.queries), traffic.records) == (1, 1)
        store.delete_workspace(name)
