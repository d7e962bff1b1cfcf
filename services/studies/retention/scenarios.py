"""Seeded scenarios with known truth: who may do what, said over many chunks, with premises that may lie or lack.

A policy never sees `chain` or `true_edges`; they are what a study measures by. The sentences are those of `phrases`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil
from typing import Any

import numpy as np

from services.retention.session_arrays import count_tokens
from services.studies.retention.phrases import HEADS, PHRASES, TAILS, first_up

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Texts in order of ingestion, premises as a policy is given them, and the truth beside them."""

    variant: str
    seed: int
    regime: str
    query: str
    texts: tuple[str, ...]
    tokens: tuple[int, ...]
    edges: tuple[Edge, ...]
    true_edges: tuple[Edge, ...]
    chain: tuple[int, ...]
    budget_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """What a scenario is like. `false` and `lost`: the share of false edges among those given, of true ones not given.

    `manner` says how false premises are chosen: at random, among earlier chunks, by shared words, by both, or as
    few hubs. `hidden` names things by plain words instead of identifiers; `shuffled` breaks the order of a log;
    `density` is the share of chunks that belong to somebody's chain. The shape `direct` is a control: each chunk of the
    chain says what the query asks about.
    """

    shape: str = "chain"
    size: int = 3
    manner: str = "random"
    false: float = 0.0
    lost: float = 0.0
    shuffled: bool = False
    hidden: bool = False
    chunks: int = 80
    multiplier: float = 1.5
    density: float = 0.65
    phrases: str = "office"

    @property
    def name(self) -> str:
        marks = [f"{self.shape}{self.size}"]
        if self.false:
            marks.append(f"{self.manner}{self.false:g}")
        if self.lost:
            marks.append(f"lost{self.lost:g}")
        marks += [mark for mark in ("shuffled", "hidden") if getattr(self, mark)]
        if self.chunks != 80:
            marks.append(f"of{self.chunks}")
        if self.density != 0.65:
            marks.append(f"dense{self.density:g}")
        if self.phrases != "office":
            marks.append(self.phrases)
        return "-".join(marks)

    @property
    def regime(self) -> str:
        return "control" if self.shape == "direct" else "target"


def stress_variants() -> tuple[Variant, ...]:
    """The stress set: every manner of lying and lacking, over chains, fan-in and rivals."""
    shapes = (("chain", 3), ("fan", 2), ("fan", 4))
    lies = [
        Variant(shape=shape, size=size, manner=manner, false=false)
        for (shape, size), manner, false in product(
            shapes, ("random", "causal", "lexical", "lexical-causal"), (0.2, 0.5)
        )
    ]
    hubs = [Variant(shape=s, size=n, manner="hub", false=f) for (s, n), f in product(shapes[:2], (0.2, 0.5))]
    losses = [Variant(shape=s, size=n, lost=lost) for (s, n), lost in product(shapes, (0.2, 0.5))]
    both = [
        Variant(shape=s, size=n, manner=manner, false=0.3, lost=0.3)
        for (s, n), manner in product(shapes[:2], ("random", "causal", "lexical-causal"))
    ]
    unordered = [
        Variant(shape=s, size=n, false=false, lost=lost, shuffled=True)
        for (s, n), (false, lost) in product(shapes[:2], ((0.0, 0.0), (0.3, 0.0), (0.0, 0.3)))
    ]
    plain = [
        Variant(shape=s, size=n, manner=manner, false=false, lost=lost, hidden=True)
        for (s, n), (manner, false, lost) in product(
            shapes[:2], (("random", 0.0, 0.0), ("random", 0.3, 0.0), ("causal", 0.3, 0.0), ("random", 0.0, 0.3))
        )
    ]
    rivals = [Variant(shape="rivals", size=3, false=f, lost=lost) for f, lost in ((0.0, 0.0), (0.3, 0.0), (0.0, 0.3))]
    return (*lies, *hubs, *losses, *both, *unordered, *plain, *rivals)


class _World:
    """Grows chunks in the order of a log: what a chunk rests on is said before it, other talk in between."""

    def __init__(self, variant: Variant, random: np.random.Generator) -> None:
        self.variant, self.random, self.phrases = variant, random, PHRASES[variant.phrases]
        self.groups: list[list[tuple[str, list[int]]]] = []
        self._named: set[str] = set()

    def pick(self, options: Sequence[str]) -> str:
        return options[int(self.random.integers(len(options)))]

    def name(self) -> str:
        """A fresh thing with its kind: `badge badge_7q21`, or by a word where identifiers are hidden."""
        kind = self.pick(self.phrases.kinds)
        while True:
            if self.variant.hidden:
                mark = self.pick(HEADS) + self.pick(TAILS) + self.pick(TAILS)
            else:
                digit, pair = self.random.integers(10), self.random.integers(100)
                mark = f"{self.phrases.mark(kind)}_{digit}{self.pick('abcdefghkmpqrtvwxyz')}{pair:02d}"
            if mark not in self._named:
                self._named.add(mark)
                return self.phrases.named.format(kind=kind, mark=mark)

    def chain(self, person: str, act: str, thing: str, hops: int) -> list[tuple[str, list[int]]]:
        said, held = self.phrases, self.name()
        group = [(said.holds.format(person=person, held=held), list[int]())]
        for step in range(hops - 1):
            following = self.name()
            group.append((first_up(said.stands.format(held=held, following=following)), [step]))
            held = following
        group.append((first_up(said.lets.format(held=held, act=act, thing=thing)), [hops - 1]))
        return group

    def fan(self, person: str, act: str, thing: str, width: int) -> list[tuple[str, list[int]]]:
        """Two rules over what a person holds (they share a premise where they can), one conclusion over both."""
        said, held = self.phrases, [self.name() for _ in range(width + 1)]
        group = [(said.holds.format(person=person, held=item), list[int]()) for item in held]
        rules = []
        for chosen in (list(range(width)), sorted(self.random.choice(width + 1, size=width, replace=False).tolist())):
            rules.append(self.name())
            asked = said.joint.join(held[i] for i in chosen)
            group.append((first_up(said.asks.format(rule=rules[-1], held=asked)), chosen))
        last = said.both.format(one=rules[0], other=rules[1], act=act, thing=thing)
        group.append((last, [width + 1, width + 2]))
        return group

    def direct(self, person: str, act: str, thing: str, hops: int) -> list[tuple[str, list[int]]]:
        """Each step says by itself what is asked about; each rests on the one before."""
        group = []
        for step in range(hops):
            said = self.phrases.direct[step % len(self.phrases.direct)]
            text = said.format(person=person, act=act, thing=thing, item=self.name())
            group.append((text, [step - 1] if step else list[int]()))
        return group

    def chatter(self) -> str:
        said = self.phrases
        return self.pick(said.chatter).format(
            person=self.pick(said.people),
            other=self.pick(said.people),
            thing=self.pick(said.things),
            count=self.random.integers(2, 60),
        )


def make_scenario(variant: Variant, *, seed: int) -> Scenario:
    """One scenario; the same variant and seed give the same one."""
    random = np.random.default_rng([seed, *variant.name.encode()])
    world = _World(variant, random)
    said = world.phrases
    person, act, thing = world.pick(said.people), world.pick(said.acts), world.pick(said.things)
    build = world.fan if variant.shape == "fan" else world.direct if variant.shape == "direct" else world.chain
    groups = [build(person, act, thing, variant.size)]
    others = [name for name in said.people if name != person]
    if variant.shape == "rivals":
        groups += [build(world.pick(others), act, thing, variant.size) for _ in range(3)]
    used = {(person, act, thing)}
    while sum(map(len, groups)) < variant.density * variant.chunks:
        wish = (
            person if random.random() < 0.35 else world.pick(others),
            act if random.random() < 0.25 else world.pick(said.acts),
            thing if random.random() < 0.25 else world.pick(said.things),
        )
        if wish[1:] == (act, thing) or wish in used:
            continue  # a second way to the same right would make two answers true
        used.add(wish)
        groups.append(
            build(*wish, variant.size if variant.shape == "fan" else int(random.integers(1, variant.size + 2)))
        )
    while sum(map(len, groups)) < variant.chunks:
        groups.append([(world.chatter(), [])])
    return _interleave(variant, seed, said.query.format(person=person, act=act, thing=thing), groups, random)


def _interleave(
    variant: Variant, seed: int, query: str, groups: list[list[tuple[str, list[int]]]], random: np.random.Generator
) -> Scenario:
    slots = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    random.shuffle(slots)
    at: list[list[int]] = [[] for _ in groups]
    texts: list[str] = []
    for group in slots.tolist():
        texts.append(groups[group][len(at[group])][0])
        at[group].append(len(texts) - 1)
    if variant.shuffled:
        moved = random.permutation(len(texts))
        texts = [texts[i] for i in np.argsort(moved)]
        at = [[int(moved[i]) for i in places] for places in at]
    truth = [
        (at[g][i], at[g][j]) for g, group in enumerate(groups) for i, (_, needs) in enumerate(group) for j in needs
    ]
    chain = _ancestors(at[0][-1], truth)
    tokens = tuple(count_tokens(text) for text in texts)
    given = _given(variant, texts, truth, random)
    return Scenario(
        variant=variant.name,
        seed=seed,
        regime=variant.regime,
        query=query,
        texts=tuple(texts),
        tokens=tokens,
        edges=tuple(given),
        true_edges=tuple(sorted(truth)),
        chain=tuple(sorted(chain)),
        budget_tokens=ceil(variant.multiplier * sum(tokens[i] for i in chain)),
    )


def _ancestors(head: int, edges: list[Edge]) -> set[int]:
    found, waiting = {head}, [head]
    while waiting:
        at = waiting.pop()
        fresh = {j for i, j in edges if i == at} - found
        found |= fresh
        waiting += sorted(fresh)
    return found


def _given(variant: Variant, texts: list[str], truth: list[Edge], random: np.random.Generator) -> list[Edge]:
    kept = [edge for edge in truth if random.random() >= variant.lost]
    wanted = round(variant.false / (1 - variant.false) * len(kept))
    barred = {(i, j) for i in range(len(texts)) for j in _ancestors(i, truth)}
    hubs = random.choice(len(texts), size=3, replace=False).tolist()
    bags = [set(text.lower().rstrip(".").split()) for text in texts]
    false: set[Edge] = set()
    for _ in range(50 * wanted):
        if len(false) == wanted:
            break
        i = int(random.integers(len(texts)))
        pool = [j for j in (hubs if variant.manner == "hub" else range(len(texts))) if (i, j) not in barred | false]
        if "causal" in variant.manner:
            pool = [j for j in pool if j < i]
        if "lexical" in variant.manner:
            overlap = {j: len(bags[i] & bags[j]) / len(bags[i] | bags[j]) for j in pool}
            pool = sorted(pool, key=lambda j: -overlap[j])[:3]
        if pool:
            false.add((i, pool[int(random.integers(len(pool)))]))
    return sorted([*kept, *false])


def as_item(scenario: Scenario, *, multiplier: float) -> dict[str, Any]:
    """The scenario in the form of scenario files; ids are places."""
    return {
        "id": f"{scenario.variant}/seed{scenario.seed}/x{multiplier:g}",
        "regime": scenario.regime,
        "query": scenario.query,
        "chunks": [
            {"id": str(place), "text": text, "tokens": tokens, "position": place}
            for place, (text, tokens) in enumerate(zip(scenario.texts, scenario.tokens, strict=True))
        ],
        "premises": [[str(i), str(j)] for i, j in scenario.edges],
        "chain": [str(i) for i in scenario.chain],
        "chain_depth": _depth(scenario),
        "budget": scenario.budget_tokens,
        "budget_multiplier": multiplier,
    }


def _depth(scenario: Scenario) -> int:
    """Chunks on the longest way down from the chain's head."""
    deep: dict[int, int] = {}
    for i in scenario.chain:  # true premises never run in circles; made-up logs are shuffled, so ask until settled
        deep[i] = 1
    for _ in scenario.chain:
        for i, j in scenario.true_edges:
            if i in deep and j in deep:
                deep[i] = max(deep[i], deep[j] + 1)
    return max(deep.values())
