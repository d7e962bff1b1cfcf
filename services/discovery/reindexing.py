"""Reindexing in the background: missing embeddings, and expectations in batches.

No answer waits for it: a question computes the expectations that it needs and that are missing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from sys import maxsize
from typing import Literal, Protocol

from graph.embeddings import Embeddings, EmbeddingStore
from graph.evidence import EvidenceSource, Question, Scores
from graph.memories import Memories, Memory
from graph.workspaces import Stamp
from services.catalogue_index import CatalogueIndex, CatalogueIndexes
from services.discovery.expectations import Expectations, form_of
from services.discovery.intent_vectors import IntentVectors
from services.encoders import Encoder
from services.words import full_text

PAGE = 100  # memories read at a time; as many intents go into one question
BATCH = 256  # texts encoded between two writes

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexed:
    """How many embeddings and expectations were computed."""

    objects: int
    intents: int
    expectations: int


class ReindexingStore(EvidenceSource, EmbeddingStore, Memories, Protocol):
    """The ports that reindexing uses."""


class Reindexing:
    """Bring a workspace's derived data up to date, a bounded batch at a time."""

    def __init__(
        self, store: ReindexingStore, indexes: CatalogueIndexes, encoder: Encoder | None, vectors: IntentVectors
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._encoder = encoder
        self._vectors = vectors
        self._expectations = Expectations(store, vectors)
        self._done: dict[str, Stamp] = {}

    def refresh(self, workspace: str, *, limit: int, progress: Progress = lambda _done, _total: None) -> int:
        catalogue = self._indexes.current(workspace)
        if self._done.get(workspace) == catalogue.stamp:
            return 0
        model = self._model()
        made = 0
        for page in self._pages(workspace):
            lacking = self._lacking(workspace, page, model=model)[: limit - made]
            made += len(self._expectations.make(workspace, catalogue, lacking, model=model, keep=True))
            progress(made, None)
            if made >= limit:
                return made
        self._done[workspace] = catalogue.stamp
        return made

    def reindex(self, workspace: str, *, progress: Progress) -> Reindexed:
        objects = self._embed(workspace, of="objects", progress=progress)
        intents = self._embed(workspace, of="intents", progress=progress)
        made = self.refresh(workspace, limit=maxsize, progress=progress)
        return Reindexed(objects=objects, intents=intents, expectations=made)

    def _model(self) -> str | None:
        """The encoder's name if it works, else None: expectations are computed as answers will use them."""
        vector, _ = self._vectors.vector("expectations")
        return None if vector is None else self._vectors.model

    def _embed(self, workspace: str, *, of: Literal["objects", "intents"], progress: Progress) -> int:
        if self._encoder is None:
            return 0
        catalogue = self._indexes.current(workspace)
        total, done, after = len(catalogue.objects if of == "objects" else catalogue.intents), 0, None
        model = self._encoder.name
        while ids := self._store.list_unembedded(workspace, of=of, model=model, after=after, limit=BATCH):
            texts = {item: text for item in ids if (text := _text(catalogue, item, of=of)) is not None}
            if texts:
                matrix = self._encoder.encode(list(texts.values()))
                self._store.save_embeddings(workspace, Embeddings(model=model, ids=tuple(texts), matrix=matrix), of=of)
            done, after = done + len(texts), ids[-1]
            progress(done, total)
        return done

    def _pages(self, workspace: str) -> Iterator[tuple[Memory, ...]]:
        after = None
        while page := self._store.list_memories(workspace, after=after, limit=PAGE):
            yield page
            after = page[-1].id

    def _lacking(self, workspace: str, page: tuple[Memory, ...], *, model: str | None) -> list[Memory]:
        """The memories that weigh anything and whose expectation is missing or stale."""
        weighing = [memory for memory in page if memory.state != "refuted" and not memory.suspended]
        intents = tuple(sorted({memory.intent_id for memory in weighing}))
        question = Question(
            intents=Scores(ids=intents, values=(1.0,) * len(intents)),
            form=form_of(model),
            top_k=0,
            memory_limit=2 * PAGE,
        )
        seen = self._store.evidence(workspace, question).memories if intents else ()
        current = {memory.id for memory in seen if memory.expected is not None}
        return [memory for memory in weighing if memory.id not in current]


def _text(catalogue: CatalogueIndex, item: str, *, of: Literal["objects", "intents"]) -> str | None:
    if of == "intents":
        return catalogue.intents.get(item)
    found = catalogue.objects.get(item)
    return None if found is None else full_text(found, catalogue.table_name(found))
