"""The small universe that random histories draw from: few names, so that steps meet one another.

Strategies for values alone; what is done with them is said in `histories`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st

from graph.catalogue import DataObject
from graph.embeddings import Embeddings
from graph.evidence import Question, Similarity
from graph.feedback import Discovery, Trial, Trust
from graph.memories import Memory
from graph.workspaces import Reply
from kit.values.samples import AT, MODEL, VECTORS, column, intent_id, memory, scores, table, unit

TABLES = ("t", "客'/🜚")
OBJECTS: dict[str, DataObject] = {
    each.id: each for name in TABLES for each in (table(name), *(column(name, part) for part in "ab"))
}
IDS = tuple(sorted(OBJECTS))
COLUMNS = tuple(key for key, each in OBJECTS.items() if each.kind == "attribute")
INTENTS = ("kolik účtů", "多少账户", "how many t")
MODELS = (MODEL, "model-b")
FORMS = ("f", "g")
STATES = ("proposed", "confirmed", "refuted")
NOWHERE = "t-never-made"

some_ids = st.lists(st.sampled_from(IDS), max_size=5, unique=True)
some_references = st.lists(st.tuples(st.sampled_from(COLUMNS), st.sampled_from(COLUMNS)), max_size=3)
vector_names = st.sampled_from(sorted(VECTORS))
some_vectors = st.dictionaries(st.sampled_from(IDS), vector_names, max_size=4)
some_intent_vectors = st.dictionaries(st.sampled_from(INTENTS), vector_names, max_size=3)
descriptions = st.sampled_from(("", "new", "ř"))
limits = st.sampled_from((1, 2, 100))


@st.composite
def some_objects(draw: st.DrawFn) -> list[DataObject]:
    """Objects as they are known, or with another name, text, type or source, or a column of the other table."""
    return [
        replace(
            OBJECTS[key],
            name=draw(st.sampled_from((OBJECTS[key].name, OBJECTS[key].name, "renamed"))),
            description=(said := draw(descriptions)),
            table=OBJECTS[key].table and draw(st.sampled_from((OBJECTS[key].table, OBJECTS[key].table, *TABLES))),
            data_type=OBJECTS[key].data_type and draw(st.sampled_from(("text", "text", "integer", None))),
            source=draw(st.sampled_from(("test", "test", "other"))),
            folded=f"{key} {said}",
        )
        for key in draw(some_ids)
    ]


memories = st.builds(
    memory,
    st.sampled_from(INTENTS),
    st.lists(st.sampled_from(IDS), max_size=2, unique=True),
    state=st.sampled_from(STATES),
    times=st.integers(1, 9),
    successes=st.integers(0, 3),
    failures=st.integers(0, 3),
    revision=st.sampled_from((0, 0, 0, 1)),
)
some_memories = st.lists(memories, max_size=4, unique_by=lambda m: m.id)
new_memories = st.lists(
    memories.map(lambda m: replace(m, revision=0)), min_size=1, max_size=3, unique_by=lambda m: m.id
)
copied_memories = st.lists(
    memories.map(lambda m: replace(m, revision=m.revision + 1)), max_size=4, unique_by=lambda m: m.id
)


def reworded(it: Memory, intent: str) -> Memory:
    """The same memory, by its id, of another intent."""
    return replace(it, intent=intent, intent_id=intent_id(intent))


likeness = st.sampled_from((0.0, 0.125, 0.5, 0.7, 1.0))
questions = st.builds(
    Question,
    objects=st.dictionaries(st.sampled_from(IDS), likeness, max_size=4).map(scores),
    intents=st.fixed_dictionaries({intent_id(text): likeness for text in INTENTS}).map(scores),
    vector=st.none() | vector_names.map(unit),
    model=st.sampled_from(MODELS),
    similarity=st.sampled_from(("lexical", "mean", "neural")),
    use_memory=st.booleans(),
    vector_limit=st.sampled_from((1, 3, 50)),
    nearest_only=st.booleans(),
    top_k=st.sampled_from((0, 1, 2, 5)),
    memory_limit=st.sampled_from((0, 1, 2, 10)),
    latest=st.sampled_from((0, 1, 2, 60)),
    form=st.sampled_from(FORMS),
    today=st.sampled_from((None, AT.date() - timedelta(days=1), AT.date() + timedelta(days=500))),
).map(lambda q: q if q.vector is not None or q.similarity != "neural" else replace(q, similarity="lexical"))

# Whoever may speak speaks here, in either form, and last of those as near as one another the first by id alone.
MIXES: tuple[tuple[Similarity, str, int], ...] = (("mean", "f", 10), ("mean", "g", 10), ("lexical", "f", 1))
EVERYBODY = [
    Question(
        intents=scores({intent_id(text): 0.5 for text in INTENTS}),
        vector=unit("xy"),
        model=MODEL,
        similarity=similarity,
        form=form,
        top_k=top_k,
        memory_limit=top_k,
        latest=60,
    )
    for similarity, form, top_k in MIXES
]

days = st.sampled_from((-2, -1, 0, 1, 2)).map(lambda n: AT + timedelta(days=n))
keys = st.sampled_from(("k", "ключ"))
replies = st.builds(
    Reply, key=keys, request=st.sampled_from("ab"), status=st.sampled_from((0, 200)), body=descriptions, at=days
)
RULES = ("none", "default", "客@k=1")
found_ids = st.lists(st.sampled_from([*IDS, "nix"]), max_size=2).map(tuple)
trials = st.lists(st.builds(Trial, rule=st.sampled_from(RULES), results=found_ids), max_size=2).map(tuple)
some_gains = st.dictionaries(st.sampled_from(RULES), st.sampled_from((-0.5, 0.25, 3.0)), max_size=3)
some_trust = st.lists(
    st.builds(Trust, rule=st.sampled_from(RULES), lead=st.sampled_from((-2.0, 0.0, 0.5)), outcomes=st.integers(0, 3)),
    max_size=3,
    unique_by=lambda it: it.rule,
)
DISCOVERIES = ("d_1", "d_2", "d_3")
discoveries = st.builds(
    Discovery,
    id=st.sampled_from(DISCOVERIES),
    intent=st.sampled_from(INTENTS),
    retriever=st.just("blend"),
    rule=st.just("default"),
    results=found_ids,
    at=days,
    trials=trials,
)

# What no store may take: half a character, vectors of another width or length, a table that is nowhere.
WRONG_OBJECTS = (
    replace(OBJECTS["t"], description="half \ud800"),
    replace(OBJECTS["t.a"], table="nowhere"),
    replace(OBJECTS["t"], id="half \udfff", name="half"),
)
WRONG_EMBEDDINGS = tuple(
    Embeddings(model=MODEL, ids=ids, matrix=matrix)
    for ids, matrix in (
        (("t",), unit("x")[None, :2]),
        (("t",), 2 * unit("x")[None]),
        (("t",), 0 * unit("x")[None]),
        (("t", "t.a"), unit("x")[None]),
    )
)
