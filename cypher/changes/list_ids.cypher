// list_ids: all ids of objects and intents, packed into one record
// mode: read
// workspace: string
// -> objects: list<string>          intents: list<string>
// -> settled: boolean, false while the latest write is seen in part
MATCH (w:Workspace {name: $workspace})
WITH w.objects AS object_count, w.intents AS intent_count
CALL () {
  MATCH (o:DataObject {workspace: $workspace})
  RETURN collect(o.id) AS objects
}
CALL () {
  MATCH (i:Intent {workspace: $workspace})
  RETURN collect(i.id) AS intents
}
RETURN objects, intents, size(objects) = object_count AND size(intents) = intent_count AS settled
