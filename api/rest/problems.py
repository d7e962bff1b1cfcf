"""Errors as `application/problem+json` (RFC 9457): the one translation of the REST API.

The `type` of a problem is stable, for programs; `detail` and `hint` are for people.
"""

import logging
import re
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from api.rest.hints import routed
from graph import errors
from graph.errors import RetinueError

log = logging.getLogger("retinue.rest")

TYPE = "urn:retinue:problem:"
MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 2
MANY = 1_000  # a list that may be as long as this can be sent in several calls
AS_JSON = "Send one JSON value in UTF-8, with the header content-type: application/json"

STATUS: dict[type[RetinueError], int] = {
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.InvalidInput: 422,
    errors.NotAllowed: 403,
    errors.Unauthenticated: 401,
    errors.StoreUnavailable: 503,
    errors.SourceUnavailable: 503,
    errors.SchemaMismatch: 503,
    errors.EncoderUnavailable: 503,
}


class Fault(BaseModel):
    """An invalid part of the request."""

    where: str
    what: str


class Problem(BaseModel):
    """What went wrong, and what to do about it."""

    type: str = Field(examples=[TYPE + "not-found"])
    title: str
    status: int
    detail: str
    hint: str
    errors: list[Fault] | None = None


def declared(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problem responses of a route, as OpenAPI declares them; 401, 403, 422 and 503 can come from any."""
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {MEDIA_TYPE: schema}}
        for status in sorted({*statuses, 401, 403, 422, 503})
    }


def replies(
    form: object, *statuses: int, created: bool = False, etag: bool = False, example: object = None
) -> dict[int | str, dict[str, Any]]:
    """The responses of a route that sends the TypedDict `form`, and the problems of `declared`."""
    sent: dict[str, Any] = {"model": form}
    if example is not None:
        sent["content"] = {"application/json": {"example": example}}
    found: dict[int | str, dict[str, Any]] = {200: sent}
    if created:
        found[201] = {"model": form}
    if etag:
        found[304] = {"description": "Not changed: `If-None-Match` names its ETag"}
    return found | declared(*statuses)


def problem(
    slug: str, *, status: int, title: str, detail: str, hint: str, faults: list[dict[str, str]] | None = None
) -> JSONResponse:
    body: dict[str, Any] = {"type": TYPE + slug, "title": title, "status": status, "detail": detail, "hint": hint}
    if faults is not None:
        body["errors"] = faults
    headers = {}
    if status == 503:
        headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="retinue"'
    return JSONResponse(body, status_code=status, headers=headers, media_type=MEDIA_TYPE)


def invalid(detail: str, *, hint: str, faults: list[dict[str, str]] | None = None) -> JSONResponse:
    title = "The input cannot be used as it is."
    return problem("invalid-input", status=422, title=title, detail=detail, hint=hint, faults=faults)


def problem_of(error: RetinueError, *, method: str = "GET", conditional: bool = False) -> JSONResponse:
    status = next((STATUS[cls] for cls in type(error).__mro__ if cls in STATUS), 500)
    if isinstance(error, errors.StaleRevision) and conditional:
        status = 412
    elif isinstance(error, errors.UnknownObjects) and method in ("POST", "PATCH"):
        status = 422  # objects named in a body and unknown make that body invalid
    return problem(
        error.slug,
        status=status,
        title=(type(error).__doc__ or "").split("\n")[0],
        detail=f"{error.asked}: {error.found}",
        hint=routed(error.hint),
    )


def install(app: FastAPI) -> None:
    app.add_exception_handler(RetinueError, _ours)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _fault)


def _ours(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RetinueError)
    answer = problem_of(error, method=request.method, conditional="if-match" in request.headers)
    # errors of the caller are no event for the operator
    level = logging.ERROR if answer.status_code >= 500 else logging.INFO
    log.log(level, "%s %s: %s", request.method, request.url.path, error)
    if answer.status_code == 409:
        answer.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return answer


def _validation(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults = [_fault_of(entry) for entry in error.errors()]
    # FastAPI parses a body only if its content type is JSON
    unread = request.scope.get("has_body") and "json" not in request.headers.get("content-type", "")
    known = _in_parts(error) or f"See /docs for what {request.method} {_template(request)} takes"
    detail = "; ".join(f"{fault['where']}: {fault['what']}" for fault in faults[:5])
    return invalid(detail, hint=AS_JSON if unread else known, faults=faults[:100])


def _in_parts(error: RequestValidationError) -> str | None:
    """Return the hint for a body whose only fault is a list too long for one call."""
    match error.errors():
        case [{"type": "too_long", "loc": ("body", _), "ctx": {"field_type": "List", "max_length": most}}] if (
            most >= MANY
        ):
            return f"Send them in parts of at most {most:,}: the calls are additive"
        case _:
            return None


def _fault_of(entry: Any) -> dict[str, str]:
    where = ".".join(str(part) for part in entry["loc"])
    what = entry["msg"]
    if entry["type"] == "extra_forbidden":
        what = "no such field here"
        if "workspace" in where:
            what += "; the workspace is named in the path: /v1/workspaces/{workspace}/..."
    # without the value: it may be a secret, or not encodable as JSON
    return {"where": _printable(where), "what": _printable(what)}


def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    # a body that cannot be decoded is invalid input, as any other
    status = 422 if error.status_code == 400 else error.status_code
    phrase = HTTPStatus(status).phrase
    slugs = {404: "not-found", 422: "invalid-input"}
    hints = {
        404: "See /docs for the paths there are; ids are percent-encoded in one segment, and no path ends in a slash",
        405: "See /docs for the methods of this path",
        422: AS_JSON,
    }
    answer = problem(
        slugs.get(status, phrase.lower().replace(" ", "-")),
        status=status,
        title=phrase,
        detail=str(error.detail),
        hint=hints.get(status, "See /docs"),
    )
    answer.headers.update(error.headers or {})
    if status == 405:
        answer.headers["Allow"] = ", ".join(sorted(_methods(request)))
    return answer


def _methods(request: Request) -> set[str]:
    """Return the methods of all routes with this path; the router itself only looks at the first."""
    methods: dict[int, set[str]] = {}
    for path, operations in request.app.openapi()["paths"].items():
        literal = re.split(r"\{[^}]*\}", path)
        if re.fullmatch("[^/]+".join(re.escape(part) for part in literal), request.scope["path"]):
            methods.setdefault(len(literal), set()).update(method.upper() for method in operations)
    found = methods[min(methods)]  # a literal path comes before one with parameters
    return found | {"HEAD"} if "GET" in found else found


def _fault(request: Request, error: Exception) -> JSONResponse:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return problem(
        "fault",
        status=500,
        title="An internal error.",
        detail="The request could not be answered; the details are in the log of the server only",
        hint="Look into the log of the server, and report it",
    )


def _template(request: Request) -> str:
    return str(getattr(request.scope.get("route"), "path_format", request.url.path))


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
