"""Random histories for two stores at once: every operation of the ports, right and wrong, in two workspaces.

What is drawn is in `universe`, how both sides are held against one another in `twins`; here are the steps. On Neo4j a
read costs milliseconds: a step asks for little, and everything is compared when a history ends.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from graph.catalogue import DataObject
from graph.evidence import Expectation, Question
from graph.feedback import Discovery, Trust
from graph.memories import Memory
from graph.store import Store
from graph.workspaces import Reply, Stamp
from kit.exports import exported, imported
from kit.histories.twins import Side, Stamps, Twins
from kit.histories.universe import (
    COLUMNS,
    DISCOVERIES,
    EVERYBODY,
    FORMS,
    IDS,
    INTENTS,
    MODELS,
    NOWHERE,
    OBJECTS,
    STATES,
    TABLES,
    WRONG_EMBEDDINGS,
    WRONG_OBJECTS,
    copied_memories,
    days,
    descriptions,
    discoveries,
    keys,
    likeness,
    limits,
    new_memories,
    questions,
    replies,
    reworded,
    some_gains,
    some_ids,
    some_intent_vectors,
    some_memories,
    some_objects,
    some_references,
    some_trust,
    some_vectors,
    vector_names,
)
from kit.oracles.snapshots import all_memories
from kit.replays.round_trip import agree
from kit.values.samples import AT, MODEL, embeddings, intent_id

HERE, THERE = 0, 1
spaces = st.sampled_from((HERE, HERE, HERE, THERE))
kinds = st.sampled_from((None, "table", "attribute"))
of_either = st.sampled_from(("objects", "intents"))


class History(RuleBasedStateMachine):
    """A history of two workspaces on two stores; the class made by `on` knows which."""

    twins: ClassVar[Twins]
    names: ClassVar[tuple[str, str]]

    @classmethod
    def on(cls, twins: Twins) -> type[History]:
        """The names are of one run: each history takes over, and deletes, what the one before has left."""
        return type("History", (cls,), {"twins": twins, "names": tuple(f"t-{uuid.uuid4().hex}" for _ in "ab")})

    def __init__(self) -> None:
        super().__init__()
        self.passed: dict[str, list[Stamps]] = {}
        for name in self.names:
            self.twins.do(name, lambda store, name=name: store.delete_workspace(name))
            made = uuid.uuid4().hex
            self.twins.do(
                name, lambda store, name=name, made=made: store.create_workspace(name, incarnation=made, at=AT)
            )
        self.note_stamps()

    @initialize(made=new_memories, vectors=some_vectors)
    def begin(self, made: list[Memory], vectors: dict[str, str]) -> None:
        """A full catalogue and a few memories, so that histories meet something from their first step."""
        self.begin_in(HERE, made, vectors)

    def begin_in(self, space: int, made: list[Memory], vectors: dict[str, str]) -> None:
        given = embeddings(vectors) if vectors else None
        self.do(space, lambda store, name: store.save_objects(name, list(OBJECTS.values()), embeddings=given))
        self.do(space, lambda store, name: store.save_memories(name, made))

    def teardown(self) -> None:
        self.compare(HERE)
        self.compare(THERE)

    def do(self, space: int, step: Any) -> Any:
        name = self.names[space]
        answer = self.twins.do(name, lambda store: step(store, name))
        self.note_stamps()
        return answer

    def ask(self, space: int, question: Any) -> Any:
        name = self.names[space]
        return self.twins.ask(lambda side: question(side.store, name))

    def note_stamps(self) -> None:
        """What a reader may have seen last: changes are asked for since then, expectations made for then."""
        for name in self.names:
            now, seen = self.twins.stamps(name), self.passed.setdefault(name, [])
            if now is None:
                continue
            if seen and seen[-1][0].incarnation != now[0].incarnation:
                seen.clear()
            if not seen or seen[-1] != now:
                seen.append(now)

    def seen(self, space: int, data: st.DataObject | None) -> dict[Store, Stamp]:
        """By store, the stamp that it had at one time (now, or a drawn one)."""
        passed = self.passed[self.names[space]]
        stamps = passed[-1] if data is None else data.draw(st.sampled_from(passed))
        return {side.store: stamp for side, stamp in zip(self.twins.sides, stamps, strict=True)}

    def memories_in(self, space: int) -> tuple[Memory, ...]:
        return all_memories(self.twins.reference, self.names[space])

    # Workspaces

    @rule(space=spaces, as_seen=st.booleans(), made=new_memories, data=st.data())
    def start_anew(self, space: int, as_seen: bool, made: list[Memory], data: st.DataObject) -> None:
        """Deleted, or only where it is as it was at some time; then made again, and filled."""
        seen = self.seen(space, data) if as_seen else {}
        self.do(space, lambda store, name: store.delete_workspace(name, stamp=seen.get(store)))
        named = uuid.uuid4().hex
        _, anew = self.do(space, lambda store, name: store.create_workspace(name, incarnation=named, at=AT))
        if anew:
            self.begin_in(space, made, {})

    @rule(space=spaces, at=days)
    def create_again(self, space: int, at: Any) -> None:
        made = self.do(space, lambda store, name: store.create_workspace(name, incarnation="again", at=at))
        self.ask(space, lambda store, name: [it for it in store.list_workspaces() if it.name == name])
        assert made

    @rule(source=spaces, into=st.sampled_from((THERE, THERE, HERE)))
    def move_house(self, source: int, into: int) -> None:
        """The one workspace is emptied in both stores, and takes in what the reference has of the other."""
        was, will = (self.names[space].encode() for space in (source, into))
        data = exported(self.twins.reference, self.names[source]).replace(was, will)
        self.do(into, lambda store, name: store.delete_workspace(name))
        self.do(into, lambda store, _: imported(store, data))
        self.ask(into, lambda store, name: exported(store, name) == data)

    @rule(source=spaces, into=spaces)
    def take_in(self, source: int, into: int) -> None:
        """What a workspace has, or had not, of another (or of itself) is added to it."""
        was, will = (self.names[space].encode() for space in (source, into))
        data = exported(self.twins.reference, self.names[source]).replace(was, will)
        self.do(into, lambda store, _: imported(store, data))

    @rule(space=spaces, reply=replies, age=st.integers(0, 2))
    def claim_reply(self, space: int, reply: Reply, age: int) -> None:
        since = reply.at - timedelta(days=age)
        self.do(space, lambda store, name: store.claim_reply(name, reply, keep_since=since))

    @rule(space=spaces, reply=replies)
    def save_reply(self, space: int, reply: Reply) -> None:
        self.do(space, lambda store, name: store.save_reply(name, reply))

    @rule(space=spaces, key=keys)
    def drop_reply(self, space: int, key: str) -> None:
        self.do(space, lambda store, name: store.drop_reply(name, key))

    @rule()
    def restart(self) -> None:
        """Stores opened again, and services that have nothing in mind."""
        self.twins.restart()

    # The catalogue

    @rule(space=spaces, objects=some_objects(), vectors=some_vectors, pairs=some_references, dropped=some_references)
    def save_objects(
        self, space: int, objects: list[DataObject], vectors: dict[str, str], pairs: list[Any], dropped: list[Any]
    ) -> None:
        dropped = [pair for pair in dropped if pair not in pairs]
        named = {each.id for each in objects}
        own = {key: name for key, name in vectors.items() if key in named}
        given = embeddings(own) if own else None
        self.do(
            space,
            lambda store, name: store.save_objects(
                name, objects, references=pairs, dropped_references=dropped, embeddings=given
            ),
        )

    @rule(space=spaces, pairs=some_references, data=st.data())
    def change_references(self, space: int, pairs: list[Any], data: st.DataObject) -> None:
        """Drops some that are there, mostly: of six names few pairs meet by chance."""
        there = self.twins.reference.list_references(self.names[space], IDS)
        dropped = data.draw(st.lists(st.sampled_from(there), max_size=2)) if there else []
        self.do(space, lambda store, name: store.save_objects(name, [], references=pairs, dropped_references=dropped))
        self.ask(space, lambda store, name: store.list_references(name, IDS))

    @rule(space=spaces, returning=st.none() | some_ids)
    def fill_catalogue(self, space: int, returning: list[str] | None) -> None:
        """What the universe has, or a part of it, as it was at first: what was removed or gone comes back."""
        objects = [OBJECTS[key] for key in (IDS if returning is None else returning)]
        self.do(space, lambda store, name: store.save_objects(name, objects))
        self.ask(space, lambda store, name: store.list_memories(name))

    @rule(space=spaces, ids=some_ids, data=st.data(), known=st.sampled_from((True, True, False)))
    def mark_gone(self, space: int, ids: list[str], data: st.DataObject, known: bool) -> None:
        if there := self.memories_in(space):
            ids += data.draw(st.sampled_from(there)).objects
        if known:
            ids = [each.id for each in self.twins.reference.show_objects(self.names[space], ids)]
        self.do(space, lambda store, name: store.save_objects(name, [], gone=ids))

    @rule(space=spaces, ids=some_ids, as_seen=st.booleans(), data=st.data())
    def remove_objects(self, space: int, ids: list[str], as_seen: bool, data: st.DataObject) -> None:
        seen = self.seen(space, data) if as_seen else {}
        self.do(space, lambda store, name: store.remove_objects(name, ids, stamp=seen.get(store)))
        for question in EVERYBODY:
            self.ask_for_evidence(space, question)

    @rule(
        space=spaces,
        kind=kinds,
        containing=st.just([]) | st.lists(st.sampled_from(("t", "a", "客", "new", "/")), max_size=2),
        tables=st.none() | some_ids,
        source=st.sampled_from((None, None, "test", "other")),
        gone=st.sampled_from((None, False, True)),
        after=st.none() | st.sampled_from(COLUMNS),
        limit=limits,
    )
    def list_objects(self, space: int, **filters: Any) -> None:
        self.ask(space, lambda store, name: store.list_objects(name, **filters))

    @rule(space=spaces, ids=st.lists(st.sampled_from([*IDS, "nix"]), max_size=4))
    def show_objects(self, space: int, ids: list[str]) -> None:
        self.ask(space, lambda store, name: store.show_objects(name, ids))

    # Memories

    @rule(space=spaces, made=some_memories, vectors=some_intent_vectors, model=st.sampled_from(MODELS))
    def save_memories(self, space: int, made: list[Memory], vectors: dict[str, str], model: str) -> None:
        intents = {m.intent for m in made}
        own = {intent_id(text): name for text, name in vectors.items() if text in intents}
        given = embeddings(own, model=model) if own else None
        self.do(space, lambda store, name: store.save_memories(name, made, embeddings=given))

    @rule(space=spaces, data=st.data(), state=st.sampled_from(STATES), intent=st.none() | st.sampled_from(INTENTS))
    def change_memory(self, space: int, data: st.DataObject, state: Any, intent: str | None) -> None:
        """One that is there, at its revision or at another: its state, or the intent that it is of."""
        if there := self.memories_in(space):
            it = data.draw(st.sampled_from(there))
            turned = replace(it, state=state, failures=1, revision=it.revision + data.draw(st.sampled_from((0, 0, -1))))
            changed = turned if intent is None else reworded(turned, intent)
            self.do(space, lambda store, name: store.save_memories(name, [changed]))

    @rule(space=spaces, data=st.data(), made=new_memories, stale=st.sampled_from((False, False, True)))
    def replace_memory(self, space: int, data: st.DataObject, made: list[Memory], stale: bool) -> None:
        """One that is there becomes another: by its revision, or by one that it had."""
        if there := self.memories_in(space):
            it = data.draw(st.sampled_from(there))
            before = replace(it, revision=it.revision - 1) if stale else it
            self.do(space, lambda store, name: store.save_memories(name, made[:1], instead_of=before))
            self.ask(space, lambda store, name: (store.list_memories(name), store.list_ids(name)))

    @rule(space=spaces, made=copied_memories, data=st.data())
    def load_memories(self, space: int, made: list[Memory], data: st.DataObject) -> None:
        there = [m for m in self.memories_in(space) if m.id not in {each.id for each in made}]
        if there:  # just so, or with another count: both are copies
            it = data.draw(st.sampled_from(there))
            made = [*made, data.draw(st.sampled_from((it, replace(it, times=it.times + 1), reworded(it, INTENTS[0]))))]
        self.do(space, lambda store, name: store.load_memories(name, made))
        self.ask(space, lambda store, name: store.show_embeddings(name, list(map(intent_id, INTENTS)), of="intents"))

    @rule(space=spaces, data=st.data(), revision=st.sampled_from((None, None, 1, 2)))
    def forget_memories(self, space: int, data: st.DataObject, revision: int | None) -> None:
        there = [each.id for each in self.memories_in(space)]
        ids = data.draw(st.lists(st.sampled_from([*there, "m_nix"]), min_size=1, max_size=3))
        self.do(space, lambda store, name: store.forget_memories(name, ids, revision=revision))
        self.ask(space, lambda store, name: store.list_ids(name))

    @rule(
        space=spaces,
        state=st.sampled_from((None, *STATES)),
        suspended=st.sampled_from((None, True, False)),
        intent=st.none() | st.sampled_from(INTENTS),
        limit=limits,
        data=st.data(),
    )
    def list_memories(
        self, space: int, state: Any, suspended: bool | None, intent: str | None, limit: int, data: st.DataObject
    ) -> None:
        after = data.draw(st.sampled_from([None, *(m.id for m in self.memories_in(space))]))
        about = None if intent is None else intent_id(intent)
        self.ask(
            space,
            lambda store, name: store.list_memories(
                name, state=state, suspended=suspended, intent_id=about, after=after, limit=limit
            ),
        )

    @rule(space=spaces, data=st.data())
    def show_memories(self, space: int, data: st.DataObject) -> None:
        there = [each.id for each in self.memories_in(space)]
        ids = data.draw(st.lists(st.sampled_from([*there, "m_nix"]), max_size=3))
        self.ask(space, lambda store, name: store.show_memories(name, ids))

    # What discovery reads

    @rule(space=spaces, of=of_either, data=st.data(), model=st.sampled_from(MODELS))
    def save_embeddings(self, space: int, of: Any, data: st.DataObject, model: str) -> None:
        known = IDS if of == "objects" else [*map(intent_id, INTENTS), "nix"]
        vectors = data.draw(st.dictionaries(st.sampled_from(known), vector_names, min_size=1, max_size=4))
        self.do(space, lambda store, name: store.save_embeddings(name, embeddings(vectors, model=model), of=of))

    @rule(space=spaces, of=of_either, data=st.data())
    def show_embeddings(self, space: int, of: Any, data: st.DataObject) -> None:
        known = IDS if of == "objects" else tuple(map(intent_id, INTENTS))
        ids = data.draw(st.lists(st.sampled_from([*known, "nix"]), max_size=5))
        self.ask(space, lambda store, name: store.show_embeddings(name, ids, of=of))

    @rule(space=spaces, data=st.data(), form=st.sampled_from(FORMS), support=likeness, now=st.booleans())
    def save_expectations(self, space: int, data: st.DataObject, form: str, support: float, now: bool) -> None:
        """One of a memory that is there or was; made for the catalogue as it is, or for one of an earlier step."""
        live = [each.id for each in self.twins.reference.list_objects(self.names[space])]
        there = [each.id for each in self.memories_in(space)]
        objects = tuple(data.draw(st.permutations(live)))[:3]
        falling = (0.9, 0.5, 0.25)[: len(objects)]
        about = data.draw(st.sampled_from([*there, "m_nix"]))
        made = Expectation(memory=about, objects=objects, scores=falling, support=support)
        seen = self.seen(space, None if now else data)
        self.do(space, lambda store, name: store.save_expectations(name, [made], stamp=seen[store], form=form))
        self.ask_for_evidence(space, EVERYBODY[FORMS.index(form)])

    @rule(space=spaces, question=questions)
    def ask_for_evidence(self, space: int, question: Question) -> None:
        self.ask(space, lambda store, name: store.evidence(name, question))

    @rule(space=spaces, data=st.data())
    def changes_since(self, space: int, data: st.DataObject) -> None:
        seen = self.seen(space, data)
        self.ask(space, lambda store, name: store.changes(name, since=seen[store].version))

    @rule(space=spaces, of=of_either, model=st.sampled_from((*MODELS, "hashing")), limit=limits, after=st.booleans())
    def list_unembedded(self, space: int, of: Any, model: str, limit: int, after: bool) -> None:
        start = COLUMNS[0] if after and of == "objects" else None
        self.ask(space, lambda store, name: store.list_unembedded(name, of=of, model=model, after=start, limit=limit))

    @rule(space=spaces, model=st.sampled_from(MODELS), limit=limits)
    def nearest_objects(self, space: int, model: str, limit: int) -> None:
        intents = [*map(intent_id, INTENTS), "i_nix"]
        self.ask(space, lambda store, name: store.nearest_objects(name, intents, model=model, limit=limit))

    @rule(space=spaces, around=st.sampled_from([*IDS, *map(intent_id, INTENTS)]), depth=st.integers(0, 4))
    def neighbourhood(self, space: int, around: str, depth: int) -> None:
        self.ask(space, lambda store, name: store.neighbourhood(name, around, depth=depth))

    @rule(space=spaces, tables=st.permutations(TABLES), more=st.sampled_from(COLUMNS))
    def join_paths(self, space: int, tables: list[str], more: str) -> None:
        self.ask(space, lambda store, name: store.join_paths(name, [*tables, more]))

    @rule(space=spaces, found=discoveries, keep=st.integers(1, 2))
    def record_discovery(self, space: int, found: Discovery, keep: int) -> None:
        since = AT - timedelta(days=1)
        self.do(space, lambda store, name: store.record_discovery(name, found, keep=keep, keep_since=since))
        self.ask(space, lambda store, name: store.show_discoveries(name, DISCOVERIES))

    @rule(space=spaces, found=discoveries, recorded=st.booleans(), gains=some_gains, bound=st.sampled_from((0.5, 4.0)))
    def earn_trust(self, space: int, found: Discovery, recorded: bool, gains: dict[str, float], bound: float) -> None:
        """Of an answer that is recorded now, or of one that may be there and may have been judged before."""
        if recorded:
            self.do(space, lambda store, name: store.record_discovery(name, found, keep=3, keep_since=found.at))
        for _ in "ab":
            self.do(space, lambda store, name: store.earn_trust(name, found.id, gains, bound=bound))
        self.ask(space, lambda store, name: (store.list_trust(name), store.show_discoveries(name, DISCOVERIES)))

    @rule(space=spaces, earned=some_trust)
    def load_trust(self, space: int, earned: list[Trust]) -> None:
        self.do(space, lambda store, name: store.load_trust(name, earned))
        self.ask(space, lambda store, name: store.list_trust(name))

    @rule(space=spaces)
    def reset_trust(self, space: int) -> None:
        self.do(space, lambda store, name: store.reset_trust(name))

    @rule(space=spaces, intent=st.sampled_from([*INTENTS, "renamed a"]), encoded=st.sampled_from((False, False, True)))
    def discover(self, space: int, intent: str, encoded: bool) -> None:
        """Through services that were caught up by changes alone since they were last asked."""
        self.discovered(space, intent, encoded=encoded)

    @rule(space=spaces)
    def reindex(self, space: int) -> None:
        """Embeds with a real encoder, and makes what is expected: what an operator does after a restore."""
        name = self.names[space]
        self.twins.ask(lambda side: side.services[True].reindex(name))
        self.do(space, lambda store, name: store.show_workspace(name))

    # Wrong input

    @rule(space=spaces, wrong=st.sampled_from(WRONG_OBJECTS), description=descriptions)
    def save_wrong_objects(self, space: int, wrong: DataObject, description: str) -> None:
        """One that is wrong, once, beside what is right: which of two faults is told is the store's own choice."""
        right = [replace(each, description=description) for each in OBJECTS.values()]
        told = self.do(space, lambda store, name: store.save_objects(name, [*right, wrong]))
        assert told[0] in {"InvalidInput", "UnknownObjects"}

    @rule(space=spaces, wrong=st.sampled_from(WRONG_EMBEDDINGS))
    def save_wrong_embeddings(self, space: int, wrong: Any) -> None:
        self.do(
            space, lambda store, name: store.save_embeddings(name, embeddings({"t": "x"}, model=MODEL), of="objects")
        )
        told = self.do(space, lambda store, name: store.save_embeddings(name, wrong, of="objects"))
        assert self.ask(space, lambda store, name: store.show_objects(name, ["t"])) == () or told[0] == "InvalidInput"

    @rule(ids=some_ids, made=new_memories, text=descriptions)
    def ask_nowhere(self, ids: list[str], made: list[Memory], text: str) -> None:
        """A workspace that was never made: said by whatever is asked of it, and not made by it."""
        steps = (
            lambda store: store.show_workspace(NOWHERE),
            lambda store: store.delete_workspace(NOWHERE),
            lambda store: store.save_objects(NOWHERE, [OBJECTS["t"]]),
            lambda store: store.remove_objects(NOWHERE, ids),
            lambda store: store.save_memories(NOWHERE, made),
            lambda store: store.forget_memories(NOWHERE, [m.id for m in made]),
            lambda store: store.list_objects(NOWHERE, containing=[text]),
            lambda store: store.evidence(NOWHERE, EVERYBODY[0]),
        )
        step = steps[(len(ids) + len(made) + len(text)) % len(steps)]
        assert self.twins.ask(lambda side: step(side.store))[0] == "UnknownWorkspace"

    # The whole

    def discovered(self, space: int, intent: str, *, encoded: bool) -> None:
        """Cosines between two sixth decimals may be rounded either way: scores agree closely, not to the last digit."""

        def answer(side: Side) -> Any:
            return replace(side.services[encoded].discover(self.names[space], intent), discovery="")

        one, other = (answer(side) for side in self.twins.sides)
        self.twins.hold(one, other, same=agree(one, other))
        self.twins.do(self.names[space], lambda _: None)

    def compare(self, space: int) -> None:
        name = self.names[space]
        self.ask(space, lambda store, name: replace(store.show_workspace(name), created_at=AT))
        if len(self.passed[name]) == 1:
            return  # as it was made
        self.ask(space, lambda store, name: exported(store, name))
        self.ask(space, lambda store, name: store.list_ids(name))
        self.ask(
            space,
            lambda store, name: (
                store.list_memories(name),
                store.list_memories(name, limit=1),
                store.check_memories(name),
            ),
        )
        self.ask(space, lambda store, name: store.list_objects(name, limit=2))
        self.ask(space, lambda store, _: [it.name for it in store.list_workspaces() if it.name in self.names])
        for question in EVERYBODY:
            self.ask_for_evidence(space, question)
        self.discovered(space, INTENTS[0], encoded=False)
        for side in self.twins.sides:
            kept = side.services[False].discover(name, "new renamed t a b")
            side.forget()
            anew = side.services[False].discover(name, "new renamed t a b")
            self.twins.hold(kept, anew, same=agree(kept, anew))
