"""`/docs`: the routes with their examples, on one page that needs no network. `/openapi.json` is the whole truth."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

router = APIRouter(include_in_schema=False)

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733 }
summary { cursor: pointer; padding: .3rem 0 } pre { background: #f3f5f7; padding: .7rem; overflow: auto }
code { font: 13px/1.4 ui-monospace, monospace } b { display: inline-block; width: 4.5rem }
td { padding: .1rem .8rem .1rem 0 }
@media (prefers-color-scheme: dark) { body { background: #14191f; color: #d8dee5 } pre { background: #1f262e } }
"""


@router.get("/docs")
def show_docs(request: Request) -> HTMLResponse:
    """The page, made from the same description that `/openapi.json` shows."""
    schema = request.app.openapi()
    rows = [
        _operation(path, method, operation, schema["components"]["schemas"])
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    ]
    return HTMLResponse(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Retinue</title><style>{STYLE}</style>"
        "<h1>Retinue</h1><p>Show a key as <code>X-API-Key</code> or <code>Authorization: Bearer</code> where the "
        "server asks for one. Errors are <code>application/problem+json</code>. The machine's version of this page is "
        f"<a href=/openapi.json>/openapi.json</a>.</p>{''.join(rows)}</html>"
    )


def _operation(path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    parameters = "".join(
        f"<tr><td><code>{escape(p['name'])}</code><td>{escape(p['in'])}<td>{escape(p.get('description', ''))}"
        for p in operation.get("parameters", ())
    )
    replies = ", ".join(sorted(operation["responses"]))
    return (
        f"<details><summary><b>{method.upper()}</b><code>{escape(path)}</code></summary>"
        f"<p>{escape(operation.get('description', ''))}</p><table>{parameters}</table>"
        f"{_example(operation, schemas)}<p>Replies: {replies}</p></details>"
    )


def _example(operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return ""
    body = schemas[content["schema"]["$ref"].rsplit("/", 1)[1]]
    example = json.dumps(body["examples"][0], indent=2, ensure_ascii=False)
    return f"<pre><code>{escape(example)}</code></pre>"
