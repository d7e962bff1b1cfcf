"""Markdown that the reports of all studies share. It computes nothing: all figures are those of a summary."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from services.studies.intervals import ALPHA


def heading(title: str, *, exploratory: bool) -> Iterator[str]:
    """Yield the title, and that the protocol was not fixed before the run where that is so."""
    yield from (f"# {title}", "")
    if exploratory:
        yield from ("**Exploratory: not run by a protocol that was fixed before.**", "")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield a table; columns whose header begins with `>` are aligned to the right."""
    yield f"| {' | '.join(name.removeprefix('>') for name in header)} |".replace("|  |", "| |")
    yield f"|{'|'.join('---:' if name.startswith('>') else '---' for name in header)}|"
    yield from (f"| {' | '.join(map(str, row))} |" for row in rows)


COMPARED = (">a - b", "95 %", "p (Holm)", "wins / ties / losses", "")


def comparison(it: Mapping[str, Any], *, digits: int) -> tuple[str, ...]:
    """Return the cells below `COMPARED` of one comparison."""
    outcome = "no difference shown" if it["p_holm"] > ALPHA else "better" if it["difference"] > 0 else "worse"
    return (
        f"{it['difference']:+.{digits}f}",
        f"{it['low']:+.{digits}f} to {it['high']:+.{digits}f}",
        f"{it['p']:.4f} ({it['p_holm']:.4f})",
        f"{it['wins']} / {it['ties']} / {it['losses']}",
        outcome,
    )
