"""Metrics for Prometheus: requests and their time by method, route and status, and writes that failed.

Labels are bounded: routes are templates, and no workspace, id or key is ever a label.
"""

import time
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.best_effort import failed_writes

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class FailedWrites(Collector):
    """The best-effort writes of this process that failed."""

    def collect(self) -> Iterator[CounterMetricFamily]:
        family = CounterMetricFamily("retinue_writes_failed", "Best-effort writes that failed.", labels=["write"])
        for write, count in failed_writes().items():
            family.add_metric([write], count)
        yield family


class Measures:
    """The metrics of one application, in a registry of its own: two applications in a process do not add up."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "retinue_http_requests", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "retinue_http_request_seconds",
            "Time to answer.",
            ["method", "route"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self.degraded = Counter(
            "retinue_discoveries_degraded", "Discoveries with an entry in `degraded`.", registry=self.registry
        )
        self.refreshed = Counter(
            "retinue_refreshed", "Expectations and embeddings made in the background.", registry=self.registry
        )
        self.registry.register(FailedWrites())

    def text(self) -> bytes:
        return generate_latest(self.registry)


class Measured:
    """Count and time each request."""

    def __init__(self, app: ASGIApp, *, measures: Measures) -> None:
        self.app = app
        self.measures = measures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = 500
        shared = {**scope, "measured": {}}  # the route writes its path template into it
        started = time.perf_counter()

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(shared, receive, watch)
        finally:
            method = scope["method"] if scope["method"] in METHODS else "other"
            route = shared["measured"].get("route", "other")
            self.measures.requests.labels(method, route, str(status)).inc()
            self.measures.seconds.labels(method, route).observe(time.perf_counter() - started)
