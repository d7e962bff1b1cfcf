"""Each operation that takes a workspace says so where there is none, and makes none by the way."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from graph.errors import UnknownWorkspace
from graph.evidence import Expectation, Question
from graph.feedback import Discovery
from graph.store import Store
from graph.workspaces import Reply, Stamp
from kit.values.samples import AT, BANK, MODEL, embeddings, memory

REPLY = Reply(key="k", request="r", status=0, body="", at=AT)
DISCOVERY = Discovery(id="d", intent="i", retriever="blend", rule="default", results=(), at=AT)
EXPECTATION = Expectation(memory="m", objects=("o",), scores=(1.0,), support=1.0)
STAMP = Stamp(incarnation="i", version=0, catalogue_version=0)

OPERATIONS: dict[str, Callable[[Store, str], object]] = {
    "show_workspace": lambda store, name: store.show_workspace(name),
    "show_stamp": lambda store, name: store.show_stamp(name),
    "delete_workspace": lambda store, name: store.delete_workspace(name),
    "claim_reply": lambda store, name: store.claim_reply(name, REPLY, keep_since=AT),
    "save_reply": lambda store, name: store.save_reply(name, REPLY),
    "drop_reply": lambda store, name: store.drop_reply(name, "k"),
    "save_objects": lambda store, name: store.save_objects(name, BANK),
    "save_no_objects": lambda store, name: store.save_objects(name, []),
    "show_objects": lambda store, name: store.show_objects(name, ["account"]),
    "show_no_objects": lambda store, name: store.show_objects(name, []),
    "list_objects": lambda store, name: store.list_objects(name),
    "list_references": lambda store, name: store.list_references(name, ["account"]),
    "remove_objects": lambda store, name: store.remove_objects(name, ["account"]),
    "save_memories": lambda store, name: store.save_memories(name, [memory("a", ["account"])]),
    "save_no_memories": lambda store, name: store.save_memories(name, []),
    "show_memories": lambda store, name: store.show_memories(name, ["m"]),
    "list_memories": lambda store, name: store.list_memories(name),
    "forget_memories": lambda store, name: store.forget_memories(name, ["m"]),
    "evidence": lambda store, name: store.evidence(name, Question()),
    "changes": lambda store, name: store.changes(name, since=0),
    "list_ids": lambda store, name: store.list_ids(name),
    "nearest_objects": lambda store, name: store.nearest_objects(name, ["i"], model=MODEL),
    "save_expectations": lambda store, name: store.save_expectations(name, [EXPECTATION], stamp=STAMP, form="f"),
    "list_unembedded": lambda store, name: store.list_unembedded(name, of="objects", model=MODEL),
    "save_embeddings": lambda store, name: store.save_embeddings(name, embeddings({"account": "x"}), of="objects"),
    "record_discovery": lambda store, name: store.record_discovery(name, DISCOVERY, keep=9, keep_since=AT),
    "neighbourhood": lambda store, name: store.neighbourhood(name, "account", depth=1),
}


@pytest.mark.fault(76)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_unknown_workspace_fails_alike_in_every_operation(store: Store, operation: str) -> None:
    for name in (f"t-{uuid.uuid4().hex}", "", "default ", "*"):
        with pytest.raises(UnknownWorkspace) as raised:
            OPERATIONS[operation](store, name)
        assert raised.value.workspace == name
        assert name not in {each.name for each in store.list_workspaces()}
