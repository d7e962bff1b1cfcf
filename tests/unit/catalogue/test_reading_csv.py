"""CSV files as tables: header, delimiter, encoding and types are found out; what is odd is told by file or column."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.errors import InvalidInput
from services.catalogue import SourceCatalogue, read_catalogue
from services.catalogue.csv_files import guess_type


def read(tmp_path: Path, data: bytes, *, encoding: str | None = None) -> SourceCatalogue:
    file = tmp_path / "loans.csv"
    file.write_bytes(data)
    return read_catalogue(file, source="s", encoding=encoding)


def columns(found: SourceCatalogue) -> dict[str, str | None]:
    return {item.name: item.data_type for item in found.objects if item.kind == "attribute"}


def test_a_file_is_a_table_with_the_columns_of_its_header(tmp_path: Path) -> None:
    found = read(tmp_path, b"loan_id,amount,granted,note\n1,12.50,2020-01-31,first\n2,,2020-02-01,\n")
    assert [item.id for item in found.objects] == [
        "loans", "loans.loan_id", "loans.amount", "loans.granted", "loans.note",
    ]  # fmt: skip
    assert columns(found) == {"loan_id": "INTEGER", "amount": "DECIMAL", "granted": "DATE", "note": "TEXT"}
    assert found.rejected == ()
    assert not any("first" in str(item) for item in found.objects)  # values are nobody's business


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_delimiter_is_found_out(tmp_path: Path, delimiter: str) -> None:
    rows = [("id", "name, or title; as said", "a|b"), ("1", 'Smith; "John", Jr.', "x\ty"), ("2", "line\nend", "z")]
    text = "".join(delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) + "\r\n" for row in rows)
    found = read(tmp_path, text.encode())
    assert columns(found) == {"id": "INTEGER", "name, or title; as said": "TEXT", "a|b": "TEXT"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_marks_and_encodings_are_found_out(tmp_path: Path, encoding: str) -> None:
    found = read(tmp_path, "účet;částka;贷款\n1;2,5;x\n".encode(encoding))
    assert columns(found) == {"účet": "INTEGER", "částka": "DECIMAL", "贷款": "TEXT"}


def test_what_is_no_utf_8_is_western_or_what_is_named(tmp_path: Path) -> None:
    assert list(columns(read(tmp_path, "café,prix\na,1\n".encode("windows-1252")))) == ["café", "prix"]
    czech = "účet,částka\na,1\n".encode("windows-1250")
    assert list(columns(read(tmp_path, czech, encoding="windows-1250"))) == ["účet", "částka"]
    found = read(tmp_path, czech, encoding="utf-8")
    assert (found.objects, found.rejected[0].item) == ((), "loans.csv")
    with pytest.raises(InvalidInput, match="no such encoding"):
        read(tmp_path, czech, encoding="klingon")


def test_a_column_without_a_name_of_its_own_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, b"id,,Id, total amount ,\n1,x,2,3,\n")
    assert columns(found) == {"id": "INTEGER", "total amount": "INTEGER"}
    assert [(r.item, r.reason.split(";")[0]) for r in found.rejected] == [
        ("loans.csv column 2", "it has no name in the header"),
        ("loans.csv column 3", "its name 'Id' comes twice"),
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is empty"),
        (b"\n \n", "it is empty"),
        (b",,\n1,2,3\n", "holds values"),
        (b"1,2,2020-01-01\n4,5,2020-01-02\n", "holds values"),
        (b"PK\x03\x04\x00\x00zip", "NUL"),
    ],
)
def test_a_file_that_is_no_table_is_told(tmp_path: Path, data: bytes, reason: str) -> None:
    found = read(tmp_path, data)
    assert found.objects == ()
    assert [r.item for r in found.rejected] == ["loans.csv"]
    assert reason in found.rejected[0].reason


def test_a_folder_is_read_with_its_folders_as_schemas(tmp_path: Path) -> None:
    for name, text in {
        "a.csv": "id\n1\n", "b.TSV": "id\tx\n1\t2\n", "a.tsv": "other\n", "raw/a.csv": "id\n", "raw/note.txt": "no",
        ".hidden/c.csv": "id\n", "bad.csv": "",
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_catalogue(tmp_path)
    assert [item.id for item in found.objects if item.kind == "table"] == ["a", "b", "raw.a"]
    assert [(r.item, r.reason) for r in found.rejected] == [
        ("a.tsv", "a.csv is a table of this name already"),
        ("bad.csv", "it is empty"),
    ]


def test_only_the_beginning_of_a_long_file_is_read(tmp_path: Path) -> None:
    wide = "é" * 999
    rows = "".join(f"{n},{wide}\n" for n in range(3_000))
    found = read(tmp_path, f"id,text\n{rows}last,x\n".encode())
    assert columns(found) == {"id": "INTEGER", "text": "TEXT"}
    assert found.rejected == ()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "-2", "", "NULL"], "INTEGER"),
        (["1", "2.5", "1e9", "1,000.5"], "DECIMAL"),
        (["007", "12"], "TEXT"),
        (["12345678901234567890"], "DECIMAL"),
        (["true", "False"], "BOOLEAN"),
        (["yes", "1"], "TEXT"),
        (["2020-01-31", "31.1.2020", "1/31/2020"], "DATE"),
        (["2020-01-31 12:00", "2020-01-31T12:00:05.123Z"], "TIMESTAMP"),
        (["12:30", "9:05:01 pm"], "TIME"),
        (["", "n/a"], None),
        ([], None),
        (["2020-01-31", "soon"], "TEXT"),
    ],
)
def test_types_are_the_narrowest_that_fit(values: list[str], expected: str | None) -> None:
    assert guess_type(values) == expected
