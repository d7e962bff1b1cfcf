"""Hints as REST gives them: where an error or a note names a command, the route that does the same."""

import re

IN_WORKSPACE = "/v1/workspaces/{workspace}"
ROUTES: tuple[tuple[str, str], ...] = (
    (r"`retinue workspace create ([^`]+)`", r"PUT /v1/workspaces/\1"),
    ("`retinue workspace list`", "GET /v1/workspaces"),
    ("`retinue catalog list`", f"GET {IN_WORKSPACE}/objects"),
    ("`retinue catalog import`", f"POST {IN_WORKSPACE}/objects"),
    ("`retinue memory list`", f"GET {IN_WORKSPACE}/memories"),
    ("`retinue session list`", f"GET {IN_WORKSPACE}/sessions"),
    ("`retinue chunk add`", f"PUT {IN_WORKSPACE}/sessions/{{id}}"),
    ("`retinue doctor`", "GET /readyz"),
    ("`retinue reindex`", "the background refresh of the server"),
    (r"--force\b", '"force": true'),
)


def routed(text: str) -> str:
    """Return `text` with routes in place of commands."""
    for command, route in ROUTES:
        text = re.sub(command, route, text)
    return text
