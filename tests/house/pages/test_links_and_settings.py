"""Pages and container files name settings that exist, and link to files that are there."""

from __future__ import annotations

import re

from api.settings import VARIABLES
from kit.installation import CHECKOUT

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")


def test_every_setting_is_in_the_table() -> None:
    told = re.findall(r"^\| `(RETINUE_\w+)` \|", README, flags=re.MULTILINE)
    assert told == list(VARIABLES)


def test_links_lead_to_files_that_are_there() -> None:
    for name in ("README.md", *(str(path.relative_to(CHECKOUT)) for path in CHECKOUT.glob("docs/**/*.md"))):
        page = CHECKOUT / name
        for target in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{name} -> {target}"


def test_container_files_use_settings_that_exist() -> None:
    text = "".join((CHECKOUT / "docker" / name).read_text(encoding="utf-8") for name in ("Dockerfile", "compose.yaml"))
    assert set(re.findall(r"\bRETINUE_[A-Z0-9_]+", text)) <= set(VARIABLES)
