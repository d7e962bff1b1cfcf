"""Settings: what is set is checked, what is half set is refused, and no secret is shown."""

from __future__ import annotations

from pathlib import Path
from traceback import format_exception

import pytest

from api.settings import default_store, read_settings, unknown_variables
from graph.errors import InvalidSettings, StoreUnavailable


def test_defaults() -> None:
    settings = read_settings({})
    assert (settings.workspace, settings.encoder, settings.host, settings.port) == (
        "default",
        "auto",
        "127.0.0.1",
        8765,
    )
    assert settings.store is None
    assert settings.backend == "sqlite"


def test_an_option_stands_over_the_environment() -> None:
    environment = {"RETINUE_STORE": "memory://", "RETINUE_PORT": "1"}
    settings = read_settings(environment, store="sqlite:///x.db", port=2)
    assert (settings.store, settings.port) == ("sqlite:///x.db", 2)


@pytest.mark.parametrize(("given", "missing"), [("USER", "PASSWORD"), ("PASSWORD", "USER")])
def test_half_a_set_of_credentials_is_refused(given: str, missing: str) -> None:
    with pytest.raises(InvalidSettings, match=f"RETINUE_NEO4J_{missing} is not"):
        read_settings({"RETINUE_STORE": "neo4j://h", f"RETINUE_NEO4J_{given}": "s3cret"})


def test_secrets_are_never_shown() -> None:
    settings = read_settings({"RETINUE_NEO4J_USER": "u", "RETINUE_NEO4J_PASSWORD": "s3cret"})
    assert "s3cret" not in repr(settings)
    assert "s3cret" not in str(settings)
    with pytest.raises(InvalidSettings) as refused:
        read_settings({"RETINUE_STORE": "bolt://neo4j:s3cret@host"})
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["memory://", "sqlite:///a.db", "sqlite:////a/b.db", "neo4j://h:7687", "neo4j+s://h", "bolt+ssc://h:1"]
)
def test_stores(url: str) -> None:
    assert read_settings({"RETINUE_STORE": url}).store == url


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "postgres://h/db", "neo4j://", "/a/b.db", "memory://x"])
def test_what_is_no_store_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings):
        read_settings({"RETINUE_STORE": url})


@pytest.mark.parametrize(
    "url",
    [
        "neo4j://[",
        "neo4j://h:x",
        "bolt://h:99999",
        "bolt://℀:1",
        "bolt://user:s3cret@℀:1",
        "bolt://user:s3cret@[",
        "postgres:user:s3cret@h",
        "user:s3cret@h",
    ],
)
def test_what_is_no_url_is_refused_and_no_secret_in_it_is_shown(url: str) -> None:
    with pytest.raises(InvalidSettings) as refused:
        read_settings({"RETINUE_STORE": url})
    assert "s3cret" not in "".join(format_exception(refused.value))


@pytest.mark.parametrize("name", ["", " ", "Upper", "a b", "a/b", "-a", "ä", "a" * 64, "a\n"])
def test_what_is_no_workspace_is_refused(name: str) -> None:
    with pytest.raises(InvalidSettings):
        read_settings({}, workspace=name)


@pytest.mark.parametrize("port", ["x", "-1", "65536", "1.5", "²", "1" * 5_000])
def test_what_is_no_port_is_refused(port: str) -> None:
    with pytest.raises(InvalidSettings):
        read_settings({"RETINUE_PORT": port})


def test_misspelt_variables_are_told() -> None:
    assert unknown_variables({"RETINUE_STOR": "memory://", "RETINUE_REQUIRE": "neo4j", "HOME": "/"}) == (
        "RETINUE_STOR",
    )


def test_the_default_store_makes_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    url = default_store({"HOME": str(tmp_path / "home")})
    assert url.startswith("sqlite:///")
    assert Path(url.removeprefix("sqlite:///")).parent.is_dir()


def test_no_home_says_what_to_set() -> None:
    with pytest.raises(StoreUnavailable, match="RETINUE_STORE"):
        default_store({"HOME": ""})


def test_a_home_that_cannot_be_written_to_says_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "home"
    blocked.write_text("a file where a folder should be: nobody can write into it, the superuser neither")
    monkeypatch.setenv("HOME", str(blocked))
    monkeypatch.setenv("XDG_DATA_HOME", str(blocked / "data"))
    with pytest.raises(StoreUnavailable, match="RETINUE_STORE"):
        default_store({"HOME": str(blocked)})
