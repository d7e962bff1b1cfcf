"""The tree that joins an answer's tables: fewest steps, the same each time, with reasons and with what is apart."""

from __future__ import annotations

from graph.catalogue import Reference, first_paths
from services.discovery.answers import Hit, JoinStep, JoinTree
from services.discovery.joining import MOST_TABLES, join_tree


def hit(object_id: str) -> Hit:
    table, _, name = object_id.partition(".")
    return Hit(
        id=object_id, kind="attribute" if name else "table", table=table if name else None, name=name or table,
        description="", score=1.0, registry=1.0, memory=0.0,
    )  # fmt: skip


def tree(references: list[Reference], *hits: str) -> JoinTree:
    tables = list(dict.fromkeys(it.partition(".")[0] for it in hits))
    joints = [(a.partition(".")[0], b.partition(".")[0], (a, b)) for a, b in references]
    return join_tree(tables, first_paths(tables, joints), [hit(it) for it in hits])


def shape(found: JoinTree) -> list[tuple[str, str]]:
    return [(step.start, step.end) for step in found.steps]


BANK = [
    ("loan.account_id", "account.id"), ("account.district_id", "district.id"), ("client.district_id", "district.id"),
    ("disp.account_id", "account.id"), ("disp.client_id", "client.id"), ("card.disp_id", "disp.id"),
]  # fmt: skip


def test_the_tables_between_are_added_and_each_step_says_for_whom() -> None:
    found = tree(BANK, "loan.status", "card.type", "loan", "card")
    assert found == JoinTree(
        root="loan",
        steps=(
            JoinStep(start="loan", end="account", references=(BANK[0],), serves=("card.type", "card")),
            JoinStep(start="account", end="disp", references=(BANK[3],), serves=("card.type", "card")),
            JoinStep(start="disp", end="card", references=(BANK[5],), serves=("card.type", "card")),
        ),
        added=("account", "disp"),
        unconnected=(),
    )


def test_a_table_is_attached_where_the_tree_is_nearest_even_between() -> None:
    # client is nearer to disp, which only the way to card brought in, than to the best table
    found = tree(BANK, "loan.status", "card.type", "client.gender")
    assert shape(found) == [("loan", "account"), ("account", "disp"), ("disp", "card"), ("disp", "client")]
    assert found.added == ("account", "disp")


def test_a_tree_has_one_step_to_each_table_and_begins_at_the_best() -> None:
    found = tree(BANK, "district.A3", "loan.amount", "client.gender", "disp.type", "card.type", "account")
    ends = [end for _, end in shape(found)]
    assert sorted(ends) == ["account", "card", "client", "disp", "loan"]
    seen = {found.root}
    for start, end in shape(found):
        assert start in seen
        seen.add(end)
    assert found.added == ()


def test_what_no_path_leads_to_is_told() -> None:
    found = tree(BANK, "loan.amount", "weather.rain", "weather", "account.id", "moon")
    assert shape(found) == [("loan", "account")]
    assert found.unconnected == ("weather.rain", "weather", "moon")


def test_one_table_alone_needs_no_step() -> None:
    assert tree(BANK, "loan.amount", "loan") == JoinTree(root="loan", steps=(), added=(), unconnected=())


def test_every_order_of_the_references_gives_the_same_tree() -> None:
    hits = ("loan.status", "client.gender", "card.type", "district.A3")
    assert {tree(BANK[n:] + BANK[:n], *hits) for n in range(len(BANK))} == {tree(BANK[::-1], *hits)}


def test_more_tables_than_are_joined_are_told_as_unconnected() -> None:
    tables = [f"t{n:02}" for n in range(MOST_TABLES + 2)]
    star = [(f"{it}.hub", "hub.id") for it in tables]
    joints = [(a.partition(".")[0], "hub", (a, b)) for a, b in star]
    kept = tables[:MOST_TABLES]
    found = join_tree(kept, first_paths(kept, joints), [hit(it) for it in tables])
    assert (len(found.steps), found.added, found.unconnected) == (MOST_TABLES, ("hub",), tuple(tables[MOST_TABLES:]))
