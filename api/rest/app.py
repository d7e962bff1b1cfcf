"""The REST application: its routers, and the middleware in the order that a request passes it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.concurrency import run_in_threadpool

from api.keys import Keys
from api.limits import BODY_BYTES
from api.rest import discovery, docs, graph, health, learning, memories, objects, problems, sessions, trust, workspaces
from api.rest.middleware.access import Access
from api.rest.middleware.body_limit import BoundedBodies
from api.rest.middleware.head_requests import Heads
from api.rest.middleware.metrics import Measured, Measures
from api.rest.middleware.paths import Segments
from api.rest.refreshing import Refresher
from api.rest.requests import known
from api.wiring import Services

ROOMS = (workspaces, objects, discovery, learning, memories, sessions, trust, graph, health)


def create_app(
    services: Services,
    keys: Keys | None = None,
    *,
    loopback_only: bool = False,
    body_limit_bytes: int = BODY_BYTES,
    refresh: bool = True,
) -> FastAPI:
    """Return the application over `services`. Without `keys` it has no access control."""
    measures = Measures()
    app = FastAPI(
        title="Retinue",
        version=version("retinue"),
        redirect_slashes=False,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan(services, measures) if refresh else None,
    )
    app.state.services = services
    app.state.measures = measures
    for room in ROOMS:
        app.include_router(room.router, dependencies=[Depends(known)])
    app.include_router(docs.router)
    problems.install(app)
    # the last one added sees a request first
    app.add_middleware(BoundedBodies, limit_bytes=body_limit_bytes)
    app.add_middleware(Access, keys=keys, loopback_only=loopback_only)
    app.add_middleware(Segments)
    app.add_middleware(Heads)
    app.add_middleware(Measured, measures=measures)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]  # FastAPI's own way to change it
    return app


def _lifespan(services: Services, measures: Measures) -> Any:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        refresher = Refresher(services, measures=measures)
        refresher.start()
        yield
        await run_in_threadpool(refresher.stop)

    return lifespan


def _openapi(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, with the schema of problems and the two ways to send a key."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, summary="Knowledge for data agents", routes=app.routes
        )
        components = schema.setdefault("components", {})
        components["schemas"] = {
            **components.get("schemas", {}),
            "Problem": problems.Problem.model_json_schema(ref_template="#/components/schemas/{model}"),
        }
        components["schemas"]["Fault"] = components["schemas"]["Problem"].pop("$defs")["Fault"]
        components["securitySchemes"] = {
            "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            "bearer": {"type": "http", "scheme": "bearer"},
        }
        schema["security"] = [{}, {"key": []}, {"bearer": []}]
        app.openapi_schema = schema
    return app.openapi_schema
