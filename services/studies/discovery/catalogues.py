"""What a study makes of its domains before it asks: one catalogue of all, or names that say nothing.

Seeded draws over values; nothing is asked or stored here.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

import numpy as np

from graph.catalogue import DataObject
from services.catalogue import SourceCatalogue
from services.studies.discovery.tasks import StudyDomain, StudyTask

MERGED = "merged"


def merged(domains: Sequence[StudyDomain], *, seed: int) -> StudyDomain:
    """Join all domains into one catalogue, as a warehouse holds them, their tasks shuffled.

    Ids of objects, tables, references and tasks become `FOLDER.DOMAIN.ID`; names and descriptions stay.
    """
    objects: list[DataObject] = []
    references: list[tuple[str, str]] = []
    tasks: list[StudyTask] = []
    for domain in domains:
        within = f"{domain.data}.{domain.name}."
        objects += (
            replace(it, id=within + it.id, table=None if it.table is None else within + it.table)
            for it in domain.catalogue.objects
        )
        references += ((within + one, within + other) for one, other in domain.catalogue.references)
        tasks += (
            replace(
                task,
                id=within + task.id,
                needed=tuple(within + item for item in task.needed),
                family=None if task.family is None else within + task.family,
            )
            for task in domain.tasks
        )
    order = np.random.default_rng(seed).permutation(len(tasks)).tolist()
    return StudyDomain(
        data=MERGED,
        name=MERGED,
        catalogue=SourceCatalogue(source=MERGED, objects=tuple(objects), references=tuple(references)),
        tasks=tuple(tasks[place] for place in order),
        digest=sha256("".join(domain.digest for domain in domains).encode()).hexdigest(),
    )


def hidden(domain: StudyDomain, *, share: float, seed: int) -> StudyDomain:
    """Give this share of the tables, and of the columns, codes for names (`t_ret_49`, `c04`) and no description."""
    draw = np.random.default_rng([seed, *domain.name.encode()])
    objects = list(domain.catalogue.objects)
    for kind in ("table", "attribute"):
        places = [place for place, item in enumerate(objects) if item.kind == kind]
        codes = draw.permutation(len(places)).tolist()
        chosen = draw.choice(len(places), round(share * len(places)), replace=False).tolist()
        for at in sorted(chosen):
            letters = "".join(draw.choice(list("bcdfgklmnprstvz"), 3).tolist())
            code = f"t_{letters}_{codes[at]:02}" if kind == "table" else f"c{codes[at]:02}"
            objects[places[at]] = replace(objects[places[at]], name=code, description="")
    return replace(domain, catalogue=replace(domain.catalogue, objects=tuple(objects)))
