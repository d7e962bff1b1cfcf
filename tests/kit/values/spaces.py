"""A workspace as a REST client sees it: the few calls that most tests at the door begin with.

What is under test is always said by the test itself; here are only the words for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

Json = dict[str, Any]


def table(name: str, description: str = "", /, **columns: str) -> list[Json]:
    """A table and its columns (name=description) in the catalogue's JSON form; ids are the names, joined by a dot."""
    made: list[Json] = [{"id": name, "kind": "table", "name": name, "description": description}]
    for column, said in columns.items():
        made.append({"id": f"{name}.{column}", "kind": "attribute", "table": name, "name": column, "description": said})
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """One workspace behind one client."""

    client: httpx2.Client
    name: str

    def call(self, method: str, path: str, **options: Any) -> httpx2.Response:
        return self.client.request(method, f"/v1/workspaces/{self.name}{path}", **options)

    def done(self, method: str, path: str, **options: Any) -> Any:
        """The reply's JSON (None where there is none) to a call that must succeed."""
        reply = self.call(method, path, **options)
        assert reply.is_success, f"{method} {path}: {reply.status_code} {reply.text}"
        return reply.json() if reply.content else None

    def create(self) -> Space:
        self.done("PUT", "")
        return self

    def load(self, *tables: list[Json], references: Sequence[Sequence[str]] = (), **more: Any) -> Json:
        body = {"objects": [entry for each in tables for entry in each], "references": list(references), **more}
        report: Json = self.done("POST", "/objects", json=body)
        return report

    def found(self, intent: str, **options: Any) -> list[str]:
        """The ids that `discover` answers with, best first."""
        return [hit["id"] for hit in self.answer(intent, **options)["results"]]

    def answer(self, intent: str, **options: Any) -> Json:
        given: Json = self.done("POST", "/discover", json={"intent": intent, **options})
        return given

    def remember(self, intent: str, *objects: str) -> Json:
        body = {"intent": intent, "objects": list(objects), "evidence": {"kind": "confirmed"}}
        kept: Json = self.done("POST", "/memories", json=body)
        return kept

    def memories(self) -> list[Json]:
        return self.walk("/memories")

    def objects(self, **params: Any) -> list[str]:
        return [entry["id"] for entry in self.walk("/objects", **params)]

    def walk(self, path: str, *, limit: int = 100, **params: Any) -> list[Json]:
        """All pages of a listing."""
        entries: list[Json] = []
        cursor: str | None = None
        while True:
            given = {"limit": limit, **params, **({"cursor": cursor} if cursor else {})}
            page = self.done("GET", path, params=given)
            entries += page[path.strip("/")]
            cursor = page["next_cursor"]
            if cursor is None:
                return entries
