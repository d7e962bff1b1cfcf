"""Random histories for two stores at once: each step is done to both, and both must answer the same.

The steps are drawn from a small universe of names, so that they meet: a table comes back, a revision is stale, a memory
names what is gone. Versions are each store's own; that they move, or do not, must be the same.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from exports import exported, imported
from graph.errors import RetinueError
from graph.ports import Store
from graph.values import DataObject, Discovery, Expectation, Memory, Question, Stamp, Trial, Trust
from samples import AT, MODEL, VECTORS, column, embeddings, intent_id, memory, scores, table, unit
from snapshots import all_memories, canonical, snapshot

TABLES = ("t", "客'/🜚")
OBJECTS: dict[str, DataObject] = {
    each.id: each for name in TABLES for each in (table(name), *(column(name, part) for part in "ab"))
}
COLUMNS = tuple(key for key, each in OBJECTS.items() if each.kind == "attribute")
INTENTS = ("kolik účtů", "多少账户", "")
MODELS = (MODEL, "model-b")
FORMS = ("f", "g")

some_objects = st.lists(st.sampled_from(sorted(OBJECTS)), max_size=5, unique=True)
some_references = st.lists(st.tuples(st.sampled_from(COLUMNS), st.sampled_from(COLUMNS)), max_size=3)
some_vectors = st.dictionaries(st.sampled_from(sorted(OBJECTS)), st.sampled_from(sorted(VECTORS)), max_size=4)
some_intent_vectors = st.dictionaries(st.sampled_from(INTENTS), st.sampled_from(sorted(VECTORS)), max_size=3)
memories = st.builds(
    memory,
    st.sampled_from(INTENTS),
    st.lists(st.sampled_from(sorted(OBJECTS)), max_size=2, unique=True),
    state=st.sampled_from(("proposed", "confirmed", "refuted")),
    times=st.integers(1, 9),
    successes=st.integers(0, 3),
    failures=st.integers(0, 3),
    revision=st.sampled_from((0, 0, 0, 1)),
)
loaded = memories.map(lambda m: replace(m, revision=m.revision + 1))
likeness = st.sampled_from((0.0, 0.125, 0.5, 0.7, 1.0))
questions = st.builds(
    Question,
    objects=st.dictionaries(st.sampled_from(sorted(OBJECTS)), likeness, max_size=4).map(scores),
    intents=st.fixed_dictionaries({intent_id(text): likeness for text in INTENTS}).map(scores),
    vector=st.none() | st.sampled_from(sorted(VECTORS)).map(unit),
    model=st.sampled_from(MODELS),
    similarity=st.sampled_from(("lexical", "mean", "neural")),
    use_memory=st.booleans(),
    vector_limit=st.sampled_from((1, 3, 50)),
    nearest_only=st.booleans(),
    top_k=st.sampled_from((0, 1, 2, 5)),
    reach_limit=st.sampled_from((1, 2, 10)),
    reach_floor=st.sampled_from((0.0, 0.2)),
    form=st.sampled_from(FORMS),
).map(lambda q: q if q.vector is not None or q.similarity != "neural" else replace(q, similarity="lexical"))

# Whoever may speak speaks here, in either form.
EVERYBODY = [
    Question(
        intents=scores({intent_id(text): 0.5 for text in INTENTS}),
        vector=unit("xy"),
        model=MODEL,
        similarity="mean",
        form=form,
    )
    for form in FORMS
]


class History(RuleBasedStateMachine):
    """A history of one workspace on two stores; the class made by `on` knows which."""

    one: Store
    other: Store

    @classmethod
    def on(cls, one: Store, other: Store) -> type[History]:
        return type("History", (cls,), {"one": one, "other": other})

    def __init__(self) -> None:
        super().__init__()
        self.name = f"t-{uuid.uuid4().hex}"
        self.stamps: list[dict[Store, Stamp]] = []
        self.both(lambda store: store.create_workspace(self.name, incarnation="first", at=AT))

    @initialize(made=st.lists(memories, min_size=1, max_size=3, unique_by=lambda m: m.id), vectors=some_vectors)
    def begin(self, made: list[Memory], vectors: dict[str, str]) -> None:
        """A full catalogue and a few memories, so that histories meet something from their first step."""
        given = embeddings(vectors) if vectors else None
        first = [replace(each, revision=0) for each in made]
        self.both(lambda store: store.save_objects(self.name, list(OBJECTS.values()), embeddings=given))
        self.both(lambda store: store.save_memories(self.name, first))

    def teardown(self) -> None:
        try:
            self.compare_everything()
        finally:
            self.one.delete_workspace(self.name)
            self.other.delete_workspace(self.name)

    def both(self, step: Callable[[Store], object]) -> Any:
        """Does the step to both stores and holds their answers, and which versions moved, against one another."""
        told = []
        for store in (self.one, self.other):
            before = self.versions(store)
            try:
                answer = canonical(step(store))
            except RetinueError as error:
                answer = (type(error).__name__, getattr(error, "ids", ()))
            after = self.versions(store)
            told.append((answer, [then != now for then, now in zip(before, after, strict=True)]))
        assert told[0] == told[1]
        if all(self.versions(self.one)):
            self.stamps.append({store: store.show_stamp(self.name) for store in (self.one, self.other)})
        return told[0][0]

    def versions(self, store: Store) -> tuple[object, ...]:
        if self.name not in {each.name for each in store.list_workspaces()}:
            return (None, None, None)
        stamp = store.show_stamp(self.name)
        return stamp.incarnation, stamp.version, stamp.catalogue_version

    @rule(ids=some_objects, description=st.sampled_from(("", "new", "ř")), vectors=some_vectors, pairs=some_references)
    def save_objects(self, ids: list[str], description: str, vectors: dict[str, str], pairs: list[Any]) -> None:
        objects = [replace(OBJECTS[key], description=description) for key in ids]
        given = (
            embeddings({key: name for key, name in vectors.items() if key in ids}) if set(vectors) & set(ids) else None
        )
        self.both(lambda store: store.save_objects(self.name, objects, references=pairs, embeddings=given))

    @rule(data=st.data(), pairs=some_references, dropped=some_references)
    def change_catalogue(self, data: st.DataObject, pairs: list[Any], dropped: list[Any]) -> None:
        gone = data.draw(some_objects)
        dropped = [pair for pair in dropped if pair not in pairs]
        self.both(
            lambda store: store.save_objects(self.name, [], references=pairs, dropped_references=dropped, gone=gone)
        )

    @rule()
    def fill_catalogue(self) -> None:
        """The whole universe, so that histories do not stay among errors."""
        self.both(lambda store: store.save_objects(self.name, list(OBJECTS.values())))

    @rule(ids=some_objects, data=st.data())
    def mark_gone(self, ids: list[str], data: st.DataObject) -> None:
        if there := all_memories(self.one, self.name):
            ids += data.draw(st.sampled_from(there)).objects
        known = [each.id for each in self.one.show_objects(self.name, ids)]
        self.both(lambda store: store.save_objects(self.name, [], gone=known))

    @rule(ids=some_objects)
    def remove_objects(self, ids: list[str]) -> None:
        self.both(lambda store: store.remove_objects(self.name, ids))

    @rule(made=st.lists(memories, max_size=4, unique_by=lambda m: m.id), vectors=some_intent_vectors)
    def save_memories(self, made: list[Memory], vectors: dict[str, str]) -> None:
        intents = {m.intent for m in made}
        given = {intent_id(text): name for text, name in vectors.items() if text in intents}
        self.both(lambda store: store.save_memories(self.name, made, embeddings=embeddings(given) if given else None))

    @rule(data=st.data(), state=st.sampled_from(("proposed", "confirmed", "refuted")))
    def turn_memory(self, data: st.DataObject, state: Any) -> None:
        if there := all_memories(self.one, self.name):
            turned = replace(data.draw(st.sampled_from(there)), state=state, failures=1)
            self.both(lambda store: store.save_memories(self.name, [turned]))

    @rule(data=st.data(), revision=st.none() | st.integers(1, 2))
    def forget_memories(self, data: st.DataObject, revision: int | None) -> None:
        there = [each.id for each in all_memories(self.one, self.name)]
        ids = data.draw(st.lists(st.sampled_from([*there, "m_nix"]), min_size=1, max_size=3))
        self.both(lambda store: store.forget_memories(self.name, ids, revision=revision))

    @rule(vectors=some_vectors, model=st.sampled_from(MODELS))
    def save_object_embeddings(self, vectors: dict[str, str], model: str) -> None:
        if vectors:
            self.both(lambda store: store.save_embeddings(self.name, embeddings(vectors, model=model), of="objects"))

    @rule(vectors=some_intent_vectors, model=st.sampled_from(MODELS))
    def save_intent_embeddings(self, vectors: dict[str, str], model: str) -> None:
        if vectors:
            made = embeddings({intent_id(text): name for text, name in vectors.items()}, model=model)
            self.both(lambda store: store.save_embeddings(self.name, made, of="intents"))

    @rule(data=st.data(), form=st.sampled_from(FORMS), support=likeness, now=st.booleans())
    def save_expectations(self, data: st.DataObject, form: str, support: float, now: bool) -> None:
        """One of a memory that is there or was; made for the catalogue as it is, or for one of an earlier step."""
        live = [each.id for each in self.one.list_objects(self.name)]
        there = [each.id for each in all_memories(self.one, self.name)]
        objects = tuple(data.draw(st.permutations(live)))[:3]
        falling = (0.9, 0.5, 0.25)[: len(objects)]
        about = data.draw(st.sampled_from([*there, "m_nix"]))
        made = Expectation(memory=about, objects=objects, scores=falling, support=support)
        stamps = self.stamps[-1] if now else data.draw(st.sampled_from(self.stamps))
        self.both(lambda store: store.save_expectations(self.name, [made], stamp=stamps[store], form=form))
        for question in EVERYBODY:
            self.ask(question)

    @rule(data=st.data())
    def changes_since(self, data: st.DataObject) -> None:
        stamps = data.draw(st.sampled_from(self.stamps))
        if stamps[self.one].incarnation == self.one.show_stamp(self.name).incarnation:
            self.both(lambda store: store.changes(self.name, since=stamps[store].version))

    @rule(question=questions)
    def ask_anything(self, question: Question) -> None:
        self.ask(question)

    def ask(self, question: Question) -> None:
        self.both(lambda store: store.evidence(self.name, question))

    @rule(made=st.lists(loaded, max_size=4, unique_by=lambda m: m.id))
    def load_memories(self, made: list[Memory]) -> None:
        self.both(lambda store: store.load_memories(self.name, made))

    @rule(data=st.data(), of=st.sampled_from(("objects", "intents")))
    def show_embeddings(self, data: st.DataObject, of: Any) -> None:
        known = sorted(OBJECTS) if of == "objects" else sorted(map(intent_id, INTENTS))
        ids = data.draw(st.lists(st.sampled_from([*known, "nix"]), max_size=5))
        self.both(lambda store: store.show_embeddings(self.name, ids, of=of))

    @rule()
    def move_house(self) -> None:
        """Both are emptied, and take in what the one was."""
        data = exported(self.one, self.name)
        self.both(lambda store: store.delete_workspace(self.name))
        self.both(lambda store: imported(store, data))
        assert exported(self.one, self.name) == data

    @rule()
    def take_itself_in(self) -> None:
        data = exported(self.one, self.name)
        self.both(lambda store: imported(store, data))

    @rule(around=st.sampled_from([*sorted(OBJECTS), *map(intent_id, INTENTS)]), depth=st.integers(0, 4))
    def look_around(self, around: str, depth: int) -> None:
        self.both(lambda store: store.neighbourhood(self.name, around, depth=depth))

    @rule(tables=st.permutations(TABLES), more=st.sampled_from(COLUMNS))
    def join_paths(self, tables: list[str], more: str) -> None:
        self.both(lambda store: store.join_paths(self.name, [*tables, more]))

    @rule(
        containing=st.lists(st.sampled_from(("t", "a", "客", "new", "/")), max_size=2), after=st.sampled_from(COLUMNS)
    )
    def list_objects(self, containing: list[str], after: str) -> None:
        self.both(lambda store: store.list_objects(self.name, containing=containing, after=after, limit=3, gone=None))

    @rule(name=st.sampled_from(("d1", "d2", "d3")), gain=st.sampled_from((-0.5, 0.25, 3.0)), judged=st.booleans())
    def earn_trust(self, name: str, gain: float, judged: bool) -> None:
        """Of an answer that is recorded now, or of one that may be there from before."""
        trials = (Trial(rule="none", results=("客",)), Trial(rule="default", results=()))
        made = Discovery(id=name, intent="?", retriever="blend", rule="default", results=(), at=AT, trials=trials)
        if judged:
            self.both(lambda store: store.record_discovery(self.name, made, keep=2, keep_since=AT))
        self.both(lambda store: store.earn_trust(self.name, name, {"default": gain, "ridge": -gain}, bound=2.0))
        self.both(lambda store: (store.list_trust(self.name), store.show_discoveries(self.name, ["d1", "d2", "d3"])))

    @rule(rule=st.sampled_from(("default", "客@k=1")), lead=st.sampled_from((-2.0, 0.1)), outcomes=st.integers(0, 3))
    def load_trust(self, rule: str, lead: float, outcomes: int) -> None:
        earned = [Trust(rule=rule, lead=lead, outcomes=outcomes)]
        self.both(lambda store: (store.load_trust(self.name, earned), store.list_trust(self.name)))

    @rule()
    def reset_trust(self) -> None:
        self.both(lambda store: store.reset_trust(self.name))

    @rule()
    def start_anew(self) -> None:
        self.both(lambda store: store.delete_workspace(self.name))
        self.both(lambda store: store.create_workspace(self.name, incarnation=uuid.uuid4().hex, at=AT))

    @rule()
    def compare_everything(self) -> None:
        """Also at the end; not after each step, as a snapshot costs a dozen reads of either store."""
        one, other = (snapshot(store, self.name, questions=EVERYBODY) for store in (self.one, self.other))
        assert one == other
        assert exported(self.one, self.name) == exported(self.other, self.name)
