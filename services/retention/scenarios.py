"""Seeded scenarios with known truth: who may do what, said over many chunks, with premises that may lie or lack.

A policy never sees `chain` or `true_edges`; they are what a study measures by. Nothing is read from a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil

import numpy as np

from services.retention.chunks import count_tokens

Edge = tuple[int, int]

KINDS = ("permit", "badge", "voucher", "charter", "mandate", "licence", "warrant", "docket", "seal", "writ")
PEOPLE = ("Amara", "Bjorn", "Chloe", "Dmitri", "Esther", "Fatou", "Goran", "Hana", "Ilse", "Jonas", "Kofi", "Lucia")
ACTS = ("publish", "merge", "unlock", "transfer", "rename", "freeze", "inspect", "retire")
THINGS = (
    "tariff table",
    "harbour plan",
    "payroll sheet",
    "sensor archive",
    "grain contract",
    "museum index",
    "tram schedule",
    "vaccine register",
)
CHATTER = (
    "{person} reviewed {count} pages about the {thing} during lunch.",
    "Reminder from {person}: the {thing} workshop moved to room {count}.",
    "{person} counted {count} open questions on the {thing} last week.",
    "Minutes: {person} and {other} compared {count} ways to print the {thing}.",
    "The {thing} page loaded slowly {count} times, said {person}.",
)
_HEADS = ("bra", "cor", "del", "fin", "gal", "hol", "jun", "kel", "lam", "mor", "nar", "pel", "rud", "sol")
_TAILS = ("bin", "dex", "fal", "gor", "lin", "mas", "nok", "ris", "tam", "vel", "wen", "zar")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Texts in order of ingestion, premises as a policy is given them, and the truth beside them."""

    variant: str
    seed: int
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
    few hubs. `hidden` names things by plain words instead of identifiers; `shuffled` breaks the order of a log.
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

    @property
    def name(self) -> str:
        marks = [f"{self.shape}{self.size}"]
        if self.false:
            marks.append(f"{self.manner}{self.false:g}")
        if self.lost:
            marks.append(f"lost{self.lost:g}")
        marks += [mark for mark in ("shuffled", "hidden") if getattr(self, mark)]
        return "-".join(marks)


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
        self.variant, self.random = variant, random
        self.groups: list[list[tuple[str, list[int]]]] = []
        self._named: set[str] = set()

    def pick(self, options: Sequence[str]) -> str:
        return options[int(self.random.integers(len(options)))]

    def name(self) -> str:
        """A fresh thing with its kind: `badge badge_7q21`, or by a word where identifiers are hidden."""
        kind = self.pick(KINDS)
        while True:
            if self.variant.hidden:
                mark = self.pick(_HEADS) + self.pick(_TAILS) + self.pick(_TAILS)
            else:
                digit, pair = self.random.integers(10), self.random.integers(100)
                mark = f"{kind}_{digit}{self.pick('abcdefghkmpqrtvwxyz')}{pair:02d}"
            if mark not in self._named:
                self._named.add(mark)
                return f"{kind} {mark}"

    def chain(self, person: str, act: str, thing: str, hops: int) -> list[tuple[str, list[int]]]:
        held = self.name()
        group = [(f"{person} was handed {held}.", list[int]())]
        for step in range(hops - 1):
            following = self.name()
            group.append((f"{_first_up(held)} stands for {following}.", [step]))
            held = following
        group.append((f"{_first_up(held)} lets its holder {act} the {thing}.", [hops - 1]))
        return group

    def fan(self, person: str, act: str, thing: str, width: int) -> list[tuple[str, list[int]]]:
        """Two rules over what a person holds (they share a premise where they can), one conclusion over both."""
        held = [self.name() for _ in range(width + 1)]
        group = [(f"{person} was handed {item}.", list[int]()) for item in held]
        rules = []
        for chosen in (list(range(width)), sorted(self.random.choice(width + 1, size=width, replace=False).tolist())):
            rules.append(self.name())
            group.append((f"{_first_up(rules[-1])} asks for {' and '.join(held[i] for i in chosen)}.", chosen))
        last = f"Whoever has {rules[0]} and {rules[1]} can {act} the {thing}."
        group.append((last, [width + 1, width + 2]))
        return group

    def chatter(self) -> str:
        return self.pick(CHATTER).format(
            person=self.pick(PEOPLE),
            other=self.pick(PEOPLE),
            thing=self.pick(THINGS),
            count=self.random.integers(2, 60),
        )


def _first_up(text: str) -> str:
    return text[0].upper() + text[1:]


def make_scenario(variant: Variant, *, seed: int) -> Scenario:
    """One scenario; the same variant and seed give the same one."""
    random = np.random.default_rng([seed, *variant.name.encode()])
    world = _World(variant, random)
    person, act, thing = world.pick(PEOPLE), world.pick(ACTS), world.pick(THINGS)
    build = world.fan if variant.shape == "fan" else world.chain
    groups = [build(person, act, thing, variant.size)]
    others = [name for name in PEOPLE if name != person]
    if variant.shape == "rivals":
        groups += [build(world.pick(others), act, thing, variant.size) for _ in range(3)]
    used = {(person, act, thing)}
    while sum(map(len, groups)) < 0.65 * variant.chunks:
        wish = (
            person if random.random() < 0.35 else world.pick(others),
            act if random.random() < 0.25 else world.pick(ACTS),
            thing if random.random() < 0.25 else world.pick(THINGS),
        )
        if wish[1:] == (act, thing) or wish in used:
            continue  # a second way to the same right would make two answers true
        used.add(wish)
        groups.append(
            build(*wish, variant.size if variant.shape == "fan" else int(random.integers(1, variant.size + 2)))
        )
    while sum(map(len, groups)) < variant.chunks:
        groups.append([(world.chatter(), [])])
    return _interleave(variant, seed, f"Can {person} {act} the {thing}? Say yes or no.", groups, random)


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
