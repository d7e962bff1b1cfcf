"""Whole answers of the embedded store, warm and with all their reasons, beside the products they cannot avoid."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.filling import Filled, fill, warm_encoder
from benchmarks.kernels import Kernels
from benchmarks.rows import ROUNDS, Call, Row, in_turn
from benchmarks.synthetic import MEMORY_SHARE, Warehouse, warehouse
from graph.embedded import open_store
from services.discovery.service import DiscoveryService

WARM = 4


def discover_embedded(size: int) -> Iterator[Row]:
    """With 384-d embeddings."""
    made = warehouse(size, questions=ROUNDS + WARM)
    encoder = warm_encoder(made)
    with Filled(open_store("memory://"), encoder=encoder) as services:
        fill(services, "bench", made)
        ask_all(services.discovery, made)
        vectors = [encoder.encode([entry.intent for entry in made.memories])]
        vectors.insert(0, encoder.encode(made.texts[: len(made.catalogue.objects)]))
        registry = services.registries.current("bench")
        kernels = Kernels(
            registry.cosines("text", "grams"), registry.cosines("intent", "grams"), vectors=(vectors[0], vectors[1])
        )
        asked = [(text, encoder.encode([text])[0]) for text in made.questions]
        bare = [kernels.prepared(text, vector) for text, vector in asked]
        spent = in_turn(answering(services.discovery, made), lambda n: lambda: kernels(bare[n]), warm=WARM)
    yield Row(
        name="discover_embedded",
        size=size,
        seconds=spent[0],
        baseline="matrix @ vector and sparse product, over objects and over memories",
        baseline_seconds=spent[1],
        note=f"{size // MEMORY_SHARE:,} memories, 384-d, each question asked once before",
    )


def discover_embedded_words(size: int) -> Iterator[Row]:
    """Without an encoder."""
    made = warehouse(size, questions=ROUNDS + WARM)
    with Filled(open_store("memory://")) as services:
        fill(services, "bench", made)
        ask_all(services.discovery, made)
        registry = services.registries.current("bench")
        kernels = Kernels(registry.cosines("text", "grams"), registry.cosines("intent", "grams"))
        bare = [kernels.prepared(text, None) for text in made.questions]
        spent = in_turn(answering(services.discovery, made), lambda n: lambda: kernels(bare[n]), warm=WARM)
    yield Row(
        name="discover_embedded_words",
        size=size,
        seconds=spent[0],
        baseline="sparse product, over objects and over memories",
        baseline_seconds=spent[1],
        note=f"{size // MEMORY_SHARE:,} memories, no encoder, each question asked once before",
    )


def memory_embedded(size: int) -> Iterator[Row]:
    """What memory adds to an answer: the default rule beside the registry alone, with embeddings and by words."""
    made = warehouse(size, questions=ROUNDS + WARM)
    for name, encoder in (("memory_embedded", warm_encoder(made)), ("memory_embedded_words", None)):
        with Filled(open_store("memory://"), encoder=encoder) as services:
            fill(services, "bench", made)
            ask_all(services.discovery, made)
            without = answering(services.discovery, made, rule="none")
            spent = in_turn(answering(services.discovery, made), without, warm=WARM)
        yield Row(
            name=name,
            size=size,
            seconds=spent[0],
            baseline="the same question by the rule `none`",
            baseline_seconds=spent[1],
            note=f"{size // MEMORY_SHARE:,} memories, {'no encoder' if encoder is None else '384-d'}",
        )


def ask_all(discovery: DiscoveryService, made: Warehouse) -> None:
    """Ask all questions once: the first to ask one computes expectations, which a server does in the background."""
    for text in made.questions:
        discovery.discover("bench", text)


def answering(discovery: DiscoveryService, made: Warehouse, *, rule: str = "default") -> Callable[[int], Call]:
    return lambda number: lambda: discovery.discover("bench", made.questions[number], rule=rule)
