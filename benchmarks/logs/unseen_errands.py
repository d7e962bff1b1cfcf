"""What simulated agents do that inference is *not* fitted on: loans, crops, films in French, and machines.

Other tools, other forms of ids, other wordings; what holds on the fitted kinds alone would fall here.
"""

from __future__ import annotations

from benchmarks.logs.errands import recap
from benchmarks.logs.simulated import Errand, World
from services.transcripts.steps import Json

TITLES = ("The Long Harbour", "Winter Wheat", "A Map of Rain", "Seven Bridges", "Night Ferry", "The Clockmaker")
SHELVES = ("north wing", "cellar", "reading room", "annex", "children's corner", "vault")
CROPS = ("barley", "lentils", "rapeseed", "hops", "clover", "spelt", "buckwheat", "flax")
FILMS = ("Le Vent du Soir", "La Dernière Gare", "Un Été Blanc", "Les Deux Phares", "Minuit à Brest", "Le Verger")
CINEMAS = ("Rialto", "Lumière", "Odéon", "Étoile", "Mistral", "Alhambra")
PARTS = ("spindle", "gasket", "bearing", "coupler", "nozzle", "rotor", "flange", "piston")


def loan(world: World) -> None:
    """A book looked for in a library and lent to a reader."""
    title, shelf, card = world.pick(TITLES), world.pick(SHELVES), world.mark("L999999")
    asked = world.user(f"My library card is {card}. Do you have {title}?")
    book, copy = world.mark("978-9-99999-999-9"), world.mark("cp99hh")
    found = world.call(
        "catalogue.search", {"title": title}, {"isbn": book, "title": title, "year": world.number(1950, 2026)}, [asked]
    )
    held: Json = {"copies": [{"barcode": copy, "where": shelf}, {"barcode": world.stranger("cp99hh"), "where": "lent"}]}
    copies = world.call("catalogue.copies", {"isbn": book}, held, [found])
    if world.chance(world.difficulty.again):
        copies = world.call("catalogue.copies", {"isbn": book}, held, [found])
    world.idle()
    if world.chance(world.difficulty.reworded):
        world.say(f"There is one left, in the {shelf}.", [copies])
    else:
        world.say(f"Copy {copy} is in the {shelf}.", [copies])
    if world.chance(0.6):
        due = f"2027-01-{world.number(10, 29)}"
        lent = world.call(
            "loans.create",
            {"barcode": copy, "card": card},
            {"due": due, "loan": world.mark("LN-hhhh99")},
            [asked, copies],
        )
        world.say(world.pick([f"Please bring it back by {due}.", f"It is yours until {due}."]), [lent])
    world.facts.append((f"{title} has the number {book}", found))


def field_work(world: World) -> None:
    """A field measured by a probe, its figures put into a file, a report made of the file."""
    crop, plot = world.pick(CROPS), world.mark("plot/99-AA-999")
    asked = world.user(f"How wet is the {crop} on {plot}?")
    probe = world.mark("hhhhhh99")
    sensors = world.call(
        "sensors", {"plot": plot}, {"probes": [{"serial": probe, "depth": world.number(10, 90)}]}, [asked]
    )
    wet, salt = world.number(10_000, 50_000), world.number(1000, 9999)
    read = world.call("measure", {"serial": probe}, {"moisture_ppm": wet, "salt": salt, "serial": probe}, [sensors])
    path = f"fields/{crop}/{world.mark('99hh')}.csv"
    wrote = world.call("save_csv", {"path": path, "rows": [[probe, wet]]}, "saved", [sensors, read]) - 1
    if world.chance(world.difficulty.beside):
        world.call("forecast", {"days": world.number(2, 9)}, {"rain": world.number(0, 30), "crop": crop})
    if world.chance(0.7):
        world.call("plot_csv", {"file": path}, f"figure {world.mark('fig-hhhhhh')} drawn", [wrote])
    world.idle()
    if world.chance(world.difficulty.reworded):
        world.say(f"Moisture stands at {wet} parts per million.", [read])
    else:
        world.say(f"Probe {probe} says {wet} (salt {salt}).", [read])
    world.facts.append((f"{plot} had {wet} ppm", read))


def cinema(world: World) -> None:
    """Une séance cherchée, réservée et annulée."""
    film, house = world.pick(FILMS), world.pick(CINEMAS)
    asked = world.user(f"Je voudrais voir « {film} » ce soir, de préférence au {house}.")
    shows = [world.mark("S9h9h9") for _ in range(world.number(2, 4))]
    hours = [f"{world.number(17, 23)}h{world.number(10, 59)}" for _ in shows]
    listed: Json = [{"séance": s, "heure": h, "salle": house} for s, h in zip(shows, hours, strict=True)]
    found = world.call("chercher_séances", {"film": film}, {"séances": listed}, [asked])
    world.idle()
    told = world.say(f"Il y a {hours[0]} ou {hours[1]} : {shows[0]} ou {shows[1]} ?", [found])
    choice = world.number(0, 2)
    world.user(f"Prenez {shows[choice]}.", [told])
    code = world.mark("RESA-AA99AA")
    taken = world.call(
        "réserver", {"séance": shows[choice]}, {"réservation": code, "prix": world.number(1000, 2000)}, [found]
    )
    world.say(f"Votre code : {code}.", [taken])
    if world.chance(0.4):
        world.call("annuler", {"réservation": code}, {"annulée": True}, [taken])
    world.facts.append((f"le code pour {film} est {code}", taken))


def machines(world: World) -> None:
    """A machine's parts counted in a warehouse's tables, one ordered."""
    part, machine = world.pick(PARTS), world.mark("M-AA-99")
    world.user(f"{machine} is down, I think it is the {part}.")
    staging = f"parts_{world.mark('hh99')}"
    made = world.call("query", {"q": f"SELECT part, stock INTO {staging} FROM warehouse.parts"}, "SELECT 40") - 1
    fixed = (
        world.call("query", {"q": f"UPDATE {staging} SET stock = stock - 1 WHERE part = '{part}'"}, "UPDATE 1", [made])
        - 1
    )
    number = world.mark("9999-9999-AA")
    rows: Json = {"columns": ["part", "number", "stock"], "rows": [[part, number, world.number(2, 40)]]}
    seen = world.call("query", {"q": f"SELECT * FROM {staging} WHERE part = '{part}'"}, rows, [made, fixed])
    if world.chance(world.difficulty.beside):
        world.call(
            "query", {"q": "SELECT * FROM warehouse.suppliers LIMIT 3"}, {"rows": [[world.stranger("9999-9999-AA")]]}
        )
    order = world.mark("PO99999999")
    bought = world.call("purchase", {"item_number": number, "count": 1}, {"purchase_order": order}, [seen])
    world.idle()
    if world.chance(world.difficulty.reworded):
        world.say(f"A {part} with number {number} was on the shelf.", [seen])
    else:
        world.say(f"Ordered as {order}.", [bought])
    world.facts.append((f"{order} was for a {part}", bought))


UNSEEN: tuple[Errand, ...] = (loan, field_work, cinema, machines, recap)
