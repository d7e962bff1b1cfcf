"""What simulated agents do that was written after inference stood; no weight was fitted on it.

A laboratory, a release, a hotel in German, a parcel in Chinese, a payroll: the figures on these are told as they are.
"""

from __future__ import annotations

from benchmarks.logs.errands import recap
from benchmarks.logs.simulated import Errand, World
from services.transcripts.steps import Json

ANALYTES = ("ferritin", "creatinine", "lactate", "cortisol", "zinc", "thyroxine", "folate", "albumin")
WARDS = ("ward 3", "day clinic", "outpatients", "maternity", "dialysis")
COMPONENTS = ("billing-api", "tile-server", "chat-bridge", "pdf-maker", "geo-index", "session-store")
STAGES = ("canary", "staging", "eu-west", "us-east", "edge")
GAESTE = ("Familie Öztürk", "Herr Brandt", "Frau Nowak", "Dr. Lindqvist", "Frau Castellano", "Herr Müller")
ZIMMER = ("Doppelzimmer", "Einzelzimmer", "Suite", "Dachkammer", "Gartenzimmer")
CITIES = ("杭州", "成都", "厦门", "西安", "昆明", "青岛")
GOODS = ("茶叶", "瓷碗", "雨衣", "台灯", "毛笔", "自行车铃")
DEPARTMENTS = ("foundry", "kitchen", "night shift", "drafting", "stables", "glassworks")


def laboratory(world: World) -> None:
    """A sample registered, measured and validated; its result goes into a letter."""
    analyte, ward = world.pick(ANALYTES), world.pick(WARDS)
    patient = world.mark("P-999-99")
    asked = world.user(f"Please order {analyte} for {patient}, {ward}.")
    tube = world.mark("T9999AA")
    ordered = world.call(
        "lab_order", {"patient": patient, "test": analyte}, {"tube": tube, "rack": world.number(1, 40)}, [asked]
    )
    if world.chance(world.difficulty.beside):
        world.call(
            "rack_overview", {"ward": ward}, {"tubes": [world.stranger("T9999AA"), world.stranger("T9999AA")]}, [asked]
        )
    world.idle()
    value, run = world.number(10_000, 99_999), world.mark("RUN-hhhh")
    measured = world.call(
        "analyser", {"tube": tube}, {"run": run, "value": value, "flag": world.pick(["H", "L", ""])}, [ordered]
    )
    valid = world.call("validate", {"run_id": run}, {"signed": True, "report": world.mark("REP/99/9999")}, [measured])
    if world.chance(world.difficulty.reworded):
        world.say(f"The {analyte} came out at {value} and has been signed off.", [measured, valid])
    else:
        world.say(f"Run {run} gave {value}.", [measured])
    if world.chance(0.5):
        world.call(
            "letter",
            {"to": ward, "body": f"{patient}: {analyte} {value}"},
            {"letter": world.mark("L99-AAA")},
            [asked, measured],
        )
    world.facts.append((f"{patient} had {value} in run {run}", measured))


def release(world: World) -> None:
    """A commit built, its image scanned and rolled out."""
    component, stage = world.pick(COMPONENTS), world.pick(STAGES)
    asked = world.user(f"Ship {component} to {stage} today.")
    sha = world.mark("hhhhhhhhhhhhhhhh")
    head = world.call("git_log", {"repo": component, "n": 1}, f"commit {sha}\n    bump version", [asked])
    if world.chance(world.difficulty.again):
        head = world.call("git_log", {"repo": component, "n": 1}, f"commit {sha}\n    bump version", [asked])
    digest = world.mark("sha256:hhhhhhhhhhhh")
    built = world.call("build", {"ref": sha[:8]}, {"image": digest, "seconds": world.number(20, 90)}, [head])
    world.idle()
    world.call("scan", {"image": digest}, {"critical": 0, "report": world.mark("scan-9999")}, [built])
    if world.chance(world.difficulty.beside):
        world.call("list_images", {"repo": component}, {"images": [world.stranger("sha256:hhhhhhhhhhhh")]}, [asked])
    rollout = world.mark("ro-h9h9h")
    rolled = world.call(
        "rollout", {"image": digest, "stage": stage}, {"id": rollout, "state": "progressing"}, [asked, built]
    )
    state = world.call("rollout_status", {"id": rollout}, {"state": "done", "pods": world.number(2, 9)}, [rolled])
    if world.chance(world.difficulty.reworded):
        world.say("It is out; all pods are healthy.", [state])
    else:
        world.say(f"Rollout {rollout} is done.", [state])
    world.facts.append((f"{component} was built as {digest}", built))


def hotel(world: World) -> None:
    """Ein Zimmer gesucht, belegt, umgebucht."""
    gast, art = world.pick(GAESTE), world.pick(ZIMMER)
    gefragt = world.user(f"{gast} braucht ab Freitag ein {art}.")
    nummern = [str(world.number(1000, 4999)) for _ in range(world.number(2, 4))]
    frei: Json = {"frei": [{"zimmer": n, "preis": world.number(60, 240)} for n in nummern]}
    gesucht = world.call("zimmer_suchen", {"art": art}, frei, [gefragt])
    world.idle()
    gesagt = world.say(f"Frei sind {' und '.join(nummern)}.", [gesucht])
    wahl = world.pick(nummern)
    world.user(f"Dann bitte {wahl}.", [gesagt])
    beleg = world.mark("HB-AA9999")
    gebucht = world.call("zimmer_buchen", {"zimmer": wahl, "gast": gast}, {"beleg": beleg}, [gefragt, gesucht])
    if world.chance(world.difficulty.beside):
        world.call("wetter", {"tage": 3}, {"regen": world.number(0, 20)})
    if world.chance(0.5):
        neu = world.call(
            "buchung_ändern",
            {"beleg": beleg, "frühstück": True},
            {"beleg": beleg, "zuschlag": world.number(8, 30)},
            [gebucht],
        )
        world.say(f"Das Frühstück steht nun auf {beleg}.", [neu])
    elif world.chance(world.difficulty.reworded):
        world.say("Das Zimmer ist fest gebucht.", [gebucht])
    else:
        world.say(f"Die Buchung trägt die Nummer {beleg}.", [gebucht])
    world.facts.append((f"{gast} wohnt in {wahl}, Beleg {beleg}", gebucht))


def parcel(world: World) -> None:
    """一个包裹:下单、查询、改址。"""
    city, goods = world.pick(CITIES), world.pick(GOODS)
    asked = world.user(f"把一箱{goods}寄到{city}。")
    number = world.mark("SF9999999999")
    placed = world.call(
        "create_waybill", {"to": city, "item": goods}, {"waybill": number, "fee": world.number(12, 80)}, [asked]
    )
    world.idle()
    hub = world.mark("HUB-999")
    tracked = world.call("track", {"waybill": number}, {"events": [{"hub": hub, "state": "arrived"}]}, [placed])
    if world.chance(world.difficulty.beside):
        world.call("hub_info", {"hub": world.stranger("HUB-999")}, {"open": True})
    office = world.call("hub_info", {"hub": hub}, {"phone": world.mark("0999-9999999"), "open": True}, [tracked])
    if world.chance(world.difficulty.reworded):
        world.say("包裹已经到了中转站,今天开门。", [tracked, office])
    else:
        world.say(f"{number} 已到 {hub}。", [tracked])
    if world.chance(0.4):
        world.call("redirect", {"waybill": number, "to": world.pick(CITIES)}, {"ok": True}, [placed])
    world.facts.append((f"{goods}的单号是 {number}", placed))


def payroll(world: World) -> None:
    """Hours summed into a table, corrected, exported to a file that is sent."""
    department, month = world.pick(DEPARTMENTS), world.number(1, 13)
    asked = world.user(f"Run the payroll of the {department} for month {month}.")
    table = f"hours_{world.mark('h9h')}"
    summed = (
        f"CREATE TABLE {table} AS SELECT person, sum(h) AS hours FROM shifts WHERE dept = '{department}' GROUP BY 1"
    )
    made = (
        world.call(
            "sql",
            {"statement": summed},
            "ok",
            [asked],
        )
        - 1
    )
    fixed = (
        world.call("sql", {"statement": f"UPDATE {table} SET hours = hours - 8 WHERE person = 'Mara'"}, "1 row", [made])
        - 1
    )
    world.idle()
    file = f"/out/{department.replace(' ', '_')}_{world.mark('99h')}.xlsx"
    exported = world.call(
        "export_table", {"query": f"SELECT * FROM {table}", "file": file}, f"wrote {file}", [made, fixed]
    )
    mail = world.mark("msg-hhhhhh")
    sent = world.call("send_mail", {"to": "paymaster", "attachment": file}, {"message": mail}, [exported])
    if world.chance(world.difficulty.beside):
        world.call("sql", {"statement": "SELECT count(*) FROM holidays"}, {"rows": [[world.number(1, 30)]]})
    if world.chance(world.difficulty.reworded):
        world.say("The paymaster has the sheet.", [sent])
    else:
        world.say(f"Sent as {mail}.", [sent])
    world.facts.append((f"the {department} went out in {mail}", sent))


FRESH: tuple[Errand, ...] = (laboratory, release, hotel, parcel, payroll, recap)
