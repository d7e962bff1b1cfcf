"""Data objects over REST: import, list, read, remove."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import ConfigDict, Field, JsonValue

from api import listings
from api.forms.catalogue import (
    ImportReply,
    ObjectReply,
    ObjectsReply,
    RemovedReply,
    import_json,
    object_json,
    removed_json,
)
from api.limits import ITEMS, SOURCE_CHARACTERS
from api.rest.etags import check_current, is_any, tagged
from api.rest.hints import routed
from api.rest.idempotency import OnceOf
from api.rest.problems import replies
from api.rest.requests import Body, Cursor, Id, IfMatch, IfNoneMatch, Limit, ServicesOf, WorkspaceName
from graph.catalogue import DataObject, ObjectKind
from services.catalogue import read_catalogue

router = APIRouter(prefix="/v1/workspaces/{workspace:id}/objects", tags=["objects"])

EXAMPLE: dict[str, JsonValue] = {
    "objects": [
        {"id": "loan", "kind": "table", "name": "loan", "description": "Loans granted to accounts"},
        {"id": "loan.amount", "kind": "attribute", "table": "loan", "name": "amount", "data_type": "integer"},
        {"id": "loan.account_id", "kind": "attribute", "table": "loan", "name": "account_id"},
        {"id": "account", "kind": "table", "name": "account"},
        {"id": "account.id", "kind": "attribute", "table": "account", "name": "id"},
    ],
    "references": [["loan.account_id", "account.id"]],
}


class ImportBody(Body):
    """Tables and attributes with the references between them. Invalid items are reported one by one."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    objects: list[Any] = Field(
        default=[], max_length=ITEMS, description="id, kind, name, table, description, data_type"
    )
    references: list[Any] = Field(
        default=[], max_length=ITEMS, description="Pairs of attribute ids: the first refers to the second"
    )
    source: str = Field(
        default="rest", min_length=1, max_length=SOURCE_CHARACTERS, description="Where the objects come from"
    )
    prune: bool = Field(default=False, description="Mark the tables of this source that are missing here as gone")
    force: bool = Field(default=False, description="Prune even if more than half of them are missing")


@router.post("", responses=replies(ImportReply, 404, 409, 413))
def import_objects(workspace: WorkspaceName, body: ImportBody, services: ServicesOf, once: OnceOf) -> Response:
    """Import tables, attributes and references. Idempotent."""

    def act() -> tuple[int, ImportReply]:
        text = json.dumps({"objects": body.objects, "references": body.references})
        catalogue = read_catalogue(text, format="json", source=body.source)
        report = services.catalogue.import_catalogue(workspace, catalogue, prune=body.prune, force=body.force)
        reply = import_json(report)
        reply["degraded"] = [routed(reason) for reason in report.degraded]
        return 200, reply

    return once(workspace, act)


@router.get("", responses=replies(ObjectsReply, 404))
def list_objects(
    workspace: WorkspaceName,
    services: ServicesOf,
    kind: Annotated[ObjectKind | None, Query(description="Only tables, or only attributes.")] = None,
    q: Annotated[str | None, Query(min_length=1, max_length=400, description="Words that the object holds.")] = None,
    gone: Annotated[bool, Query(description="Those that are marked gone, instead of those that are live.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """List objects by id."""
    return JSONResponse(
        listings.list_objects(services, workspace, kind=kind, q=q, gone=gone, cursor=cursor, limit=limit)
    )


@router.get("/{object_id:id}", responses=replies(ObjectReply, 404, etag=True))
def show_object(
    workspace: WorkspaceName, object_id: Id, services: ServicesOf, if_none_match: IfNoneMatch = None
) -> Response:
    """Read an object."""
    return tagged(object_json(services.catalogue.show(workspace, object_id)), if_none_match=if_none_match)


@router.delete("/{object_id:id}", responses=replies(RemovedReply, 404, 409, 412))
def remove_object(workspace: WorkspaceName, object_id: Id, services: ServicesOf, if_match: IfMatch = None) -> Response:
    """Remove an object for good, a table with its attributes; memories that name them are suspended."""

    def check(item: DataObject) -> None:
        check_current(object_json(item), if_match=if_match)

    removed = services.catalogue.remove(workspace, [object_id], check=None if is_any(if_match) else check)
    return JSONResponse(removed_json(removed))
