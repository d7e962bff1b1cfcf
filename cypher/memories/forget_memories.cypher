// forget_memories: deletes memories, and intents without another memory
// mode: write, locked, kept plan
// workspace: string          version: integer or null, that of the transaction's first batch
// ids: list<string>          revision: integer or null
// -> base: integer, to be given to the next batch          forgotten: list<string>
WITH w, coalesce($version, w.version + 1) AS version
CALL () {
  UNWIND $ids AS id
  MATCH (m:Memory {workspace: $workspace, id: id})-[:FOR]->(i:Intent)
    USING INDEX SEEK m:Memory(workspace, id)
  WHERE $revision IS NULL OR m.revision = $revision
  WITH m, m.id AS forgotten, i
  DETACH DELETE m
  RETURN collect(forgotten) AS forgotten, collect(DISTINCT i) AS intents
}
CALL (intents) {
  UNWIND intents AS i
  WITH i
  WHERE NOT EXISTS { (i)<-[:FOR]-() }
  DETACH DELETE i
  RETURN count(i) AS orphans
}
FOREACH (x IN CASE WHEN size(forgotten) > 0 THEN [w] ELSE [] END |
  SET
    x.written = CASE WHEN x.version = version THEN x.written ELSE 0 END,
    x.intents = x.intents - orphans,
    x.removed_version = CASE WHEN orphans > 0 THEN version ELSE x.removed_version END,
    x.version = version
)
RETURN version AS base, forgotten
