// list_objects: a page of objects, by id
// mode: read
// workspace: string          after: string, a sort key          limit: integer
// kind: string or null          source: string or null          gone: boolean or null
// containing: list<string>          tables: list<string> or null
// -> objects: list<map>
MATCH (:Workspace {name: $workspace})
CALL () {
  CALL () {
    // In the key: a WHERE before it would be tested on all that was found.
    MATCH (o:DataObject {workspace: CASE WHEN $tables IS NULL THEN $workspace END})
    WHERE o.sort_key > $after
      AND ($kind IS NULL OR o.kind = $kind)
      AND ($source IS NULL OR o.source = $source)
      AND ($gone IS NULL OR o.gone = $gone)
      AND all(part IN $containing WHERE o.folded CONTAINS part)
    RETURN o
    ORDER BY o.workspace, o.sort_key
    LIMIT $limit
    UNION ALL
    UNWIND coalesce($tables, []) AS id
    MATCH (:DataObject {workspace: $workspace, id: id})-[:HAS_ATTRIBUTE]->(o)
    WHERE o.sort_key > $after
      AND ($kind IS NULL OR o.kind = $kind)
      AND ($source IS NULL OR o.source = $source)
      AND ($gone IS NULL OR o.gone = $gone)
      AND all(part IN $containing WHERE o.folded CONTAINS part)
    RETURN o
    ORDER BY o.sort_key
    LIMIT $limit
  }
  RETURN collect(o {{object}}) AS objects
}
RETURN objects
