"""More of what simulated agents do, with other tools, ids and wordings: travel, incidents, letters, and samples.

As in `errands`, each says of every step which earlier ones gave the values it uses; inference was fitted on both.
"""

from __future__ import annotations

from benchmarks.logs.simulated import Errand, World
from services.transcripts.steps import Json

PLACES = ("Oslo", "Naples", "Basel", "Seville", "Malmo", "Bruges", "Zagreb", "Tallinn", "Nantes", "Utrecht")
SERVICES = ("checkout", "inventory", "billing", "gateway", "notifier", "identity", "reports", "pricing")
FAULTS = ("out of memory", "connection refused", "certificate expired", "disk full", "deadlock found", "timed out")
WRITERS = ("Ines Duarte", "Tomasz Wilk", "Maeve Byrne", "Noor Haddad", "Petra Novak", "Sven Lund", "Ayla Demir")
MATERIALS = ("Quarz", "Basalt", "Gneis", "Marmor", "Schiefer", "Granit", "Kalkstein", "Obsidian")


def travel(world: World) -> None:
    """A journey looked for, held, paid and told of."""
    start, goal = world.pick(PLACES), world.pick(PLACES)
    day = f"2027-0{world.number(1, 9)}-{world.number(10, 28)}"
    asked = world.user(f"I have to get from {start} to {goal} on {day}, not too early.")
    flights = [world.mark("AA9999") for _ in range(world.number(2, 4))]
    offers = [world.mark("off-hhhh-hhhh") for _ in flights]
    times = [f"{world.number(6, 23):02d}:{world.number(10, 59)}" for _ in flights]
    listed: Json = [
        {"flight": flight, "offerId": offer, "leaves": time}
        for flight, offer, time in zip(flights, offers, times, strict=True)
    ]
    found = world.call("searchFlights", {"from": start, "to": goal, "date": day}, {"flights": listed}, [asked])
    if world.chance(world.difficulty.beside):
        world.call(
            "searchTrains", {"from": start, "to": goal}, {"trains": [world.stranger("AA9999")], "via": goal}, [asked]
        )
    if world.chance(world.difficulty.again):
        found = world.call("searchFlights", {"from": start, "to": goal, "date": day}, {"flights": listed}, [asked])
    world.idle()
    told = world.say(f"{flights[0]} leaves at {times[0]}, {flights[1]} at {times[1]}. Which one?", [found])
    choice = world.number(0, 2)
    world.user(f"{flights[choice]} it is.", [told])
    record, fare = world.mark("AAAAA9"), world.number(10_000, 90_000)
    held = world.call(
        "holdSeat", {"offerId": offers[choice]}, {"record": record, "fare": fare, "seat": f"{world.number(1, 40)}C"},
        [found],
    )  # fmt: skip
    world.call("payBooking", {"record": record, "amount": fare}, {"paid": True}, [held])
    world.idle()
    if world.chance(world.difficulty.reworded):
        world.say(f"Your seat is secured, the fare came to {fare}.", [held])
    else:
        world.say(f"Booked under {record}.", [held])
    world.facts.append((f"the trip to {goal} is booked as {record}", held))


def incident(world: World) -> None:
    """An alarm followed through logs to a service, which is rolled back."""
    service, fault = world.pick(SERVICES), world.pick(FAULTS)
    alarm = world.mark("INC-99999")
    asked = world.user(f"Pager went off: {alarm}.")
    trace = world.mark("hhhhhhhhhhhhhhhh")
    host = f"{service}-{world.mark('hhh9')}"
    detail: Json = {
        "incident": alarm,
        "trace": trace,
        "hosts": [host, f"{world.pick(SERVICES)}-{world.stranger('hhh9')}"],
    }
    seen = world.call("incident_show", {"incident": alarm}, detail, [asked])
    digest, old = world.mark("hhhhhhhhhh"), world.mark("hhhhhhhhhh")
    text = (
        f"12:0{world.number(0, 9)} {host} WARN slow\n12:1{world.number(0, 9)} {host} image={digest} before={old}\n"
        f"12:2{world.number(0, 9)} {host} ERROR {fault} span={world.stranger('hhhhhhhh')}"
    )
    logs = world.call("log_search", {"traceId": trace, "lines": world.number(10, 90)}, text, [seen])
    if world.chance(world.difficulty.beside):
        world.call("host_metrics", {"host": host}, {"cpu": world.number(1, 99), "load": world.number(1, 30)}, [seen])
    world.idle()
    if world.chance(world.difficulty.reworded):
        world.say(f"The {service} container died: {fault}.", [logs])
    else:
        world.say(f"{host} runs {digest} and reports {fault}.", [logs])
    if world.chance(0.5):
        world.user("Put the one before back.")
        world.call("rollback", {"host": host, "image": old}, {"change": world.mark("CHG9999999")}, [seen, logs])
        world.facts.append((f"{service} was rolled back to {old}", logs))
    else:
        world.facts.append((f"{alarm} was {fault}", logs))


def letters(world: World) -> None:
    """A letter drafted into a file, filed under a uuid, sent and found again."""
    writer, goal = world.pick(WRITERS), world.pick(PLACES)
    asked = world.user(f"Write to {writer} about the fair in {goal}.")
    address = f"{writer.split()[0].lower()}.{world.number(10, 99)}@{world.pick(['mail', 'post'])}.example"
    person = world.call(
        "contacts_find",
        {"name": writer},
        {"name": writer, "email": address, "since": world.number(1999, 2026)},
        [asked],
    )
    path = f"drafts/{goal.lower()}/{world.mark('hhhh')}.md"
    wrote = (
        world.call("write_file", {"path": path, "content": f"Dear {writer}, we would like to come."}, "ok", [asked]) - 1
    )
    writers = [wrote]
    if world.chance(0.5):
        more = world.call("append_file", {"path": path, "content": "With kind regards."}, "ok", writers)
        writers.append(more - 1)
    filed = world.mark("hhhhhhhh-hhhh-4hhh-ahhh-hhhhhhhhhhhh")
    kept = world.call(
        "archive_file", {"file": path, "shelf": world.number(1000, 1040)}, {"document_uuid": filed}, writers
    )
    if world.chance(0.6):
        world.call("send_mail", {"recipient": address, "attachment": filed}, {"queued": True}, [person, kept])
    world.idle()
    if world.chance(world.difficulty.reworded):
        world.say(f"I wrote to {address} as you wished.", [person])
    else:
        world.say(f"The letter is filed as {filed}.", [kept])
    world.facts.append((f"{writer} reads mail at {address}", person))


def samples(world: World) -> None:
    """A laboratory that speaks German: a sample weighed, its table made and asked."""
    stuff, number = world.pick(MATERIALS), world.mark("P-9999-AA")
    asked = world.user(f"Bitte die Probe {number} untersuchen, vermutlich {stuff}.")
    mass, share = world.number(10_000, 99_999), world.number(100, 999)
    device = world.mark("WG99h9")
    weighed = world.call(
        "probe_wiegen", {"probe": number}, {"probe": number, "masse_mg": mass, "waage": device}, [asked]
    )
    table = f"messung_{world.mark('99hh')}"
    made = world.call("sql", {"statement": f"CREATE TABLE {table} (probe TEXT, anteil INT)"}, "ok")
    filled = world.call("sql", {"statement": f"INSERT INTO {table} VALUES ('{number}', {share})"}, "1", [asked])
    read = world.call("sql", {"statement": f"SELECT anteil FROM {table}"}, [[share]], [made - 1, filled - 1])
    world.idle()
    if world.chance(world.difficulty.reworded):
        world.say(f"Die Waage {device} zeigte {mass} Milligramm.", [weighed])
    else:
        world.say(f"Der Anteil beträgt {share} Promille.", [read])
    world.facts.append((f"{stuff} wog {mass} mg", weighed))


MORE: tuple[Errand, ...] = (travel, incident, letters, samples)
