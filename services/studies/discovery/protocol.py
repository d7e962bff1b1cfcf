"""The protocol of a discovery study: which tasks, arms and memories, checked before anything runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from graph.errors import InvalidInput
from services.discovery.arms import parse_arm
from services.studies.protocol import read_protocol

StudyMemories = Literal["all", "wrong"]
StudyTrust = Literal["fresh", "earned", "held"]
Order = Literal["prequential", "rotation", "repeats"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyArm:
    """A retriever with a rule and its parameters; `memory_retriever` where the similarity of intents is another's."""

    retriever: str
    rule: str
    memory_retriever: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryProtocol:
    """Empty `domain` is all of the data; empty `data` is the bundled domains.

    `memories`: with `wrong` a task meets only the memories that share no attribute with what it needs. `corrupt` is the
    share of memories whose objects are exchanged for others of the catalogue.

    `trust`, with wrong memories: `fresh`, each outcome earns or loses it from the first task on. `earned`: first all
    tasks are asked with their true memories, and the trust earned so is what the wrong ones then meet and lose.
    `held`, the hardest: outcomes go on to be those of true memories, and each question alone meets wrong ones.

    `merge` joins all domains into one catalogue. `opaque` is the share of tables and columns whose names become codes
    and whose descriptions go. `protocol`: with `repeats` distinct questions are each confirmed, then all asked again.
    """

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
    merge: bool = False
    opaque: float = 0.0

    def arms(self) -> tuple[tuple[StudyArm, ...], tuple[str, ...]]:
        """Return the product of retrievers and rules, and in words the combinations that do not exist."""
        arms, left_out = [], []
        for retriever in self.retriever:
            for rule in self.rule:
                try:
                    parse_arm(retriever, rule, memory_retriever=self.memory_retriever)
                    arms.append(StudyArm(retriever=retriever, rule=rule, memory_retriever=self.memory_retriever))
                except InvalidInput as error:
                    left_out.append(str(error))
        if not arms:
            hint = "`retinue study discovery --help` lists the options"
            raise InvalidInput("a study of no arm", found="; ".join(left_out), hint=hint)
        return tuple(arms), tuple(left_out)


def make_discovery_protocol(options: Mapping[str, Any], *, file: Path | None) -> tuple[DiscoveryProtocol, str | None]:
    """Make the protocol from a file and the options; returns it and the file's digest. Raises `InvalidInput`."""
    made, digest = read_protocol(DiscoveryProtocol, options, file=file, command="discovery")
    for name, kinds in (("memories", StudyMemories), ("trust", StudyTrust), ("protocol", Order)):
        if getattr(made, name) not in get_args(kinds):
            raise InvalidInput(
                f"{name} {getattr(made, name)!r}", found="no such choice", hint=" or ".join(get_args(kinds))
            )
    for name, share in (("corrupt", made.corrupt), ("opaque", made.opaque)):
        if not 0 <= share <= 1:
            raise InvalidInput(f"{name} {share}", found="no share", hint="Give a number from 0 to 1")
    return made, digest
