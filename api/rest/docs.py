"""`/docs`: the routes with examples, as one page without external resources, made from `/openapi.json`."""

import json
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

router = APIRouter(include_in_schema=False)

OPEN = ("/discover", "/learn")  # the routes shown unfolded

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733 }
summary { cursor: pointer; padding: .3rem 0 } pre { background: #f3f5f7; padding: .7rem; overflow: auto }
code { font: 13px/1.4 ui-monospace, monospace } b { display: inline-block; width: 4.5rem }
summary span { margin-left: .8rem; opacity: .75 } details[open] { padding-bottom: .8rem } h4 { margin: .6rem 0 .2rem }
td, th { padding: .1rem .8rem .1rem 0; text-align: left; vertical-align: top } th { font-weight: normal; opacity: .6 }
@media (prefers-color-scheme: dark) { body { background: #14191f; color: #d8dee5 } pre { background: #1f262e } }
"""


@router.get("/docs")
def show_docs(request: Request) -> HTMLResponse:
    schema = request.app.openapi()
    rows = [
        _operation(path, method, operation, schema["components"]["schemas"])
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    ]
    return HTMLResponse(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Retinue</title><link rel=icon href='data:,'>"
        f"<style>{STYLE}</style>"
        "<h1>Retinue</h1><p>Send a key as <code>X-API-Key</code> or <code>Authorization: Bearer</code> where the "
        "server requires one. Errors are <code>application/problem+json</code>. For programs: "
        f"<a href=/openapi.json>/openapi.json</a>.</p>{''.join(rows)}</html>"
    )


def _operation(path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    what = operation.get("description", "")
    first, _, rest = what.partition("\n\n")
    parameters = "".join(
        _row(p["name"], _type(p["schema"]), p["required"], f"{p['in']}: {p.get('description', '')}".rstrip(": "))
        for p in operation.get("parameters", ())
    )
    body = _named(operation.get("requestBody", {}), schemas)
    reply: dict[str, Any] = next((r for status, r in operation["responses"].items() if status.startswith("2")), {})
    shown = reply.get("content", {}).get("application/json", {}).get("example")
    examples = _example("Request", *body.get("examples", ())[:1]) + _example("Reply", shown)
    return (
        f"<details{' open' if path.endswith(OPEN) else ''}><summary><b>{method.upper()}</b><code>{escape(path)}</code>"
        f"<span>{escape(first)}</span></summary>{f'<p>{escape(rest)}</p>' if rest else ''}"
        f"{_table('Parameters', parameters)}{_table('Body', _fields(body))}"
        f"{examples}<p>Replies: {', '.join(sorted(operation['responses']))}</p></details>"
    )


def _named(part: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the named JSON schema of a body, an empty one if there is none."""
    schema = part.get("content", {}).get("application/json", {}).get("schema", {})
    found: dict[str, Any] = schemas.get(schema.get("$ref", "").rsplit("/", 1)[-1], {})
    return found


def _fields(body: dict[str, Any]) -> str:
    required = body.get("required", ())
    return "".join(
        _row(name, _type(field), name in required, _said(field)) for name, field in body.get("properties", {}).items()
    )


def _said(field: dict[str, Any]) -> str:
    default = f"default {json.dumps(field['default'])}" if field.get("default") not in (None, "") else ""
    return "; ".join(part for part in (field.get("description", "").rstrip("."), default) if part)


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[-1])
    if "enum" in schema or "const" in schema:
        return ", ".join(map(str, schema.get("enum", [schema.get("const")])))
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if "items" in schema else "list"
    return str(schema.get("type", "any"))


def _row(name: str, kind: str, needed: object, said: str) -> str:
    return f"<tr><td><code>{escape(name)}</code><td>{escape(kind)}<td>{'required' if needed else ''}<td>{escape(said)}"


def _table(title: str, rows: str) -> str:
    if not rows:
        return ""
    head = "<tr><th>name<th>type<th><th>what it is"
    return f"<h4>{title}</h4><table>{head}{rows}</table>"


def _example(title: str, example: object = None) -> str:
    if example is None:
        return ""
    return f"<h4>{title}</h4><pre><code>{escape(json.dumps(example, indent=2, ensure_ascii=False))}</code></pre>"
