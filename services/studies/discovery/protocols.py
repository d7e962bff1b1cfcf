"""What a discovery study is to do: read from options or a TOML file, checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from graph.errors import InvalidInput
from services.discovery.arms import parse_arm
from services.studies.discovery.circumstances import Circumstances, StudyMemories, StudyTrust
from services.studies.discovery.replaying import StudyArm
from services.studies.options import read_options

Order = Literal["prequential", "rotation"]
HINT = "`retinue study discovery --help` says what there is"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryProtocol:
    """Empty `domain` is all of the data; empty `data` is the bundled domains."""

    data: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    retriever: tuple[str, ...] = ("blend",)
    rule: tuple[str, ...] = ("none", "eq1", "default")
    memories: StudyMemories = "all"
    corrupt: float = 0.0
    trust: StudyTrust = "fresh"
    seed: int = 0
    protocol: Order = "prequential"
    memory_retriever: str | None = None

    def arms(self) -> tuple[tuple[StudyArm, ...], tuple[str, ...]]:
        """The product of retrievers and rules, and in words those that do not exist."""
        arms, left_out = [], []
        for retriever in self.retriever:
            for rule in self.rule:
                try:
                    parse_arm(retriever, rule, memory_retriever=self.memory_retriever)
                    arms.append(StudyArm(retriever=retriever, rule=rule, memory_retriever=self.memory_retriever))
                except InvalidInput as error:
                    left_out.append(str(error))
        if not arms:
            raise InvalidInput("a study of no arm", found="; ".join(left_out), hint=HINT)
        return tuple(arms), tuple(left_out)

    @property
    def given(self) -> Circumstances:
        return Circumstances(memories=self.memories, corrupt=self.corrupt, trust=self.trust, seed=self.seed)


def make_protocol(options: Mapping[str, Any], *, file: Path | None) -> tuple[DiscoveryProtocol, str | None]:
    """The protocol of a file, if any, and over it the options that are not None; and the file's digest."""
    values, digest = read_options(DiscoveryProtocol, options, file=file, hint=HINT)
    made = DiscoveryProtocol(**values)
    for name, kinds in (("memories", StudyMemories), ("trust", StudyTrust), ("protocol", Order)):
        if getattr(made, name) not in get_args(kinds):
            raise InvalidInput(
                f"{name} {getattr(made, name)!r}", found="no such choice", hint=" or ".join(get_args(kinds))
            )
    if not 0 <= made.corrupt <= 1:
        raise InvalidInput(f"corrupt {made.corrupt}", found="no share", hint="Give a number from 0 to 1")
    return made, digest
