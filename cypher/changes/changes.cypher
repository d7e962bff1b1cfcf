// changes: objects, references and intents written after a version, packed into one record
// mode: read
// workspace: string          since: integer
// -> incarnation: string          version: integer          catalogue_version: integer          removed: boolean
// -> objects: list<list>          references: list<[id, id]> or null          intents: list<[id, text]>
// -> settled: boolean, false while the latest write is seen in part
MATCH (w:Workspace {name: $workspace})
WITH
  w,
  w.incarnation AS incarnation,
  w.version AS version,
  w.catalogue_version AS catalogue_version,
  w.removed_version > $since AS removed,
  w.written AS written
CALL (version) {
  MATCH (o:DataObject {workspace: $workspace})
    USING INDEX SEEK o:DataObject(workspace, version)
  WHERE o.version > $since
  RETURN
    collect([o.id, o.kind, o.name, o.description, o.table, o.data_type, o.source, o.gone, o.folded]) AS objects,
    count(CASE WHEN o.version = version THEN 1 END) AS objects_written
}
CALL (version) {
  MATCH (i:Intent {workspace: $workspace})
    USING INDEX SEEK i:Intent(workspace, version)
  WHERE i.version > $since
  // An intent all of whose memories lost their FOUND by hand would still count in the weights of words.
  WITH
    i, version,
    EXISTS {
      (i)<-[:FOR]-(m:Memory)
      WHERE m.suspended OR size(m.objects) = 0 OR EXISTS { (m)-[:FOUND]->() }
    } AS is_served
  RETURN
    collect(CASE WHEN is_served THEN [i.id, i.text] END) AS intents,
    count(CASE WHEN i.version = version THEN 1 END) AS intents_written
}
CALL (catalogue_version) {
  // In the key: a WHERE before it would be tested on all that was found.
  WITH CASE WHEN catalogue_version > $since THEN $workspace END AS workspace
  MATCH (a:DataObject {workspace: workspace})-[:REFERENCES]->(b)
    USING INDEX SEEK a:DataObject(workspace)
  RETURN collect([a.id, b.id]) AS pairs
}
RETURN
  incarnation,
  version,
  catalogue_version,
  removed,
  objects,
  CASE WHEN catalogue_version > $since THEN pairs END AS references,
  intents,
  // A reader may see a commit in part: the workspace's node says how many nodes carry its version.
  version <= $since OR objects_written + intents_written = written AS settled
