"""Faults that somebody might well make, each with the tests that find it and the first tier that runs one of these.

A fault is other words in one place of the product. `tests/planted` plants each in a copy of the checkout and runs its
tests there, which must fail. The faults that random histories find are in `kit/histories/planted.py`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from kit.installation import CHECKOUT
from kit.tiers import Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`right` stands once in each of the `files` (a pattern from the checkout), and `wrong` takes its place."""

    what: str
    files: str
    right: str
    wrong: str
    tests: tuple[str, ...]
    tier: Tier = "check"

    @property
    def in_query(self) -> bool:
        return self.files.startswith("cypher/")

    def places(self) -> list[Path]:
        """The files that hold the right words, from the checkout."""
        found = [file for file in sorted(CHECKOUT.glob(self.files)) if self.right in file.read_text(encoding="utf-8")]
        return [file.relative_to(CHECKOUT) for file in found]


UNIT, CONTRACT, REST = "tests/unit", "tests/contract", "tests/doors/rest"

FAULTS: dict[int, Fault] = {
    1: Fault(
        what="Eq. 1 with half its memory",
        files="services/discovery/*.py",
        right="total=memories.terms)",
        wrong="total=0.5 * memories.terms)",
        tests=(f"{UNIT}/discovery/test_core.py", f"{CONTRACT}/discovery/test_equation_one.py"),
    ),
    2: Fault(
        what="every memory is borne out",
        files="services/discovery/*.py",
        right="np.linalg.solve(kernel + np.diag(penalty / weight), asked)",
        wrong="np.linalg.solve(kernel + np.diag(penalty / confidence), asked)",
        tests=(f"{UNIT}/discovery/test_core.py",),
    ),
    3: Fault(
        what="memories never bear each other out",
        files="services/discovery/*.py",
        right="alone[doubted] = np.maximum(alone[doubted], agreed)",
        wrong="pass",
        tests=(f"{UNIT}/discovery/test_core.py",),
    ),
    4: Fault(
        what="the default policy of retention without words",
        files="services/retention/*.py",
        right="0.5 * (case.cosines + case.words())",
        wrong="case.cosines",
        tests=(f"{UNIT}/retention", "tests/house/pages/test_retention_page.py"),
        tier="test",
    ),
    5: Fault(
        what="Cypher: liveness runs with the factor of one hop before",
        files="cypher/premises/live_set.cypher",
        right="$factors[hop - 1] * waves[hop][place]",
        wrong="$factors[hop - 1] * waves[hop - 1][place]",
        tests=(f"{CONTRACT}/sessions/test_live_set.py",),
        tier="test",
    ),
    6: Fault(
        what="Cypher: paths from the roots are followed twice as far as was asked",
        files="cypher/premises/live_set.cypher",
        right="hop IN range(1, $depth) |",
        wrong="hop IN range(1, 2 * $depth) |",
        tests=(f"{CONTRACT}/sessions/test_live_set.py",),
        tier="test",
    ),
    7: Fault(
        what="SQL: of names alike but for case, or twice in a derived table, the first wins",
        files="services/learning/*.py",
        right="return chosen[0] if all(ids == chosen[0] for ids in chosen) else",
        wrong="return chosen[0] if chosen else",
        tests=(f"{UNIT}/learning/test_resolve.py",),
    ),
    8: Fault(
        what="SQL: a common table expression is read as a table",
        files="services/learning/*.py",
        right="named[fold_name(cte.alias)] = renamed(relation, columns)",
        wrong="renamed(relation, columns)",
        tests=(f"{UNIT}/learning/test_resolve.py",),
    ),
    9: Fault(
        what="a commit is acknowledged before it is on the disk",
        files="graph/embedded/*.py",
        right="PRAGMA synchronous = FULL",
        wrong="PRAGMA synchronous = OFF",
        tests=(f"{UNIT}/embedded/test_files.py",),
    ),
    10: Fault(
        what="tombstones of the journal are swept at once, so that other processes keep what was deleted",
        files="graph/embedded/*.py",
        right="(self._seen - LAG,)",
        wrong="(self._seen,)",
        tests=(f"{UNIT}/embedded/test_sharing.py",),
    ),
    11: Fault(
        what="what was forgotten stays in free pages of the file",
        files="graph/embedded/*.py",
        right="PRAGMA secure_delete = ON",
        wrong="PRAGMA secure_delete = OFF",
        tests=(f"{UNIT}/embedded/test_files.py",),
    ),
    12: Fault(
        what="a key that may read only adds chunks",
        files="api/rest/middleware/*.py",
        right='parts[0] == "sessions" and parts[2] == "retain"',
        wrong='parts[0] == "sessions" and parts[2] in ("retain", "chunks")',
        tests=(f"{REST}/test_access.py", f"{REST}/test_sessions.py"),
        tier="test",
    ),
    13: Fault(
        what="a key that may read only applies `retain`",
        files="api/rest/*.py",
        right="if body.apply and not may_write:",
        wrong="if False:",
        tests=(f"{REST}/test_access.py", f"{REST}/test_sessions.py"),
        tier="test",
    ),
    14: Fault(
        what="an export writes the weight 1 for each premise",
        files="services/transfer/*.py",
        right="kinds.PREMISE.row(each,",
        wrong='kinds.PREMISE.row(__import__("dataclasses").replace(each, weight=1.0),',
        tests=(f"{UNIT}/transfer", f"{CONTRACT}/sessions/test_moving_sessions.py", f"{CONTRACT}/transfer"),
    ),
    15: Fault(
        what="Cypher: suspended memories count",
        files="cypher/fragments/evidence_memories.cypher",
        right="AND NOT m.suspended AND (size",
        wrong="AND (size",
        tests=(f"{CONTRACT}/discovery/test_evidence.py", f"{CONTRACT}/memories/test_suspension.py"),
        tier="test",
    ),
    16: Fault(
        what="Cypher at size: objects of other workspaces are found",
        files="cypher/evidence/evidence_2026.cypher",
        right="WHERE o.workspace = $workspace AND o.embedding_model = $model AND o.gone = false",
        wrong="WHERE o.embedding_model = $model AND o.gone = false",
        tests=(f"{UNIT}/neo4j/test_store.py",),
        tier="test",
    ),
    17: Fault(
        what="Cypher: Eq. 1's term counts twice",
        files="cypher/fragments/evidence_memories.cypher",
        right="sum(m.share) AS term",
        wrong="2 * sum(m.share) AS term",
        tests=(f"{CONTRACT}/discovery/test_evidence.py",),
        tier="test",
    ),
    18: Fault(
        what="trust grows without bound",
        files="graph/embedded/*.py",
        right="max(-bound, min(bound, held.lead + gain))",
        wrong="held.lead + gain",
        tests=(f"{CONTRACT}/feedback/test_trust.py",),
    ),
    19: Fault(
        what="memories that are not used never age",
        files="graph/embedded/*.py",
        right="own * 2.0 ** (-idle / IDLE_HALF_LIFE_DAYS)",
        wrong="own * 2.0 ** (-0 * idle / IDLE_HALF_LIFE_DAYS)",
        tests=(f"{CONTRACT}/discovery/test_evidence.py",),
    ),
    20: Fault(
        what="no warning of a missing premise under the default policy",
        files="services/retention/*.py",
        right="edges = edges[dependencies.beliefs[edges] >= RELIED_ON]",
        wrong="edges = edges[:0]",
        tests=(f"{UNIT}/retention/test_retaining.py",),
    ),
    21: Fault(
        what="literals of statements are kept",
        files="services/learning/*.py",
        right="            written = TEXT\n",
        wrong="            pass\n",
        tests=(f"{UNIT}/learning/test_masking.py",),
    ),
    22: Fault(
        what="the gap in a trace has the wrong sign",
        files="services/retention/*.py",
        right="float(choice.scores[leaders[place]]) - score",
        wrong="score - float(choice.scores[leaders[place]])",
        tests=(f"{UNIT}/retention/test_retaining.py",),
    ),
    23: Fault(
        what="intervals of 50 % are shown for 95 %",
        files="services/studies/*.py",
        right="LEVEL = 0.95",
        wrong="LEVEL = 0.5",
        tests=(f"{UNIT}/studies/test_intervals.py",),
        tier="test",
    ),
    24: Fault(
        what="SQL: of a column that several tables have, the first table's wins",
        files="services/learning/*.py",
        right="return hits[0] if all(hit == hits[0] for hit in hits) else",
        wrong="return hits[0] if hits else",
        tests=(f"{UNIT}/learning/test_resolve.py",),
    ),
}

QUIET = ("-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:schemathesis")
COPIED = (
    "api",
    "services",
    "graph",
    "cypher",
    "tests",
    "docs",
    "benchmarks",
    "pyproject.toml",
    "README.md",
    "Makefile",
)


def plant(fault: Fault, folder: Path) -> Path:
    """A copy of the checkout with the fault in it."""
    for name in COPIED:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    for place in fault.places():
        text = (folder / place).read_text(encoding="utf-8")
        (folder / place).write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
    return folder


def failing(fault: Fault, checkout: Path, **environ: str) -> list[str]:
    """The tests of the fault that fail in a checkout; those that cannot even be read are none."""
    options = [*QUIET, "--tier", fault.tier, *(["-k", "neo4j_26"] if fault.in_query else [])]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, *fault.tests],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout), **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [line.split()[1] for line in done.stdout.splitlines() if line.startswith("FAILED ")]
