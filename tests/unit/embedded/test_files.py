"""The file of a store: made where it can be, refused in clear words where it cannot, whole whatever goes wrong."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from graph.embedded import EmbeddedStore, lock_wait, open_store, sqlite_file
from graph.embedded.sorted_keys import VersionLog
from graph.errors import InvalidInput, InvalidSettings, SchemaMismatch, StoreUnavailable
from kit.oracles.snapshots import snapshot
from kit.values.samples import AT, column, memory, table


def test_the_folders_are_made(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'a' / 'b' / 'graph.db'}")
    assert store.list_workspaces() == ()
    store.close()
    store.close()


def test_a_relative_path_starts_where_the_command_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_store("sqlite:///graph.db").close()
    assert (tmp_path / "graph.db").is_file()


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "memory", "postgres://x", ""])
def test_another_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings, match="sqlite:///PATH"):
        open_store(url)


def test_a_closed_store_says_so(store: EmbeddedStore) -> None:
    store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        store.show_stamp("w")
    with pytest.raises(StoreUnavailable, match="closed"):
        store.save_objects("w", [table("t")])
    assert not store.health().ready


def test_a_file_of_somebody_else_is_left_alone(file: Path, opening: Callable[[], EmbeddedStore]) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE mine (x)")
    before = file.read_bytes()
    with pytest.raises(SchemaMismatch, match="did not make"):
        opening()
    assert file.read_bytes() == before


def test_a_file_that_is_no_database_is_refused(file: Path, opening: Callable[[], EmbeddedStore]) -> None:
    file.write_text("Dear diary, " * 100)
    with pytest.raises(StoreUnavailable, match="no SQLite database"):
        opening()
    assert file.read_text().startswith("Dear diary")


@pytest.mark.fault(103)
@pytest.mark.parametrize("schema", [1, 99])
def test_another_schema_is_refused_with_what_to_do(
    file: Path, store: EmbeddedStore, opening: Callable[[], EmbeddedStore], schema: int
) -> None:
    store.close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {schema}")
    before = file.read_bytes()
    with pytest.raises(SchemaMismatch, match=f"schema {schema}, .*retinue export.* and import here"):
        opening()
    assert file.read_bytes() == before


@pytest.mark.parametrize("place", ["", "file/below.db"])
def test_a_path_that_cannot_be_a_file_is_told_with_a_hint(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match="may be written"):
        open_store(f"sqlite:///{tmp_path / place}")


def test_many_at_once_make_one_file(file: Path) -> None:
    def make(_: int) -> None:
        store = open_store(f"sqlite:///{file}")
        made.append(store.create_workspace("w", incarnation=str(threading.get_ident()), at=AT)[1])
        store.close()

    made: list[bool] = []
    threads = [threading.Thread(target=make, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [False] * 7 + [True]


def test_a_full_disk_changes_nothing_and_room_mends_it(store: EmbeddedStore) -> None:
    store.save_objects("w", [table("t")])
    before = snapshot(store, "w")
    connection = store._journal._db  # type: ignore[attr-defined]
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    many = [table("t"), *(column("t", f"c{n}", "x" * 500) for n in range(200))]
    with pytest.raises(StoreUnavailable, match="Make room"):
        store.save_objects("w", many)
    assert snapshot(store, "w") == before
    connection.execute("PRAGMA max_page_count = 100000")
    store.save_objects("w", many)
    assert store.show_workspace("w").attributes == 200


def test_a_locked_file_is_waited_for_while_reading_goes_on(
    file: Path, store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        writer = threading.Thread(target=store.save_objects, args=("w", [table("t")]))
        writer.start()
        writer.join(0.1)
        assert store.list_ids("w").objects == ()
        assert writer.is_alive()
        other.execute("ROLLBACK")
        writer.join()
        assert store.list_ids("w").objects == ("t",)
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(lock_wait, "LIMIT_SECONDS", 0.05)
        with pytest.raises(StoreUnavailable, match="Another process"):
            store.save_objects("w", [table("u")])
        assert store.list_ids("w").objects == ("t",)


def test_a_file_taken_away_takes_no_more_writes(file: Path, store: EmbeddedStore) -> None:
    store.save_objects("w", [table("t")])
    assert store.health().ready
    file.unlink()
    with pytest.raises(StoreUnavailable, match="removed or replaced"):
        store.save_objects("w", [table("u")])
    assert store.list_ids("w").objects == ("t",)
    assert "removed or replaced" in store.health().problems[0]


def test_what_was_committed_survives_an_interrupted_write(
    store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    store.save_objects("w", [table("t")])
    with monkeypatch.context() as patched:
        patched.setattr(VersionLog, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.save_objects("w", [column("t", "a")])
    assert store.list_ids("w").objects == ("t", "t.a")
    store.save_objects("w", [column("t", "b")])
    assert store.show_workspace("w").attributes == 2


@pytest.mark.parametrize("url", ["memory://", "sqlite:///{}"])
def test_half_a_surrogate_pair_is_refused_and_nothing_kept(file: Path, url: str) -> None:
    store = open_store(url.format(file))
    store.create_workspace("w", incarnation="first", at=AT)
    store.save_objects("w", [table("t")])
    with pytest.raises(InvalidInput, match="surrogate"):
        store.save_objects("w", [table("good"), table("bad \ud800")])
    with pytest.raises(InvalidInput, match="surrogate"):
        store.save_memories("w", [memory("q", ["t"], statement="\udfff")])
    assert store.list_ids("w").objects == ("t",)
    assert store.list_memories("w") == ()
    store.close()


def test_nul_bytes_neither_cut_nor_confuse(store: EmbeddedStore, opening: Callable[[], EmbeddedStore]) -> None:
    store.save_objects("w", [table("a"), table("a\x00b", "x\x00y"), table("a\x00c")])
    store.remove_objects("w", ["a\x00c"])
    for each in (store, opening()):
        assert each.list_ids("w").objects == ("a", "a\x00b")
        assert each.show_objects("w", ["a\x00b"])[0].description == "x\x00y"


READER = """\
import os, sys
from datetime import UTC, datetime
from graph.embedded import open_store
from graph.errors import StoreUnavailable
from graph.catalogue import DataObject
open_store("sqlite:///" + sys.argv[2]).close()  # all modules are read while that is still allowed
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    store = open_store(sys.argv[1])
    print(store.list_ids("w").objects)
    store.save_objects("w", [DataObject(id="u", kind="table", name="u")])
except StoreUnavailable as error:
    print(error.hint)
"""


@pytest.fixture
def readable(file: Path, store: EmbeddedStore) -> Iterator[Path]:
    """A copy of a store's file in a folder that others may read, not write."""
    store.save_objects("w", [table("t")])
    store.close()
    folder = Path(tempfile.mkdtemp())
    shutil.copy(file, folder)
    (folder / file.name).chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def read_by_another(url: str, own: Path) -> str:
    """What is answered to a process that may not write there; `own` is a folder in which it may write before."""
    command = [sys.executable, "-c", READER, url, str(own / "own.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs POSIX permissions")
def test_a_file_that_may_not_be_written_can_be_read(readable: Path, tmp_path: Path) -> None:
    said = read_by_another(f"sqlite:///{readable / 'graph.db'}", tmp_path)
    assert said.startswith("('t',)")
    assert "may be written" in said


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs POSIX permissions")
def test_a_folder_that_may_not_be_written_is_told_with_a_hint(readable: Path, tmp_path: Path) -> None:
    assert "may be written" in read_by_another(f"sqlite:///{readable / 'new.db'}", tmp_path)
    assert "may be written" in read_by_another(f"sqlite:///{readable / 'new' / 'graph.db'}", tmp_path)


def test_a_home_that_is_nobodys_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="~nouser"):
        open_store("sqlite:///~nouser/graph.db")


@pytest.mark.parametrize("damage", ["DROP TABLE records", "DROP INDEX records_by_key"])
def test_a_file_without_its_tables_is_told_with_a_hint(
    file: Path, store: EmbeddedStore, opening: Callable[[], EmbeddedStore], damage: str
) -> None:
    store.create_workspace("w", incarnation="1", at=AT)
    store.close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(damage)
    with pytest.raises(StoreUnavailable, match="put a copy of it back"):
        opening()


@pytest.mark.parametrize("body", ["{", "{}", "7", '"half"', "[1, 2, 3, 4, 5]"])
def test_a_record_in_no_known_form_is_named(
    file: Path, store: EmbeddedStore, opening: Callable[[], EmbeddedStore], body: str
) -> None:
    store.create_workspace("w", incarnation="1", at=AT)
    store.save_objects("w", [table("account")])
    store.close()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE records SET body = ? WHERE id = 'account'", (body,))
    with pytest.raises(StoreUnavailable, match="object 'account'") as caught:
        opening()
    assert str(file) in str(caught.value)


def test_what_was_forgotten_is_not_in_the_file(file: Path, store: EmbeddedStore) -> None:
    store.create_workspace("w", incarnation="1", at=AT)
    store.save_objects("w", [table("t")])
    secret = memory("a question that nobody may read again", ["t"])
    store.save_memories("w", [secret])
    store.forget_memories("w", [secret.id])
    store.close()
    assert b"nobody may read again" not in file.read_bytes()


def test_every_commit_reaches_the_disk_before_it_is_acknowledged(
    opening: Callable[[], EmbeddedStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut cannot be had in a test: what decides it is how the connection that writes is set."""
    connections: list[sqlite3.Connection] = []
    connect = sqlite_file._connect

    def kept(uri: str) -> sqlite3.Connection:
        connections.append(connect(uri))
        return connections[-1]

    monkeypatch.setattr(sqlite_file, "_connect", kept)
    opening().create_workspace("w", incarnation="1", at=AT)
    full = 2
    assert [it.execute("PRAGMA synchronous").fetchone() for it in connections] == [(full,)]
