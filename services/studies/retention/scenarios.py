"""Seeded scenarios with known truth: who may do what, spread over many chunks, with false and missing premises.

A policy never sees `chain` or `true_edges`; a study measures by them. The sentences are those of `phrases`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from services.retention.session_arrays import count_tokens
from services.studies.retention.phrases import HEADS, PHRASES, TAILS, first_up

Edge = tuple[int, int]
Group = list[tuple[str, list[int]]]
"""Texts in order, each with the places in the group of those that it needs."""


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
    """The parameters of a scenario. `false`: the share of false edges among those given; `lost`: of true ones left out.

    `manner` is how false premises are chosen: at random, among earlier chunks, by shared words, by both, or as
    few hubs. `hidden` names things by plain words instead of identifiers; `shuffled` breaks the order of a log;
    `density` is the share of chunks that belong to some chain. The shape `direct` is a control: each chunk of the
    chain names what the query asks about.
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
        """All that differs from the defaults, in one word."""
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


class _World:
    """Makes chunks in the order of a log: premises come before the chunks that need them, other talk in between."""

    def __init__(self, variant: Variant, random: np.random.Generator) -> None:
        self.variant, self.random, self.phrases = variant, random, PHRASES[variant.phrases]
        self._named: set[str] = set()

    def pick(self, options: Sequence[str]) -> str:
        return options[int(self.random.integers(len(options)))]

    def name(self) -> str:
        """A new thing with its kind: `badge badge_7q21`, or a plain word where identifiers are hidden."""
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

    def chain(self, person: str, act: str, thing: str, hops: int) -> Group:
        words, held = self.phrases, self.name()
        group = [(words.holds.format(person=person, held=held), list[int]())]
        for step in range(hops - 1):
            following = self.name()
            group.append((first_up(words.stands.format(held=held, following=following)), [step]))
            held = following
        group.append((first_up(words.lets.format(held=held, act=act, thing=thing)), [hops - 1]))
        return group

    def fan(self, person: str, act: str, thing: str, width: int) -> Group:
        """Two rules over what a person holds (they share a premise where they can), one conclusion over both."""
        words, held = self.phrases, [self.name() for _ in range(width + 1)]
        group = [(words.holds.format(person=person, held=item), list[int]()) for item in held]
        rules = []
        for chosen in (list(range(width)), sorted(self.random.choice(width + 1, size=width, replace=False).tolist())):
            rules.append(self.name())
            asked = words.joint.join(held[i] for i in chosen)
            group.append((first_up(words.asks.format(rule=rules[-1], held=asked)), chosen))
        last = words.both.format(one=rules[0], other=rules[1], act=act, thing=thing)
        group.append((last, [width + 1, width + 2]))
        return group

    def direct(self, person: str, act: str, thing: str, hops: int) -> Group:
        """Each step names what is asked about; each rests on the one before."""
        group = []
        for step in range(hops):
            template = self.phrases.direct[step % len(self.phrases.direct)]
            text = template.format(person=person, act=act, thing=thing, item=self.name())
            group.append((text, [step - 1] if step else list[int]()))
        return group

    def chatter(self) -> str:
        words = self.phrases
        return self.pick(words.chatter).format(
            person=self.pick(words.people),
            other=self.pick(words.people),
            thing=self.pick(words.things),
            count=self.random.integers(2, 60),
        )


def make_scenario(variant: Variant, *, seed: int) -> Scenario:
    """Generate a scenario; the same variant and seed give the same one."""
    random = np.random.default_rng([seed, *variant.name.encode()])
    world = _World(variant, random)
    words = world.phrases
    person, act, thing = world.pick(words.people), world.pick(words.acts), world.pick(words.things)
    build = world.fan if variant.shape == "fan" else world.direct if variant.shape == "direct" else world.chain
    groups = [build(person, act, thing, variant.size)]
    others = [name for name in words.people if name != person]
    if variant.shape == "rivals":
        groups += [build(world.pick(others), act, thing, variant.size) for _ in range(3)]
    used = {(person, act, thing)}
    while sum(map(len, groups)) < variant.density * variant.chunks:
        wish = (
            person if random.random() < 0.35 else world.pick(others),
            act if random.random() < 0.25 else world.pick(words.acts),
            thing if random.random() < 0.25 else world.pick(words.things),
        )
        if wish[1:] == (act, thing) or wish in used:
            continue  # a second way to the same right would make two answers true
        used.add(wish)
        groups.append(
            build(*wish, variant.size if variant.shape == "fan" else int(random.integers(1, variant.size + 2)))
        )
    while sum(map(len, groups)) < variant.chunks:
        groups.append([(world.chatter(), [])])
    return _interleave(variant, seed, words.query.format(person=person, act=act, thing=thing), groups, random)


def _interleave(variant: Variant, seed: int, query: str, groups: list[Group], random: np.random.Generator) -> Scenario:
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
    """Return the scenario in the form of scenario files; ids are places."""
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
    deep = dict.fromkeys(scenario.chain, 1)
    for _ in scenario.chain:  # true premises have no cycles, but logs may be shuffled: repeat until nothing can change
        for i, j in scenario.true_edges:
            if i in deep and j in deep:
                deep[i] = max(deep[i], deep[j] + 1)
    return max(deep.values())
