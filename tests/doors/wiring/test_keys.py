"""API keys: the line that is printed is the line that is read, and only the digest is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.keys import Key, Keys, digest_of, key_line, make_key, read_keys
from graph.errors import InvalidSettings


def test_the_line_reads_back(tmp_path: Path) -> None:
    secret, other = make_key(), make_key()
    keys = (
        Key(name="an agent, ключ", sha256=digest_of(secret), role="read", workspaces=frozenset({"a", "b"})),
        Key(name="admin", sha256=digest_of(other), role="write", workspaces=None),
    )
    file = tmp_path / "keys.toml"
    file.write_text("\n".join(key_line(key) for key in keys), encoding="utf-8")
    read = read_keys(file)
    assert read == Keys(keys=keys)
    assert read.find(secret) == keys[0]
    assert read.find(other) == keys[1]
    assert read.find("") is None
    assert read.find(secret + "x") is None
    assert secret not in file.read_text(encoding="utf-8")


def test_a_key_opens_what_it_names() -> None:
    key = Key(name="k", sha256="", role="read", workspaces=frozenset({"a"}))
    assert key.opens("a")
    assert not key.opens("b")


def test_without_a_secret_nobody_comes_in() -> None:
    open_to_all = Key(name="k", sha256=digest_of(""), role="write", workspaces=None)
    assert Keys(keys=(open_to_all,)).find("") is None


GOOD = "0" * 64


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no key"),
        ("a = ", "not TOML"),
        ("a = 1", "is not"),
        (f'a = {{ sha256 = "{GOOD}", role = "read" }}', "is not"),
        ('a = { sha256 = "12", role = "read", workspaces = "*" }', "64 hexadecimal"),
        (f'a = {{ sha256 = "{GOOD}", role = "admin", workspaces = "*" }}', "neither read nor write"),
        (f'a = {{ sha256 = "{GOOD}", role = "read", workspaces = [] }}', "neither a list"),
        (f'a = {{ sha256 = "{GOOD}", role = "read", workspaces = "default" }}', "neither a list"),
        (f'a = {{ sha256 = "{GOOD}", role = "read", workspaces = ["A B"] }}', "not a valid name"),
        (f'a = {{ sha256 = "{digest_of("").upper()}", role = "read", workspaces = "*" }}', "empty text"),
        (
            f'a = {{ sha256 = "{"a" * 64}", role = "read", workspaces = "*" }}\n'
            f'b = {{ sha256 = "{"A" * 64}", role = "write", workspaces = "*" }}',
            "'a' and 'b' have the same",
        ),
        ("a = " + "[" * 100_000, "not TOML"),
        ("a = " + "1" * 5_000, "not TOML"),
    ],
)
def test_a_file_with_a_mistake_opens_nothing(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidSettings, match=said):
        read_keys(file)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="cannot be read"):
        read_keys(tmp_path / "none.toml")
