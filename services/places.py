"""Names of files as sources: the full path, so that two files of one name are two sources.

The home folder is written `~`, so that names do not identify the user.
"""

from pathlib import Path


def place_of(path: Path) -> str:
    """Return the absolute path, resolved, with the home folder as `~`."""
    full = path.absolute().resolve()
    try:
        return (Path("~") / full.relative_to(Path.home().resolve())).as_posix()
    except (ValueError, RuntimeError):  # outside the home folder, or there is none
        return full.as_posix()
