"""Reading the catalogue: by id, in pages, filtered, in the order of code points."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.store import Store
from kit.oracles.snapshots import pages
from kit.values.samples import ACCOUNT, BANK, BANK_REFERENCES, LOAN, ODD_IDS, column, table


@pytest.fixture
def bank(store: Store, workspace: str) -> str:
    store.save_objects(workspace, BANK, references=BANK_REFERENCES)
    store.save_objects(workspace, [], gone=["loan.amount"])
    return workspace


def ids(objects: object) -> list[str]:
    return [each.id for each in objects]  # type: ignore[attr-defined]


def test_showing_is_by_id_whatever_the_order_asked(store: Store, bank: str) -> None:
    asked = ["loan.amount", "nix", "account", "loan.amount", "account.A2"]
    assert ids(store.show_objects(bank, asked)) == ["account", "account.A2", "loan.amount"]
    assert store.show_objects(bank, []) == ()
    assert store.show_objects(bank, ["nix", ""]) == ()


def test_live_objects_are_listed_by_default(store: Store, bank: str) -> None:
    assert ids(store.list_objects(bank)) == ["account", "account.A2", "account.id", "loan", "loan.account_id"]
    assert ids(store.list_objects(bank, gone=True)) == ["loan.amount"]
    assert len(store.list_objects(bank, gone=None)) == 6


def test_filters_narrow_and_combine(store: Store, bank: str) -> None:
    assert ids(store.list_objects(bank, kind="table")) == ["account", "loan"]
    assert ids(store.list_objects(bank, kind="attribute", tables=["loan"], gone=None)) == [
        "loan.account_id",
        "loan.amount",
    ]
    assert ids(store.list_objects(bank, tables=["account", "nix"])) == ["account.A2", "account.id"]
    assert store.list_objects(bank, tables=[]) == ()
    assert store.list_objects(bank, kind="table", tables=["account"]) == ()
    store.save_objects(bank, [table("other", source="else")])
    assert ids(store.list_objects(bank, source="else")) == ["other"]
    assert store.list_objects(bank, source="") == ()


def test_each_part_must_be_in_the_folded_text(store: Store, bank: str) -> None:
    assert ids(store.list_objects(bank, containing=["account"])) == [
        "account",
        "account.A2",
        "account.id",
        "loan.account_id",
    ]
    assert ids(store.list_objects(bank, containing=["loan", "who"])) == ["loan.account_id"]
    assert store.list_objects(bank, containing=["who", "nix"]) == ()
    assert len(store.list_objects(bank, containing=[""])) == 5


@pytest.mark.parametrize("part", ["`a|b/c-d and (", "%", "_", "*", "?", "[a]", "'", '"', "\\", "$x", "账户"])
def test_a_part_is_text_and_no_pattern(store: Store, workspace: str, part: str) -> None:
    store.save_objects(workspace, [table("plain"), replace(table("odd"), folded=f"before{part}after")])
    assert ids(store.list_objects(workspace, containing=[part])) == ["odd"]


def test_pages_cover_everything_once(store: Store, bank: str) -> None:
    walked = list(pages(lambda after: store.list_objects(bank, gone=None, after=after, limit=4)))
    assert walked == list(store.list_objects(bank, gone=None))
    assert ids(store.list_objects(bank, after="account.A2\x7f", limit=1)) == ["account.id"]
    assert store.list_objects(bank, after="zzz") == ()


def test_inserts_between_pages_neither_hide_nor_repeat(store: Store, workspace: str) -> None:
    store.save_objects(workspace, [table(f"t{number:03}") for number in range(0, 100, 2)])
    seen: list[str] = []
    while page := store.list_objects(workspace, after=seen[-1] if seen else None, limit=7):
        seen += ids(page)
        around = int(seen[-1][1:])
        store.save_objects(
            workspace, [table(f"t{number:03}") for number in (around - 1, around + 1) if 0 < number < 100]
        )
    assert len(seen) == len(set(seen))
    assert {f"t{number:03}" for number in range(0, 100, 2)} <= set(seen)


def test_odd_ids_are_kept_apart_and_sorted_by_code_point(store: Store, workspace: str) -> None:
    store.save_objects(workspace, [table(odd) for odd in ODD_IDS])
    assert ids(store.list_objects(workspace)) == sorted(ODD_IDS)
    assert ids(pages(lambda after: store.list_objects(workspace, after=after, limit=2))) == sorted(ODD_IDS)
    assert ids(store.show_objects(workspace, ODD_IDS)) == sorted(ODD_IDS)
    for odd in ODD_IDS:
        assert store.show_objects(workspace, [odd]) == (table(odd),)


def test_odd_ids_carry_columns_and_references(store: Store, workspace: str) -> None:
    tables = [table(odd) for odd in ODD_IDS]
    columns = [column(odd, "c") for odd in ODD_IDS]
    ring = [(one.id, next_.id) for one, next_ in zip(columns, columns[1:] + columns[:1], strict=True)]
    store.save_objects(workspace, tables + columns, references=ring)
    assert store.list_references(workspace, [c.id for c in columns]) == tuple(sorted(ring))
    for odd in ODD_IDS:
        assert store.list_objects(workspace, tables=[odd]) == (column(odd, "c"),)
        assert store.remove_objects(workspace, [odd]).ids == tuple(sorted((odd, f"{odd}.c")))
    assert store.list_objects(workspace) == ()


def test_references_with_either_end_are_listed_sorted(store: Store, workspace: str) -> None:
    columns = [column("account", name) for name in "abcd"]
    pairs = [("account.a", "account.b"), ("account.b", "account.c"), ("account.d", "account.c")]
    store.save_objects(workspace, [*ACCOUNT, *columns], references=pairs[::-1])
    assert store.list_references(workspace, ["account.c", "nix"]) == (pairs[1], pairs[2])
    assert store.list_references(workspace, ["account.a", "account.b"]) == (pairs[0], pairs[1])
    assert store.list_references(workspace, []) == ()
    assert store.list_references(workspace, ["account", *(each.id for each in LOAN)]) == ()
