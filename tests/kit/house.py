"""What syntax trees say of the product: its modules, what each imports, which classes and stretches there are twice."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from kit.installation import CHECKOUT

PRODUCT = ("api", "services", "graph", "cypher")


@dataclass(frozen=True)
class Module:
    """A module of the product, read once."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def name(self) -> str:
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def package(self) -> str:
        return self.name if self.path.endswith("__init__.py") else self.name.rpartition(".")[0]


def modules() -> dict[str, Module]:
    """The product's modules by their dotted names."""
    files = sorted(file for room in PRODUCT for file in (CHECKOUT / room).rglob("*.py"))
    made = [Module(str(file.relative_to(CHECKOUT)), file.read_text(encoding="utf-8")) for file in files]
    return {module.name: module for module in made}


def imports(module: Module, known: dict[str, Module]) -> set[str]:
    """The product's modules that this one imports when it runs, wherever in its text."""
    found: set[str] = set()
    for node in _running(module.tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = module.package.split(".")[: -(node.level - 1) or None] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                found.add(inner if inner in known else source)
    return {name for name in found if name in known} - {module.name}


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node, but for what only type checkers read."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _running(node)


def names(module: Module) -> set[str]:
    """Every name that its code uses or imports."""
    found: set[str] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            found.add(node.value)  # an annotation in quotes
    return found


def classes(known: dict[str, Module]) -> dict[str, list[str]]:
    """Class name -> the modules that define one of this name."""
    found: dict[str, list[str]] = defaultdict(list)
    for module in known.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module.path)
    return found


@dataclass(frozen=True, order=True)
class Line:
    """A line of code with its place; `text` is without comments and margins."""

    path: str
    number: int
    text: str


def code(module: Module) -> list[Line]:
    """The lines that do something: no comments, docstrings, imports, signatures or names in brackets alone."""
    left_out: set[int] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            left_out.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            left_out.update(range(node.lineno, node.body[0].lineno))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                left_out.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    found = []
    for number, line in enumerate(module.text.splitlines(), start=1):
        text = line.strip()
        if text and number not in left_out and not text.startswith("#") and not text.startswith("@"):
            found.append(Line(module.path, number, re.sub(r"\s+#\s.*", "", text)))
    return found


def twice(known: dict[str, Module], *, more_than: int) -> list[str]:
    """Stretches of more than so many equal lines at two places, each named once by where both begin."""
    size = more_than + 1
    seen: dict[tuple[str, ...], tuple[Line, ...]] = {}
    pairs: list[tuple[Line, Line]] = []
    for module in known.values():
        lines = code(module)
        for at in range(len(lines) - size + 1):
            stretch = tuple(lines[at : at + size])
            key = tuple(line.text for line in stretch)
            if (first := seen.setdefault(key, stretch)) != stretch:
                pairs.append((first[0], stretch[0]))
    starts = pairs[:1] + [after for before, after in pairwise(pairs) if not _follows(before, after)]
    return [f"{one.path}:{one.number} = {other.path}:{other.number}" for one, other in starts]


def _follows(before: tuple[Line, Line], after: tuple[Line, Line]) -> bool:
    return all(
        one.path == next_.path and 0 < next_.number - one.number <= 9 for one, next_ in zip(before, after, strict=True)
    )


def texts() -> dict[str, str]:
    """Path -> text of the product's Python and Cypher, bundled data aside."""
    files = (file for room in PRODUCT for file in (CHECKOUT / room).rglob("*") if file.suffix in {".py", ".cypher"})
    return {str(file.relative_to(CHECKOUT)): file.read_text(encoding="utf-8") for file in sorted(files)}


def kept_words(glossary: Path = CHECKOUT / "docs" / "glossary.md") -> set[str]:
    """The words of the glossary's first column: ours, which stay."""
    if not glossary.is_file():
        return set()
    return set(re.findall(r"^\| *\**`?([\w ]+?)`?\** *\|", glossary.read_text(encoding="utf-8"), flags=re.MULTILINE))
