"""Rows and values: the order of ids, evidence as text, embeddings fit to be stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.time import DateTime

from graph.embeddings import Embeddings
from graph.errors import InvalidInput
from graph.memories import OutcomeEvidence
from graph.neo4j.mapping import (
    MEMORY,
    OBJECT,
    HalfRead,
    batches,
    embedding_rows,
    seal_of,
    sort_key,
    text_of,
    value_of,
    whole_pairs,
)
from graph.plain import Form
from kit.values.samples import memory

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
near_the_surrogates = st.text(st.sampled_from("a\ud7fe\ud7ff\ue000\uffee😀𠀀"), max_size=5)


def in_units(text: str) -> bytes:
    """What the server's memory compares: UTF-16 units."""
    return text.encode("utf-16-be")


@given(texts | near_the_surrogates, texts | near_the_surrogates)
def test_keys_are_ordered_as_code_points_both_in_indexes_and_in_memory(one: str, other: str) -> None:
    first, second = sort_key(one), sort_key(other)
    assert (first < second) == (one < other)
    assert (in_units(first) < in_units(second)) == (one < other)


@pytest.mark.parametrize("plain", ["", "account.A2", "客户账户表", "café", "عقد"])
def test_nearly_every_id_is_its_own_key(plain: str) -> None:
    assert sort_key(plain) == plain


def test_evidence_comes_back_whole() -> None:
    zone = timezone(timedelta(hours=5, minutes=45))
    at = datetime(2026, 2, 3, 4, 5, 6, 789012, tzinfo=zone)
    told = OutcomeEvidence(kind="feedback", outcome="failure", at=at, state="refuted", note='"ř"\n😀', discovery="d_1")
    form = Form(OutcomeEvidence)
    assert value_of(form, text_of(form, told)) == told
    assert value_of(form, text_of(form, told)).at.tzinfo == UTC


def rows(*vectors: list[float]) -> Embeddings:
    ids = tuple(f"o{number}" for number in range(len(vectors)))
    return Embeddings(model="m", ids=ids, matrix=np.array(vectors, dtype=np.float32))


@pytest.mark.parametrize("bad", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 0.0], [3.0, 4.0]])
def test_a_vector_that_an_index_would_pass_over_is_refused_by_its_id(bad: list[float]) -> None:
    with pytest.raises(InvalidInput, match="o1"):
        embedding_rows(rows([1.0, 0.0], bad))


def test_a_matrix_of_another_length_is_refused() -> None:
    with pytest.raises(InvalidInput, match="shape"):
        embedding_rows(Embeddings(model="m", ids=("a",), matrix=np.eye(2, dtype=np.float32)))


def test_a_digest_tells_vectors_and_models_apart() -> None:
    one = embedding_rows(rows([1.0, 0.0], [0.0, 1.0], [1.0, 0.0]))
    other = embedding_rows(Embeddings(model="n", ids=("o0",), matrix=np.array([[1, 0]], dtype=np.float32)))
    digests = [digest for _, digest in one.values()]
    assert digests[0] == digests[2] != digests[1]
    assert other["o0"][1] not in digests
    assert all(-(2**63) <= digest < 2**63 for digest in digests)


def test_batches_hold_all_in_order() -> None:
    assert list(batches(range(5), size=2)) == [range(2), range(2, 4), range(4, 5)]
    assert list(batches([], size=2)) == []


@pytest.mark.parametrize("lost", ["id", "kind", "name", "description", "source", "gone", "folded"])
def test_an_object_that_lacks_what_all_have_was_half_deleted(lost: str) -> None:
    row = {
        "id": "t", "kind": "table", "name": "t", "description": "", "table": None, "data_type": None,
        "source": "s", "gone": False, "folded": "t",
    }  # fmt: skip
    assert OBJECT.read(row).id == "t"
    with pytest.raises(HalfRead):
        OBJECT.read({**row, lost: None})


def test_a_memory_comes_back_whole_from_the_properties_of_its_node() -> None:
    """But for instants, which the driver reads as values of its own."""
    at = datetime(2026, 2, 3, 4, 5, tzinfo=UTC)
    outcome = OutcomeEvidence(kind="feedback", outcome="success", at=at, state="confirmed", note="ok")
    kept = replace(memory("one", ["b", "a"]), created_at=at, last_used_at=at, evidence=(outcome,), statement="SELECT 1")
    row = MEMORY.write(kept, seal=1)
    assert (row["objects"], row["dialect"], row["seal"]) == (list(kept.objects), None, 1)
    assert [type(text) for text in row["evidence"]] == [str]
    del row["seal"]
    assert MEMORY.read(row | {"created_at": DateTime.from_native(at), "last_used_at": DateTime.from_native(at)}) == kept
    with pytest.raises(HalfRead):
        MEMORY.read(row | {"evidence": None})


def test_a_seal_tells_every_change_of_a_memory() -> None:
    sealed = memory("one", ["a"])
    changes: dict[str, Any] = {
        "times": 2,
        "successes": 5,
        "failures": 1,
        "state": "refuted",
        "objects": ("b",),
        "revision": 7,
    }
    changed = [replace(sealed, **{name: value}) for name, value in changes.items()]
    assert len({seal_of(each) for each in (sealed, *changed)}) == 1 + len(changes)
    assert seal_of(replace(sealed, missing=("a",))) == seal_of(sealed)  # which follows from the catalogue


@pytest.mark.parametrize("pair", [(None, None), ("i", None), (None, "text")])
def test_a_pair_that_lacks_a_part_was_half_deleted(pair: tuple[str | None, str | None]) -> None:
    with pytest.raises(HalfRead):
        whole_pairs([("i_1", "whole"), pair])
