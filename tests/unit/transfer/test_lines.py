"""The file as people and other versions may hand it in: bad lines by number, other forms, cut off; its own form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta, timezone
from io import BytesIO
from typing import Any

import pytest

from graph.embedded import open_store
from graph.errors import InvalidInput, UnknownWorkspace
from graph.feedback import Trust
from graph.memories import OutcomeEvidence
from graph.store import Store
from kit.exports import changed, exported, imported
from kit.values.samples import AT, BANK, BANK_REFERENCES, embeddings, intent_id, memory
from services.transfer import export_graph


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store("memory://")
    yield opened
    opened.close()


@pytest.fixture
def data(store: Store) -> bytes:
    """Header, workspace, 2 tables, 4 columns, a reference, 2 memories, an intent, trust, end: lines 1 to 14."""
    store.create_workspace("w", incarnation="a", at=AT)
    store.save_objects("w", BANK, references=BANK_REFERENCES, embeddings=embeddings({"loan": "x"}))
    spoken = OutcomeEvidence(kind="confirmed", outcome="success", at=AT, state="confirmed")
    made = [memory("one", ["loan"], evidence=(spoken,)), memory("two", ["loan.amount"])]
    store.save_memories("w", made, embeddings=embeddings({intent_id("one"): "y"}))
    store.load_trust("w", [Trust(rule="default", lead=0.25, outcomes=3)])
    whole = exported(store, "w")
    assert whole.count(b"\n") == 14
    return whole


def into_empty(data: bytes) -> tuple[Any, bytes]:
    """The report, and what is there afterwards, of an import into an empty store."""
    fresh = open_store("memory://")
    report = imported(fresh, data)
    out = BytesIO()
    export_graph(fresh, out.write)
    fresh.close()
    return report, out.getvalue()


def edited(data: bytes, line: int, **fields: Any) -> bytes:
    """The file with fields of one line replaced, or dropped where the new value is `...`."""
    lines = data.splitlines(keepends=True)
    row = json.loads(lines[line - 1]) | fields
    kept = {name: value for name, value in row.items() if value is not ...}
    lines[line - 1] = json.dumps(kept).encode() + b"\n"
    return b"".join(lines)


def test_the_form_is_canonical(data: bytes) -> None:
    lines = data.decode().splitlines()
    assert lines[0] == '{"form":"retinue-graph","version":1}'
    assert lines[1] == '{"created_at":"2026-02-03T04:05:06.789012Z","name":"w","row":"workspace"}'
    assert lines[-1] == '{"row":"end","rows":12}'
    kinds = [json.loads(line)["row"] for line in lines[1:-1]]
    few = ["reference", *["memory"] * 2, "intent", "trust"]
    assert kinds == ["workspace", *["table"] * 2, *["attribute"] * 4, *few]
    assert changed(data, lambda _: None) == data


@pytest.mark.fault(69)
def test_instants_of_any_zone_are_one_instant(store: Store, data: bytes) -> None:
    east = timezone(timedelta(hours=5, minutes=30))
    given = [replace(m, created_at=m.created_at.astimezone(east)) for m in store.list_memories("w")]
    store.load_memories("w", given)
    assert exported(store, "w") == data


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\n",
        b"not json\n",
        b"[]\n",
        b'{"objects": [], "references": []}\n',
        b'{"form":"retinue-graph","version":2}\n',
        b'{"form":"retinue-graph","version":true}\n',
        b'{"form":"other","version":1}\n',
    ],
)
def test_a_file_of_another_form_or_version_is_refused_whole(data: bytes, head: bytes) -> None:
    with pytest.raises(InvalidInput, match="file"):
        into_empty(head + data.partition(b"\n")[2])


@pytest.mark.parametrize(
    ("line", "fields", "reason"),
    [
        (3, {"name": None}, "`name` is not text"),
        (3, {"gone": 1}, "`gone` is neither true nor false"),
        (3, {"row": "view"}, "`row` is none of"),
        (3, {"more": 1}, "fields that are not known: more"),
        (5, {"table": "nowhere"}, "not in its catalogue"),
        (5, {"table": ...}, "`table` is missing"),
        (5, {"description": "\ud800"}, "half of a surrogate pair"),
        (4, {"embedding": {"model": "m", "float32": "AAAA"}}, "no whole vector"),
        (4, {"embedding": {"model": "m", "float32": "AAAAAA=="}}, "a vector of length 0"),
        (4, {"embedding": {"model": "m", "float32": "AADAfw=="}}, "a vector of length nan"),
        (4, {"embedding": {"model": "m", "float32": "ž"}}, "no base64"),
        (9, {"to": "nowhere"}, "not in its catalogue"),
        (10, {"state": "sure"}, "`state` is none of proposed, confirmed, refuted"),
        (10, {"revision": 0}, "`revision` is no whole number from 1 on"),
        (10, {"times": True}, "`times` is no whole number"),
        (10, {"times": 2**63}, "`times` is no whole number"),
        (10, {"created_at": "2026-02-03T04:05:06"}, "`created_at` is no instant with a zone"),
        (10, {"objects": "loan"}, "`objects` is no list"),
        (10, {"evidence": [{}]}, "`kind` is missing"),
        (11, {"evidence": [{"kind": "confirmed"}]}, "`outcome` is missing"),
        (12, {"id": "i_nobody"}, "no memory has this intent"),
        (13, {"lead": "much"}, "`lead` is no number"),
        (13, {"lead": float("nan")}, "`lead` is no number"),
        (13, {"outcomes": -1}, "`outcomes` is no whole number"),
        (14, {"rows": 13}, "it says that there are 13 rows, and there are 12"),
    ],
)
def test_a_bad_line_is_reported_and_the_rest_goes_in(data: bytes, line: int, fields: Any, reason: str) -> None:
    report, after = into_empty(edited(data, line, **fields))
    assert [entry.line for entry in report.rejected if reason in entry.reason] == [line], report.rejected
    # a table's columns, a memory's intent go the same way
    assert report.rows >= 12 - 5
    assert after.count(b"\n") == report.rows + 2


@pytest.mark.parametrize("junk", [b"{\n", b"\xff\xfe\n", b"\n", b"[" * 5_000 + b"\n", b"null\n"])
def test_a_line_that_is_none_is_reported(data: bytes, junk: bytes) -> None:
    lines = data.splitlines(keepends=True)
    report, after = into_empty(b"".join([*lines[:4], junk, *lines[4:-1], b'{"row":"end","rows":13}\n']))
    assert [entry.line for entry in report.rejected] == [5]
    assert after == data


def test_a_line_too_long_is_passed_over_unread(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.transfer.importing.LINE_BYTES", 1_000)
    report, _ = into_empty(edited(data, 4, description="x" * 5_000))
    assert [entry.reason for entry in report.rejected if entry.line == 4] == ["it is longer than 1,000 bytes"]


@pytest.mark.parametrize("lost", range(1, 400, 7))
def test_a_file_that_was_cut_off_is_reported_wherever_it_was(data: bytes, lost: int) -> None:
    report, _ = into_empty(data[: -lost - 1])
    assert report.truncated
    assert "cut off" in report.rejected[-1].reason
    assert report.rejected[-1].line == data[: -lost - 1].count(b"\n") + 1


def test_a_last_line_without_its_end_is_whole_and_blank_ones_after_it_are_nothing(data: bytes) -> None:
    for end in (b"", b"\n\n", b"\r\n"):
        report, after = into_empty(data.rstrip(b"\n") + end)
        assert (report.rejections, report.truncated, after) == (0, False, data)


def test_what_comes_after_the_end_is_reported(data: bytes) -> None:
    report, after = into_empty(data + data)
    assert report.rejections == 14
    assert {entry.reason for entry in report.rejected} == {"it comes after the line that ends the file"}
    assert after == data


def test_a_byte_order_mark_and_dos_line_ends_are_no_fault(data: bytes) -> None:
    report, after = into_empty(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    assert (report.rejections, after) == (0, data)


def test_rows_of_a_workspace_that_cannot_be_are_each_reported(data: bytes) -> None:
    report, after = into_empty(edited(data, 2, name="No Name"))
    assert [entry.line for entry in report.rejected] == list(range(2, 14))
    assert "not a workspace's name" in report.rejected[0].reason
    assert after.count(b"\n") == 2


def test_of_an_id_that_comes_twice_the_later_line_counts(data: bytes) -> None:
    lines = data.splitlines(keepends=True)
    twice = edited(b"".join([*lines[:3], *lines[2:]]), 4, name="later")
    report, after = into_empty(edited(twice, 15, rows=13))
    assert (report.rejections, report.imported, report.updated) == (0, 12, 1)
    assert json.loads(after.splitlines()[2])["name"] == "later"


def test_a_report_names_so_many_bad_lines_and_counts_the_others(data: bytes) -> None:
    lines = data.splitlines(keepends=True)
    report, _ = into_empty(b"".join([*lines[:2], *[b"{}\n"] * 1_500, *lines[2:]]))
    assert (len(report.rejected), report.rejections) == (1_000, 1_501)


def test_a_workspace_that_is_not_there_is_not_exported(store: Store) -> None:
    with pytest.raises(UnknownWorkspace):
        exported(store, "nowhere")


def test_who_writes_meanwhile_is_named(store: Store, data: bytes) -> None:
    def writing(line: bytes) -> None:
        if b'"row":"reference"' in line:
            store.save_objects("w", [replace(BANK[0], description="meanwhile")])

    assert export_graph(store, writing).moved == ("w",)
    assert export_graph(store, lambda _: None).moved == ()


def test_progress_tells_rows(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.transfer.importing.BATCH_ROWS", 2)
    from services.transfer import import_graph

    told: list[int] = []
    fresh = open_store("memory://")
    import_graph(fresh, BytesIO(data), progress=lambda done, _: told.append(done))
    fresh.close()
    assert told == sorted(told)
    assert told[-1] == 12
