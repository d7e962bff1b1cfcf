// show_objects: those of these objects that exist, gone ones too
// mode: read, kept plan
// workspace: string          ids: list<string>
// -> objects: list<map>
MATCH (:Workspace {name: $workspace})
CALL () {
  UNWIND $ids AS id
  MATCH (o:DataObject {workspace: $workspace, id: id})
    USING INDEX SEEK o:DataObject(workspace, id)
  RETURN collect(o {{object}}) AS objects
}
RETURN objects
