"""Where a file is, as a name that stays the same however the file is called: two files of one name are two sources.

The home folder is written `~`, so that a name tells nobody whose machine it was.
"""

from __future__ import annotations

from pathlib import Path


def place_of(path: Path) -> str:
    """The absolute path, without `..`, its home folder as `~`."""
    full = path.absolute().resolve()
    try:
        return (Path("~") / full.relative_to(Path.home().resolve())).as_posix()
    except (ValueError, RuntimeError):  # elsewhere, or nobody's home
        return full.as_posix()
