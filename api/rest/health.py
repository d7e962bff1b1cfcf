"""Liveness, readiness and metrics of the server."""

from dataclasses import replace
from typing import cast

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from api.forms.health import AliveReply, HealthReply, health_json
from api.rest.middleware.metrics import Measures
from api.rest.problems import RETRY_AFTER_SECONDS
from api.rest.requests import ServicesOf

router = APIRouter(tags=["health"])


@router.get("/healthz", responses={200: {"model": AliveReply}})
def show_health() -> Response:
    """Say that the server is alive."""
    return JSONResponse({"status": "alive"})


@router.get("/readyz", responses={200: {"model": HealthReply}, 503: {"model": HealthReply}})
def show_readiness(services: ServicesOf) -> Response:
    """Say whether the store is reachable, its schema current, its indexes online."""
    health = services.store.health()
    headers = {} if health.ready else {"Retry-After": str(RETRY_AFTER_SECONDS)}
    kind = health.store.partition("://")[0]  # callers need no key here, and do not learn where the store is
    problems = tuple(said.replace(health.store, kind) for said in health.problems)
    shown = health_json(replace(health, store=kind, problems=problems))
    return JSONResponse(shown, status_code=200 if health.ready else 503, headers=headers)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def show_metrics(request: Request) -> Response:
    """Show the metrics in the text format of Prometheus."""
    measures = cast(Measures, request.app.state.measures)
    return Response(measures.text(), media_type=measures.content_type)
