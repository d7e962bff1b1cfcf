// remove_objects: deletes objects, a table with its attributes, and suspends the memories that found them
// mode: write, locked, kept plan
// workspace: string          version: integer or null, that of the transaction's first batch
// ids: list<string>
// incarnation: string or null          seen: integer or null, the version that the catalogue must be at
// -> current: boolean, false where it is at another one          base: integer, to be given to the next batch
// -> ids: list<string>          memories: list<string>, suspended by this
WITH
  w,
  coalesce($version, w.version + 1) AS version,
  $seen IS NULL OR (w.incarnation = $incarnation AND w.catalogue_version = $seen) AS current
CALL (current) {
  CALL (current) {
    UNWIND CASE WHEN current THEN $ids ELSE [] END AS id
    MATCH (o:DataObject {workspace: $workspace, id: id})
      USING INDEX SEEK o:DataObject(workspace, id)
    RETURN o
    UNION
    UNWIND CASE WHEN current THEN $ids ELSE [] END AS id
    MATCH (t:DataObject {workspace: $workspace, id: id})-[:HAS_ATTRIBUTE]->(o:DataObject)
      USING INDEX SEEK t:DataObject(workspace, id)
    RETURN o
  }
  RETURN collect(o) AS objects
}
WITH w, version, current, objects, [o IN objects | o.id] AS ids
CALL (version, objects, ids) {
  UNWIND objects AS o
  MATCH (o)<-[:FOUND]-(m:Memory)
  WITH DISTINCT version, ids, m, m.suspended AS was
  SET
    m.missing = [id IN m.objects WHERE id IN m.missing OR id IN ids],
    m.suspended = true,
    m.version = version
  RETURN collect(CASE WHEN NOT was THEN m.id END) AS memories
}
FOREACH (o IN objects | DETACH DELETE o)
FOREACH (x IN CASE WHEN size(ids) > 0 THEN [w] ELSE [] END |
  SET
    x.written = CASE WHEN x.version = version THEN x.written ELSE 0 END,
    x.objects = x.objects - size(ids),
    x.version = version,
    x.catalogue_version = version,
    x.removed_version = version
)
RETURN current, version AS base, ids, memories
