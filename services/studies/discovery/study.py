"""The study of discovery: every arm is replayed over the tasks of every domain."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from graph.errors import InvalidInput
from services.discovery.arms import parse_arm
from services.encoders import Encoder
from services.identity import normal_intent
from services.studies.discovery.catalogues import hidden, merged
from services.studies.discovery.curves import families, learning
from services.studies.discovery.plots import plot_discovery
from services.studies.discovery.protocol import DiscoveryProtocol
from services.studies.discovery.replaying import OpenStore, agreement_of, replay_tasks
from services.studies.discovery.report import discovery_report
from services.studies.discovery.summary import summarise_discovery
from services.studies.discovery.tasks import StudyDomain, read_domains
from services.studies.embeddings import hold
from services.studies.plotting import can_plot
from services.studies.running import Part, Row
from services.words import full_text


class DiscoveryStudy:
    """Tasks asked of every arm, each on a store of its own; `cache` is a folder for embeddings.

    Encodes nothing before its parts are asked for. Raises `InvalidInput` for data that cannot be used.
    """

    name = "discovery"
    total: int | None = None
    parallel = True

    def __init__(
        self,
        protocol: DiscoveryProtocol,
        *,
        open_store: OpenStore,
        encoder: Encoder | None,
        cache: Path | None = None,
    ) -> None:
        self.protocol: Any = protocol
        self._domains = read_domains([Path(folder) for folder in protocol.data], names=protocol.domain)
        if not self._domains:
            raise InvalidInput("a study", found="no domain of the data has tasks", hint="Give data with `tasks`")
        without = [it.name for it in self._domains if not all(task.family for task in it.tasks)]
        if protocol.protocol == "rotation" and without:
            raise InvalidInput(
                "the protocol `rotation`", found=f"tasks of {without[0]} have no `family`", hint="Use `prequential`"
            )
        if protocol.merge:
            self._domains = (merged(self._domains, seed=protocol.seed),)
        if protocol.opaque:
            self._domains = tuple(hidden(it, share=protocol.opaque, seed=protocol.seed) for it in self._domains)
        self._arms, self.left_out = protocol.arms()
        neural = any(parse_arm(arm.retriever, arm.rule).wants_vector for arm in self._arms)
        self._encoder = encoder if neural else None
        self._cache = cache
        self._open_store = open_store
        self.encoder_name = "none" if self._encoder is None else self._encoder.name
        self._stated = {
            "encoder": self.encoder_name,
            "memories": protocol.memories,
            "corrupt": protocol.corrupt,
            "protocol": protocol.protocol,
            **({"opaque": protocol.opaque} if protocol.opaque else {}),
        }

    def parts(self) -> Iterator[Part]:
        for domain in self._domains:
            held = None if self._encoder is None else hold(self._encoder, _texts(domain), folder=self._cache)
            for arm in self._arms:
                replay = partial(replay_tasks, domain, arm, held, protocol=self.protocol, open_store=self._open_store)
                yield partial(_rows, replay, {**self._stated, "seed": self.protocol.seed})

    def inputs(self) -> dict[str, Any]:
        named = {f"{it.data}/{it.name}": it for it in self._domains}
        return {
            "domains": {name: {"file": it.digest, "catalogue": it.catalogue_digest} for name, it in named.items()},
            "agreement": {name: agreement_of(it, protocol=self.protocol) for name, it in named.items()},
        }

    def summarise(self, rows: Sequence[Row]) -> dict[str, Any]:
        seed = self.protocol.seed
        summary = summarise_discovery(rows, stated=self._stated, seed=seed)
        return summary | {"learning": learning(rows, seed=seed), "families": families(rows)}

    def report(self, summary: Row, manifest: Row) -> Iterator[str]:
        return discovery_report(summary, manifest)

    def draw(self, summary: Row, manifest: Row, *, rows: Sequence[Row], out: Path) -> None:  # noqa: ARG002
        if can_plot():
            plot_discovery(summary, manifest, out)


def _rows(replay: Callable[[], Iterator[Row]], stated: Row) -> list[dict[str, Any]]:
    return [{**row, **stated} for row in replay()]


def _texts(domain: StudyDomain) -> Iterator[str]:
    names = {item.id: item.name for item in domain.catalogue.objects}
    yield from (full_text(item, names.get(item.table or "")) for item in domain.catalogue.objects)
    yield from (normal_intent(task.intent) for task in domain.tasks)
    yield "expectations"
