"""What the routes share: the services, types of parameters, and the check for unknown ones.

A query parameter or body that a route does not take is refused: a misspelt filter must not mean no filter.
"""

from typing import Annotated, cast, get_args, get_origin

from fastapi import Depends, Header, Path, Query, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field

from api.limits import DISCOVERY_CHARACTERS, ID_CHARACTERS, INTENT_CHARACTERS, PAGE
from api.wiring import Services
from graph.errors import InvalidInput


class Body(BaseModel):
    """A request body: unknown fields are refused, and values of another type are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


# Both are async though they await nothing: FastAPI would run each in a thread otherwise, for every request.
async def services_of(request: Request) -> Services:
    return cast(Services, request.app.state.services)


async def known(request: Request) -> None:
    """Refuse parameters and bodies that the route does not take, and note the route for the metrics."""
    route = request.scope["route"]
    assert isinstance(route, APIRoute)
    request.scope["measured"]["route"] = route.path_format
    fields = _query_fields(route.dependant)
    taken = sorted(fields)
    for name in request.query_params:
        if name not in taken:
            place = "it is part of the path, /v1/workspaces/{workspace}/..." if "workspace" in name else None
            raise InvalidInput(
                f"query parameter {name!r} of {request.method} {route.path_format}",
                found="no such parameter",
                hint=place or (f"It takes {', '.join(taken)}" if taken else "It takes none"),
            )
    for name in taken:
        if len(request.query_params.getlist(name)) > 1 and not _is_list(fields[name]):
            raise InvalidInput(f"query parameter {name!r}", found="given more than once", hint="Give it once")
    if route.body_field is None and request.scope["has_body"]:
        raise InvalidInput(
            f"{request.method} {route.path_format}", found="a body came with it", hint="Send it without a body"
        )


def _query_fields(dependant: Dependant) -> dict[str, object]:
    """Return the annotation of each query parameter by name."""
    found: dict[str, object] = {field.alias: field.field_info.annotation for field in dependant.query_params}
    for inner in dependant.dependencies:
        found |= _query_fields(inner)
    return found


def _is_list(annotation: object) -> bool:
    return any(get_origin(each) is list for each in (annotation, *get_args(annotation)))


Intent = Annotated[str, Field(min_length=1, max_length=INTENT_CHARACTERS, description="What to find out, in words")]
GivenId = Annotated[str, Field(min_length=1, max_length=ID_CHARACTERS)]
DiscoveryId = Annotated[str | None, Field(max_length=DISCOVERY_CHARACTERS)]
ServicesOf = Annotated[Services, Depends(services_of)]
WorkspaceName = Annotated[
    str, Path(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$", description="The workspace's name.", examples=["default"])
]
Id = Annotated[str, Path(min_length=1, max_length=ID_CHARACTERS, description="An id, percent-encoded in one segment.")]
Limit = Annotated[int, Query(ge=1, le=PAGE, description="How many at most.")]
Cursor = Annotated[str | None, Query(max_length=4_000, description="`next_cursor` of the page before.")]
IfMatch = Annotated[str | None, Header(description="The ETag that the change was made from; 412 where it is stale.")]
IfNoneMatch = Annotated[str | None, Header(description="An ETag; 304 where it is still the current one.")]
