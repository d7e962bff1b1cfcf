"""The command line as people and programs meet it: what it prints where, and how it leaves."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from api.cli import exits
from api.cli.discover import show_answer
from api.cli.printing import clean, clipped, table, width
from api.cli.running import global_options_first
from graph.memories import MemoryDifference
from services.discovery.answers import Answer, Contribution, Hit
from services.discovery.arms import RETRIEVERS, RULES
from services.memories.service import MemoryService

Retinue = Callable[..., Any]

LESSON = {
    "intent": "loan sums by district",
    "sql": "SELECT a.A4, SUM(amount) FROM loan JOIN account a ON a.id = account_id",
}


@pytest.fixture
def stocked(retinue: Retinue, bank: Path) -> Retinue:
    done = retinue("catalog", "import", str(bank))
    assert done.code == 0, done.err
    return retinue


def test_the_first_write_makes_the_workspace(retinue: Retinue, bank: Path) -> None:
    assert retinue("--workspace", "lab", "catalog", "list").code == 3
    done = retinue("--workspace", "lab", "--json", "catalog", "import", str(bank))
    assert done.code == 0
    assert done.value["imported"] == 6
    assert retinue("--json", "workspace", "show", "lab").value["attributes"] == 4


def test_the_same_file_twice_changes_nothing(stocked: Retinue, bank: Path) -> None:
    assert stocked("--json", "catalog", "import", str(bank)).value["unchanged"] == 6


def test_one_bad_item_keeps_no_other_out(retinue: Retinue, tmp_path: Path) -> None:
    file = tmp_path / "odd.json"
    objects: list[Any] = [{"id": f"t{n}", "kind": "table", "name": f"t{n}"} for n in range(20)]
    file.write_text(json.dumps({"objects": [*objects, None], "references": [["t1.x", "nope"]]}), encoding="utf-8")
    done = retinue("--json", "catalog", "import", str(file))
    assert done.code == 5
    assert done.value["imported"] == 20
    assert len(done.value["rejected"]) == 2
    assert done.err.count("Rejected") == 2


def test_discover_prints_what_the_contract_names(stocked: Retinue) -> None:
    done = stocked("--json", "discover", "amount of loans", "--limit", "3")
    assert done.code == 0
    value = done.value
    assert set(value) == {"discovery", "results", "retriever", "rule", "degraded"}
    first = value["results"][0]
    assert set(first) == {"id", "kind", "table", "name", "description", "score", "parts", "memories"}
    assert first["score"] == pytest.approx(first["parts"]["registry"] + first["parts"]["memory"], abs=1e-9)
    assert {"loan", "loan.amount"} <= {item["id"] for item in value["results"]}
    assert value["degraded"] == []  # without an encoder by choice: nothing is missed


def test_what_was_learnt_speaks(stocked: Retinue) -> None:
    learnt = stocked("--json", "learn", LESSON["intent"], "--sql", LESSON["sql"])
    assert learnt.code == 0, learnt.err
    assert set(learnt.value) == {"memory", "objects", "unresolved", "state"}
    assert learnt.value["state"] == "confirmed"
    assert "account.A4" in learnt.value["objects"]
    hits = stocked("--json", "discover", "sums lent in a district").value["results"]
    voices = [voice["id"] for hit in hits for voice in hit["memories"]]
    assert learnt.value["memory"] in voices
    told = stocked("discover", "sums lent in a district", "--explain")
    assert learnt.value["memory"] in told.out
    assert "registry" in told.out


def test_what_outcomes_earned_is_shown_and_forgotten(stocked: Retinue) -> None:
    assert "No outcome" in stocked("trust", "show").out
    stocked("learn", LESSON["intent"], "--sql", LESSON["sql"])
    asked = stocked("--json", "discover", "sums lent in a district").value["discovery"]
    stocked("learn", "sums lent in a district", "--sql", LESSON["sql"], "--discovery", asked)
    (earned,) = stocked("--json", "trust", "show").value["trust"]
    assert set(earned) == {"rule", "lead", "outcomes", "heard"}
    assert (earned["rule"], earned["outcomes"]) == ("default", 1)
    assert "default" in stocked("trust", "show").out
    assert stocked("--json", "trust", "reset").value == {"forgotten": 1}
    assert stocked("--json", "trust", "show").value == {"trust": []}


def test_lines_are_learnt_and_what_is_safe_is_told(stocked: Retinue, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    lines = [
        json.dumps({**LESSON, "domain": "bank"}),
        "",
        "no json",
        json.dumps({"intent": "x", "sql": "SELECT 1 FROM"}),
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    done = stocked("--json", "learn", "--from", str(file))
    assert done.code == 5
    assert (done.value["learned"], done.value["rejected"]) == (1, 2)
    assert [line["line"] for line in done.value["lines"]] == [1, 3, 4]
    assert set(done.value["lines"][0]) == {"line", "memory", "objects", "unresolved", "state", "error"}
    assert "committed 4" in done.err.splitlines()
    from_stdin = stocked("--json", "learn", "--from", "-", stdin=lines[0] + "\n")
    assert (from_stdin.code, from_stdin.value["learned"]) == (0, 1)


def test_many_intents_are_answered_in_order(stocked: Retinue, tmp_path: Path) -> None:
    file = tmp_path / "intents.jsonl"
    file.write_text('{"intent": "loans"}\n{"intent": 3}\n{"intent": "districts"}\n', encoding="utf-8")
    done = stocked("--json", "discover", "--from", str(file), "--limit", "1")
    assert done.code == 5
    first, wrong, last = done.value["answers"]
    assert first["results"][0]["id"].startswith("loan")
    assert "error" in wrong
    assert last["results"][0]["id"].startswith("account")


def test_a_memory_is_judged_and_forgotten(stocked: Retinue) -> None:
    memory = stocked("--json", "learn", LESSON["intent"], "--sql", LESSON["sql"]).value["memory"]
    other = stocked("--json", "learn", "other", "--sql", "SELECT amount FROM loan").value["memory"]
    assert stocked("--json", "memory", "refute", memory, "--note", "no").value["state"] == "refuted"
    assert stocked("--json", "memory", "confirm", memory).value["state"] == "confirmed"
    assert stocked("--json", "memory", "list").value["memories"][0]["intent"] in (LESSON["intent"], "other")
    assert memory in stocked("memory", "show", memory).out
    dry = stocked("--json", "memory", "forget", memory, other, "m_none")
    assert dry.value == {"dry_run": True, "would_forget": 2}
    assert len(stocked("--json", "memory", "list").value["memories"]) == 2
    assert stocked("--json", "memory", "forget", memory, "m_none", "--yes").code == 3
    assert stocked("--json", "memory", "forget", "--all", "--yes").value["forgotten"] == 1


def test_workspaces_go_only_when_told(stocked: Retinue) -> None:
    refused = stocked("workspace", "delete", "default")
    assert refused.code == 2
    assert "2 tables, 4 columns" in refused.err
    assert "Nothing was done" in refused.err
    assert "Invalid value" not in refused.err
    assert stocked("--json", "workspace", "show", "default").value["tables"] == 2
    assert stocked("--json", "workspace", "reset", "default", "--yes").value["reset"]["tables"] == 2
    assert stocked("--json", "workspace", "show", "default").value["tables"] == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("discover",), 2),
        (("discover", "x", "--limit", "0"), 2),
        (("discover", "x", "--limit", "100000"), 2),
        (("discover", "x", "--retriever", "magic"), 2),
        (("--port", "1"), 2),
        (("nonsense",), 2),
        (("--workspace", "", "discover", "x"), 2),
        (("--store", "mysql://x", "discover", "x"), 2),
        (("discover", "   "), 5),
        (("discover", "x", "--rule", "magic"), 5),
        (("learn", "x", "--sql", "SELECT FROM WHERE ((("), 5),
        (("discover", "--from", "/none.jsonl"), 3),
        (("memory", "show", "m_none"), 3),
        (("catalog", "show", "none"), 3),
        (("catalog", "import", "/none.json"), 3),
        (("workspace", "show", "none"), 3),
        (("--workspace", "none", "reindex"), 3),
        (("--store", "sqlite:////dev/null/x.db", "doctor"), 6),
        (("serve", "--host", "0.0.0.0"), 7),
    ],
)
def test_exit_codes(retinue: Retinue, arguments: tuple[str, ...], code: int) -> None:
    done = retinue(*arguments)
    assert (done.code, done.out) == (code, done.out if arguments[-1] == "doctor" else ""), done.err
    assert "Traceback" not in done.err
    as_json = retinue("--json", *arguments)
    assert as_json.code == code
    assert isinstance(as_json.value, dict)  # one value, whatever happens


def test_half_a_set_of_credentials_stops_every_command(retinue: Retinue) -> None:
    done = retinue("workspace", "list", RETINUE_NEO4J_PASSWORD="s3cret")
    assert done.code == 2
    assert "RETINUE_NEO4J_USER" in done.err
    assert "s3cret" not in done.err


@pytest.mark.parametrize("home", ["", "/dev/null/home"])
def test_no_home_says_what_to_set(retinue: Retinue, home: str) -> None:
    done = retinue("discover", "x", RETINUE_STORE=None, HOME=home)
    assert done.code == 6
    assert "RETINUE_STORE" in done.err


def test_a_fresh_home_is_enough(retinue: Retinue, tmp_path: Path) -> None:
    home = tmp_path / "fresh"
    home.mkdir()
    assert retinue("--json", "workspace", "list", RETINUE_STORE=None, HOME=str(home)).value["workspaces"]
    assert list(home.rglob("retinue.db"))


def test_global_options_may_come_last() -> None:
    assert global_options_first(["discover", "x", "--json"]) == ["--json", "discover", "x"]
    assert global_options_first(["discover", "x", "--workspace", "a"]) == ["--workspace", "a", "discover", "x"]
    assert global_options_first(["discover", "--store=s", "x"]) == ["--store=s", "discover", "x"]
    assert global_options_first(["discover", "--", "--json"]) == ["discover", "--", "--json"]


def test_a_reader_that_leaves_early_is_no_error(retinue: Retinue) -> None:
    command = [sys.executable, "-c", "import sys; sys.argv[1:] = ['--help']; from api.cli import main; main()"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
        assert process.wait(30) == exits.BROKEN_PIPE


def test_an_interruption_is_told_without_a_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from api.cli import main; main()", "learn", "--from", "-"]
    environment = {"RETINUE_STORE": "memory://", "RETINUE_ENCODER": "none", "PATH": "/usr/bin:/bin"}
    # who starts the tests in the background may have SIGINT ignored, and a child would inherit that
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        assert process.stdin is not None
        assert process.stderr is not None
        lesson = json.dumps({"intent": "x", "sql": "SELECT 1"}).encode() + b"\n"
        process.stdin.write(lesson * 200)  # a whole batch: once it is committed, the command waits for more
        process.stdin.flush()
        assert process.stderr.readline() == b"committed 200\n"
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
        assert process.wait(30) == 130
    assert b"Traceback" not in told


def test_a_key_is_shown_once_with_its_line(retinue: Retinue, tmp_path: Path) -> None:
    from api.keys import read_keys

    value = retinue("--json", "key", "new", "an agent", "--role", "read", "--workspaces", "a,b").value
    file = tmp_path / "keys.toml"
    file.write_text(value["line"], encoding="utf-8")
    key = read_keys(file).find(value["key"])
    assert key is not None
    assert (key.name, key.role, key.workspaces) == ("an agent", "read", {"a", "b"})
    plain = retinue("key", "new")
    assert plain.out.splitlines()[-1].endswith("}")


def test_text_cannot_drive_a_terminal() -> None:
    assert clean("a\x1b[2Jb\nc") == "a�[2Jb c"
    assert "\x1b" not in "\n".join(table(("a",), [("\x1b[31m",)]))


def test_wide_text_is_aligned() -> None:
    lines = table(("id", "n"), [("表", 1), ("ab", 22)], right=(1,))
    assert [width(line) for line in lines] == [6, 6, 6]
    assert width(clipped("表表表表", 5)) == 5


def test_doctor_tells_the_state_of_things(retinue: Retinue) -> None:
    value = retinue("--json", "doctor", RETINUE_STOR="typo").value
    assert value["store"]["ready"] is True
    assert value["encoder"] is None
    assert any("RETINUE_STOR" in note for note in value["notes"])
    assert retinue("migrate").code == 0
    assert retinue("--json", "reindex").value["expectations"] == 0


def test_doctor_names_memories_whose_relationships_differ(retinue: Retinue, monkeypatch: pytest.MonkeyPatch) -> None:
    lacks = MemoryDifference(memory="m_1", relationship="FOUND", lacking=("loan",), extra=("account",))
    monkeypatch.setattr(MemoryService, "check", lambda _self, _workspace: (lacks,))
    told = retinue("--json", "doctor")
    assert told.code == 4
    assert told.value["differences"] == [
        {"workspace": "default", "memory": "m_1", "relationship": "FOUND", "lacking": ["loan"], "extra": ["account"]}
    ]
    assert "memory m_1 in default: its FOUND lacks loan and has account" in retinue("doctor").out


def test_doctor_shows_a_query_whole(retinue: Retinue) -> None:
    shown = retinue("doctor", "--query", "show_session").out
    assert shown.startswith("// cypher/sessions/show_session.cypher\n// show_session: the session")
    assert "OPTIONAL MATCH (s:Session {workspace: $workspace, id: $session})" in shown
    assert "{{" not in shown
    both = retinue("--json", "doctor", "--query", "nearest_objects").value["queries"]
    assert [it["path"] for it in both] == [f"evidence/nearest_objects_{release}.cypher" for release in ("2026", "5")]
    refused = retinue("doctor", "--query", "no_such")
    assert (refused.code, "show_session" in refused.err) == (3, True)


def test_quiet_voices_are_summed_and_never_left_alone() -> None:
    def told(*shares: float, explain: bool = False) -> list[str]:
        hit = Hit(
            id="t", kind="table", table=None, name="t", description="", score=1.0, registry=1.0, memory=sum(shares),
            memories=tuple(Contribution(id=f"m{n}", intent="x", share=share) for n, share in enumerate(shares)),
        )  # fmt: skip
        answer = Answer(discovery="d", intent="x", results=(hit,), retriever="blend", rule="default")
        return [line.strip() for line in show_answer(answer, explain=explain, unsaid=None)][2:]

    quiet = (0.0004, -0.0003)
    assert told(*quiet) == []
    assert told(*quiet, explain=True) == ["2 others, together +0.0001"]
    assert len(told(0.3, 0.2, 0.1, *quiet)) == 3
    assert told(0.4, 0.3, 0.2, 0.1)[2:] == ["and 2 more (--explain shows them)"]
    assert len(told(0.4, 0.3, 0.2, 0.1, explain=True)) == 4


def test_the_missing_extra_is_told_where_somebody_asks(
    stocked: Retinue, bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.encoders.find_spec", lambda _: None)
    assert stocked("discover", "loans", RETINUE_ENCODER="auto").err == ""
    assert ".[neural]" in stocked("discover", "loans", "--explain", RETINUE_ENCODER="auto").err
    assert ".[neural]" in stocked("--json", "discover", "loans", RETINUE_ENCODER="auto").value["degraded"][0]
    (said,) = stocked("--json", "doctor", RETINUE_ENCODER="auto").value["notes"]
    assert said.count("no neural encoder") == 1
    assert stocked("discover", "loans", "--retriever", "neural").code == 6


def test_a_table_is_shown_with_its_columns_and_where_they_lead(retinue: Retinue, bank: Path) -> None:
    assert retinue("catalog", "import", str(bank)).out.startswith("2 tables, 4 columns, 1 reference: 6 imported")
    shown = retinue("catalog", "show", "loan").out
    assert "-> account.id" in shown
    assert "amount in crowns" in shown
    assert "-> account.id" in retinue("catalog", "show", "loan.account_id").out
    assert "->" not in retinue("catalog", "show", "account").out


def test_the_catalogue_in_the_documents_can_be_imported(retinue: Retinue, tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "docs" / "cli.md").read_text(encoding="utf-8")
    file = tmp_path / "told.json"
    file.write_text(text.partition("```json\n")[2].partition("```")[0], encoding="utf-8")
    done = retinue("--json", "catalog", "import", str(file))
    assert (done.code, done.value["imported"], done.value["references_added"]) == (0, 4, 1)


@pytest.mark.parametrize(("answer", "tables"), [("n\n", 2), ("y\n", 0)])
def test_a_person_is_asked_and_may_say_no(
    stocked: Retinue, monkeypatch: pytest.MonkeyPatch, answer: str, tables: int
) -> None:
    with monkeypatch.context() as here:
        here.setattr("api.cli.confirm.sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
        done = stocked("workspace", "reset", "default", stdin=answer)
    assert done.code == 0, done.err
    assert ("Nothing was done." in done.err) is (tables == 2)
    assert stocked("--json", "workspace", "show", "default").value["tables"] == tables


def test_a_statement_of_unknown_tables_is_refused(stocked: Retinue) -> None:
    done = stocked("--json", "learn", "x", "--sql", "SELECT a FROM nowhere")
    assert (done.code, done.value["error"]["type"]) == (5, "invalid-input")
    assert "it uses nothing that the catalogue knows" in done.err
    assert "nowhere" in done.err
    against = stocked("learn", "x", "--failed", "--sql", "SELECT amount FROM loan")
    assert against.code == 0
    assert "to count the failure against" in against.out


def test_hints_are_for_the_command_line(retinue: Retinue) -> None:
    done = retinue("--workspace", "lab", "discover", "x")
    assert "retinue workspace create lab" in done.err
    assert "/v1" not in done.err


def test_the_version_is_told(retinue: Retinue) -> None:
    assert retinue("--version").out == f"retinue {version('retinue')}\n"


@pytest.mark.parametrize("group", [(), ("workspace",), ("catalog",), ("memory",), ("key",)])
def test_no_summary_is_cut_off(retinue: Retinue, group: tuple[str, ...]) -> None:
    assert "..." not in retinue(*group, "--help").out.partition("Commands:")[2]


def test_every_retriever_and_rule_is_told(retinue: Retinue) -> None:
    told = retinue("discover", "--help").out
    for name in (*RETRIEVERS, *RULES):
        assert name in told


def test_a_server_that_is_not_there_is_said_once() -> None:
    command = [sys.executable, "-c", "from api.cli import main; main()", "doctor"]
    environment = {
        "RETINUE_STORE": "neo4j://127.0.0.1:1",
        "RETINUE_NEO4J_USER": "neo4j",
        "RETINUE_NEO4J_PASSWORD": "x",
        "RETINUE_ENCODER": "none",
        "PATH": "/usr/bin:/bin",
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (6, "")
    assert "NOT READY" in done.stdout


def test_sources_of_every_kind_are_imported_and_tried_first(retinue: Retinue, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "loans.csv").write_text("id;amount\n1;2,5\n", encoding="utf-8")
    tried = retinue("--workspace", "lab", "--json", "catalog", "import", str(tmp_path / "one"), "--dry-run")
    assert (tried.code, tried.value["imported"], tried.value["dry_run"]) == (0, 3, True)
    assert retinue("--workspace", "lab", "catalog", "list").code == 3
    assert retinue("catalog", "import", str(tmp_path / "one")).code == 0
    assert retinue("--json", "catalog", "show", "loans.amount").value["data_type"] == "DECIMAL"
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.execute("CREATE TABLE orders (id INTEGER)")
    connection.close()
    done = retinue("--json", "catalog", "import", f"sqlite:///{tmp_path / 'shop.db'}")
    assert (done.code, done.value["imported"]) == (0, 2)
    assert retinue("catalog", "import", "postgresql://me:s3cret@127.0.0.1:1/x").code == 6


def test_pruning_asks_whose_tables_are_missing_not_which_file_has_the_name(retinue: Retinue, tmp_path: Path) -> None:
    files = [tmp_path / name / "schema.sql" for name in ("crm", "erp")]
    for file, tables in zip(files, (("a", "b", "c"), ("d", "e", "f")), strict=True):
        file.parent.mkdir()
        file.write_text("".join(f"CREATE TABLE {name} (x INT);" for name in tables), encoding="utf-8")
        assert retinue("catalog", "import", str(file)).code == 0
    done = retinue("--json", "catalog", "import", str(files[0]), "--prune", "--force")
    assert (done.code, done.value["gone"]) == (0, 0)
    files[0].write_text("CREATE TABLE a (x INT); CREATE TABLE b (x INT);", encoding="utf-8")
    assert retinue("--json", "catalog", "import", str(files[0]), "--prune").value["gone"] == 2
    moved = retinue("--json", "catalog", "import", str(files[1]), "--prune", "--source", "elsewhere")
    assert moved.value["gone"] == 0
    assert "elsewhere" in moved.err


def test_a_discovery_shows_how_its_tables_join(stocked: Retinue) -> None:
    asked = ("discover", "amount by district code", "--join")
    assert "join" not in stocked("--json", *asked[:2]).value
    told = stocked("--json", *asked).value["join"]
    assert {told["root"], *(step["to"] for step in told["steps"])} == {"loan", "account"}
    assert told["steps"][0]["references"] == [["loan.account_id", "account.id"]]
    assert (told["added"], told["unconnected"]) == ([], [])
    shown = stocked(*asked).out
    assert "on loan.account_id = account.id" in shown


def test_scripts_and_statistics_are_learned_from(stocked: Retinue, tmp_path: Path) -> None:
    script = tmp_path / "queries.sql"
    script.write_text("-- how much was lent\nSELECT [amount] FROM loan;\nSELECT nothing;\n", encoding="utf-8")
    done = stocked("--json", "learn", "--from", str(script), "--dialect", "tsql")
    assert (done.code, done.value["learned"], done.value["rejected"]) == (5, 1, 1)
    assert [(line["line"], line["state"]) for line in done.value["lines"]] == [(2, "confirmed"), (3, None)]
    assert "committed 3" in done.err
    exported = tmp_path / "statements.csv"
    exported.write_text("query,calls\nSELECT A4 FROM account WHERE id = $1,12\n", encoding="utf-8")
    done = stocked("--json", "learn", "--from", str(exported))
    assert (done.code, done.value["lines"][0]["state"]) == (0, "proposed")
    assert stocked("learn", "--from", "postgresql://me:s3cret@127.0.0.1:1/x").code == 6
    assert stocked("learn", "--from", str(exported), "--dialect", "tsql").code == 2
    assert stocked("learn", "--from", str(tmp_path / "none.sql")).code == 3


def test_a_published_benchmark_becomes_domains(retinue: Retinue, tmp_path: Path) -> None:
    columns = [[-1, "*"], [0, "legs"]]
    schema = {"db_id": "zoo", "table_names_original": ["animal"], "column_names_original": columns}
    (tmp_path / "tables.json").write_text(json.dumps([schema]), encoding="utf-8")
    asked = [{"db_id": "zoo", "question": "legs?", "query": sql} for sql in ("SELECT legs FROM animal", "SELECT")]
    (tmp_path / "dev.json").write_text(json.dumps(asked), encoding="utf-8")
    done = retinue("--json", "study", "import-tasks", str(tmp_path), "--out", str(tmp_path / "out"))
    assert (done.code, done.value["domains"]) == (
        5,
        [{"name": "zoo", "objects": 2, "references": 0, "tasks": 1}],
    )
    assert [entry["item"] for entry in done.value["rejected"]] == ["dev.json[1]"]
    file = tmp_path / "out" / "zoo.json"
    assert json.loads(file.read_text(encoding="utf-8"))["tasks"][0]["objects"] == ["animal", "animal.legs"]
    assert retinue("catalog", "import", str(file)).code == 0
    assert retinue("study", "import-tasks", str(tmp_path / "none"), "--out", str(tmp_path)).code == 3
