"""What simulated agents do, the kinds that inference is fitted on: orders, tables, code, and jobs.

Each errand says of every step which earlier ones gave the values it uses; no inference looks in here.
"""

from __future__ import annotations

from benchmarks.logs.simulated import Errand, World
from services.transcripts.steps import Json

ITEMS = (
    "espresso machine",
    "desk lamp",
    "rain jacket",
    "chess clock",
    "bread knife",
    "tent",
    "violin strings",
    "globe",
)
CITIES = ("Lyon", "Porto", "Ghent", "Turku", "Graz", "Cork", "Split", "Gdansk", "Bergen", "Aarhus", "Leuven", "Riga")
STATES = ("delayed", "packed", "shipped", "returned", "held at customs", "awaiting payment")
SUBJECTS = ("sales", "visits", "returns", "payments", "stock", "claims", "trips", "meters")
MODULES = ("parser", "router", "cache", "ledger", "mailer", "lexer", "poller", "planner")


def orders(world: World) -> None:
    """A customer's orders: listed, one looked up, changed and told of."""
    customer = world.mark("C-9999")
    item, city = world.pick(ITEMS), world.pick(CITIES)
    asked = world.user(
        world.pick(
            [
                f"Customer {customer} asks about the {item}. Can you look?",
                f"Please find what {customer} ordered lately, there was a {item}.",
            ]
        )
    )
    ids = [world.mark("O-99999") for _ in range(world.number(2, 5))]
    small = world.number(1000, 1100)  # the number of an invoice may be that of a ticket
    listed: Json = [{"order_id": o, "item": world.pick(ITEMS) if i else item} for i, o in enumerate(ids)]
    found = world.call("list_orders", {"customer_id": customer}, {"orders": listed}, [asked])
    if world.chance(world.difficulty.again):
        found = world.call("list_orders", {"customer_id": customer}, {"orders": listed}, [asked])
    if world.chance(world.difficulty.beside):
        world.call("search_notes", {"text": item}, {"hits": [{"note": f"{world.stranger('O-99999')} {item}"}]}, [asked])
    state, when, price = world.pick(STATES), world.number(2, 28), world.number(1000, 99999)
    detail: Json = {
        "order_id": ids[0], "status": state, "ships_from": city, "invoice": small, "cents": price,
        "eta": f"2026-12-{when:02d}", "also_seen": world.stranger("O-99999"),
    }  # fmt: skip
    seen = world.call("get_order", {"order_id": ids[0]}, detail, [found])
    world.idle()
    named = False
    if world.chance(world.difficulty.reworded):
        told = world.say(
            world.pick(
                [
                    f"It is {state}; the parcel leaves {city} and should be there on the {when}th.",
                    f"Good news from {city}: expected on day {when} of next month, at present {state}.",
                ]
            ),
            [seen],
        )
    else:
        told = world.say(f"Order {ids[0]} is {state}, invoice {small}, {price} cents.", [seen])
        named = True
    world.facts.append((f"the {item} from {city} costs {price} cents", seen))
    if world.chance(0.5):
        # The user knows what was said, not what a tool put out.
        wish = [f"Then cancel {ids[0]} please.", f"I want the {price} cents back."] if named else ["Then cancel it."]
        world.user(world.pick(wish), [told] if named else [])
        refund = world.mark("RF9999AA")
        back = world.call(
            "refund", {"order": ids[0], "invoice": small, "amount": price}, {"refund": refund, "ok": True},
            [found, seen],
        )  # fmt: skip
        world.say(f"Done, the refund is {refund}.", [back])
    elif world.chance(0.5):
        ticket = world.pick([small, world.number(1000, 1100)])
        opened = world.call("open_ticket", {"about": "late parcel"}, {"ticket": ticket, "queue": "care"})
        world.call("assign_ticket", {"ticket": ticket, "to": "night shift"}, {"ok": True}, [opened])


def tables(world: World) -> None:
    """A table made from another, changed, read, and its figures told."""
    subject = world.pick(SUBJECTS)
    schema, name = world.pick(["raw", "lake", "mart"]), f"{subject}_{world.mark('99hh')}"
    raw = f"{schema}.{subject}_{world.pick(['daily', 'hourly', 'all'])}"
    world.user(f"How did {subject} go by region last quarter?")
    made = _query(world, f"CREATE TABLE {name} AS SELECT region, amount FROM {raw} WHERE amount > 0", "ok", [])
    writers = [made - 1]
    if world.chance(0.5):
        where = world.pick(CITIES)
        changed = _query(world, f"DELETE FROM {name} WHERE region = '{where}'", "3 rows", list(writers))
        writers.append(changed - 1)
    if world.chance(0.4):
        other = f"{subject}_{world.mark('99hh')}"
        extra = _query(world, f"CREATE TABLE {other} (region TEXT, amount INT)", "ok", [])
        filled = _query(world, f"INSERT INTO {other} SELECT * FROM {name}", "12 rows", list(writers))
        name, writers = other, [extra - 1, filled - 1]
    if world.chance(world.difficulty.beside):
        _query(world, f"SELECT count(*) FROM {raw}", f"[[{world.number(1000, 9999)}]]", [])
    top, worst = world.pick(CITIES), world.pick(CITIES)
    best, least = world.number(10_000, 99_999), world.number(1_000, 9_999)
    rows: Json = [{"region": top, "total": best}, {"region": worst, "total": least}]
    read = _query(
        world, f"SELECT region, SUM(amount) AS total FROM {name} GROUP BY region ORDER BY 2 DESC", rows, writers
    )
    world.idle()
    if world.chance(world.difficulty.reworded):
        told = world.pick(
            [f"{top} is far ahead, {worst} trails.", f"The strongest region was {top}; weakest: {worst}."]
        )
    else:
        told = f"{top} leads with {best:,}, {worst} has {least:,}."
    said = world.say(told, [read])
    world.facts.append((f"{top} came to {best:,} in {subject}", read))
    if world.chance(0.3):
        world.user(f"Why is {top} so strong?", [said])


def _query(world: World, sql: str, output: Json, needs: list[int]) -> int:
    return world.call(
        "run_sql", {world.pick(["query", "sql"]): sql}, {"rows": output} if isinstance(output, list) else output, needs
    )


def code(world: World) -> None:
    """A fault found in a file, mended, committed, and the commit told of."""
    module, test = world.pick(MODULES), f"test_{world.pick(MODULES)}_{world.number(2, 40)}"
    path = f"src/{module}/{world.mark('Ah')}_{module}.py".lower()
    world.user(f"The build is red since {world.pick(['noon', 'Monday', 'the merge'])}, can you mend it?")
    head = world.mark("hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh")
    history = world.call(
        "git_log", {"count": 3}, f"commit {head}\n  rework {module}\ncommit {world.stranger('h' * 40)}\n  typo"
    )
    line = world.number(1000, 3000)
    ran = world.call("run_tests", {}, f"FAILED {test}\n  {path}:{line}: IndexError\n{world.number(100, 999)} passed")
    if world.chance(0.5):
        world.call("git_show", {"commit": head[: world.pick([7, 10, 40])]}, f"diff in {module}: +loop -loop", [history])
    world.call("read_file", {"path": path}, f"def walk(rows):\n    return rows[{world.number(2, 50)}]", [ran])
    edit = world.call("edit_file", {"path": path, "old": "rows[", "new": "rows[:"}, "ok", [ran])
    if world.chance(0.5):
        world.call("read_file", {"path": path}, "def walk(rows):\n    return rows[:1]", [edit - 1])
    made = world.mark("hhhhhhhhhhhh")
    kept = world.call("git_commit", {"message": f"Mend {module}"}, f"[main {made}] Mend {module}")
    world.idle()
    if world.chance(world.difficulty.reworded):
        world.say(f"An IndexError at line {line} broke {test}; mended.", [ran])
    else:
        world.say(f"Committed as {made[:7]}.", [kept])
    world.facts.append((f"{made[:8]} mended the {module}", kept))
    if world.chance(0.4):
        world.call("deploy", {"revision": made}, {"deployed": True}, [kept])


def jobs(world: World) -> None:
    """A training run started, watched and its best checkpoint used; run numbers begin again after a restart."""
    number = world.number(1, 8)
    run = f"job_{number}" if world.chance(0.5) else world.mark("run-hhhhhh")
    rate = world.pick(["0.01", "0.003", "0.0005"])
    asked = world.user(f"Train the {world.pick(MODULES)} model with rate {rate}.")
    begun = world.call(
        "start_job", {"rate": rate, "epochs": world.number(2, 30)}, {"job_id": run, "queue": "gpu"}, [asked]
    )
    if world.chance(world.difficulty.beside):
        world.call("list_jobs", {}, {"jobs": [world.stranger("run-hhhhhh"), world.stranger("run-hhhhhh"), run]})
    mark = world.mark("ckpt_hhhhhhhh")
    score, loss = world.number(5000, 9900) / 10_000, world.number(1000, 9000) / 10_000
    report: Json = {
        "status": "finished",
        "best": mark,
        "accuracy": score,
        "loss": loss,
        "spare": world.stranger("ckpt_hhhhhhhh"),
    }
    watched = world.call("job_status", {"job_id": run}, report, [begun])
    world.idle()
    if world.chance(world.difficulty.reworded):
        world.say(
            world.pick(["The run went through; accuracy", "Training is over, with an accuracy of"]) + f" {score}.",
            [watched],
        )
    else:
        world.say(f"Best checkpoint: {mark}, loss {loss}.", [watched])
    world.facts.append((f"{run} reached {score}", watched))
    if world.chance(0.7):
        where = f"/models/{world.mark('AA99').lower()}/weights.bin"
        wrote = world.call("export_checkpoint", {"checkpoint": mark, "output_path": where}, "written", [watched]) - 1
        if world.chance(0.6):
            world.call("load_model", {"path": where}, "ready", [wrote])


def recap(world: World) -> None:
    """One or two things of long before, told again after other work."""
    if not world.facts:
        return
    world.user(world.pick(["Where do we stand?", "Remind me what we know.", "Sum up, please."]))
    world.idle()
    chosen = {world.number(0, len(world.facts)) for _ in range(2)}
    facts = [world.facts[at] for at in sorted(chosen)]
    world.say("So far: " + "; ".join(text for text, _ in facts) + ".", [place for _, place in facts])


ERRANDS: tuple[Errand, ...] = (orders, tables, code, jobs, recap)
