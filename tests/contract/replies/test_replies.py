"""Replies kept for idempotency keys: one claim wins, keys are freed and grow old."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from graph.store import Store
from graph.workspaces import Reply
from kit.values.samples import AT

CLAIM = Reply(key="ключ/1 '\"", request="hash", status=0, body="", at=AT)
DONE = replace(CLAIM, status=201, body='{"text": "Ünïcode 🜚"}', at=AT + timedelta(seconds=1))
LONG_AGO = AT - timedelta(days=1)


def test_a_free_key_is_claimed_and_a_claimed_one_shows_its_reply(store: Store, workspace: str) -> None:
    assert store.claim_reply(workspace, CLAIM, keep_since=LONG_AGO) is None
    other = replace(CLAIM, request="another", at=AT + timedelta(seconds=2))
    assert store.claim_reply(workspace, other, keep_since=LONG_AGO) == CLAIM
    store.save_reply(workspace, DONE)
    assert store.claim_reply(workspace, other, keep_since=LONG_AGO) == DONE


def test_a_dropped_key_is_free_and_dropping_twice_is_fine(store: Store, workspace: str) -> None:
    store.claim_reply(workspace, CLAIM, keep_since=LONG_AGO)
    store.drop_reply(workspace, CLAIM.key)
    store.drop_reply(workspace, CLAIM.key)
    assert store.claim_reply(workspace, CLAIM, keep_since=LONG_AGO) is None


def test_an_old_reply_gives_its_key_back(store: Store, workspace: str) -> None:
    store.claim_reply(workspace, CLAIM, keep_since=LONG_AGO)
    store.save_reply(workspace, DONE)
    later = replace(CLAIM, request="later", at=AT + timedelta(days=2))
    assert store.claim_reply(workspace, later, keep_since=AT + timedelta(days=1)) is None
    assert store.claim_reply(workspace, CLAIM, keep_since=LONG_AGO) == later


def test_any_claim_drops_the_replies_that_are_too_old(store: Store, workspace: str) -> None:
    store.claim_reply(workspace, CLAIM, keep_since=LONG_AGO)
    later = replace(CLAIM, key="other", at=AT + timedelta(days=2))
    store.claim_reply(workspace, later, keep_since=AT + timedelta(days=1))
    assert store.claim_reply(workspace, CLAIM, keep_since=LONG_AGO) is None


def test_replies_move_no_version_and_belong_to_one_workspace(store: Store, workspace: str) -> None:
    before = store.show_stamp(workspace)
    store.create_workspace(other := f"{workspace}-other", incarnation="other", at=AT)
    store.claim_reply(workspace, CLAIM, keep_since=LONG_AGO)
    store.save_reply(workspace, DONE)
    assert store.show_stamp(workspace) == before
    assert store.claim_reply(other, CLAIM, keep_since=LONG_AGO) is None
    store.delete_workspace(other)
    assert store.claim_reply(workspace, CLAIM, keep_since=LONG_AGO) == DONE


def test_replies_go_with_their_workspace(store: Store, workspace: str) -> None:
    store.claim_reply(workspace, CLAIM, keep_since=LONG_AGO)
    store.delete_workspace(workspace)
    store.create_workspace(workspace, incarnation="second", at=AT)
    assert store.claim_reply(workspace, CLAIM, keep_since=LONG_AGO) is None
