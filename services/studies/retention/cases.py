"""The scenarios of a retention study: read from files and folders, or generated where no data is given."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from graph.errors import InvalidInput, NotFound
from services.studies.retention.protocol import RetentionProtocol
from services.studies.retention.scenario_files import Suite, read_item, read_scenarios
from services.studies.retention.scenarios import Variant, as_item, make_scenario
from services.studies.retention.suites import DEFAULT_SUITES, SCENARIO_SWEEPS, SUITES


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
