// add_chunks: adds new chunks at the end of a session, in the order given
// mode: write, locked, kept plan
// workspace: string          session: string
// chunks: list<map> of properties and a digest, ids distinct
// -> session: map or null          became: list<[id, string]>, in the order given
{{find_session}}
CALL (s) {
  UNWIND CASE WHEN s IS NULL THEN [] ELSE $chunks END AS row
  OPTIONAL MATCH (c:Chunk {workspace: $workspace, session: $session, id: row.properties.id})
    USING INDEX SEEK c:Chunk(workspace, session, id)
  OPTIONAL MATCH (t:Tombstone {workspace: $workspace, session: $session, chunk: row.properties.id})
    USING INDEX SEEK t:Tombstone(workspace, session, chunk)
  RETURN collect({
    row: row,
    chunk: c,
    became: CASE
      WHEN c.text <> row.properties.text THEN 'conflict'
      WHEN c.archived THEN 'archived'
      WHEN c IS NULL AND t.digest IN [row.digest, ''] THEN 'buried'
      WHEN c IS NULL THEN 'added'
      WHEN all(key IN keys(row.properties) WHERE coalesce(
        c[key] = row.properties[key], c[key] IS NULL AND row.properties[key] IS NULL
      )) THEN 'unchanged'
      ELSE 'updated'
    END
  }) AS found
}
WITH
  s,
  found,
  [each IN found WHERE each.became = 'added' | each.row] AS fresh,
  [each IN found WHERE each.became = 'updated'] AS changed
CALL (s, fresh) {
  UNWIND range(0, size(fresh) - 1) AS place
  WITH s, place, fresh[place] AS row
  CREATE (s)-[:CONTAINS]->(c:Chunk {
    workspace: $workspace, session: $session, id: row.properties.id, position: s.added + place, archived: false
  })
  SET c += row.properties
  RETURN count(c) AS added, coalesce(sum(c.tokens), 0) AS added_tokens
}
CALL (changed) {
  UNWIND changed AS each
  WITH each.chunk AS c, each.row.properties AS properties, each.chunk.tokens AS before
  SET c += properties
  RETURN coalesce(sum(properties.tokens - before), 0) AS more_tokens
}
FOREACH (x IN CASE WHEN added + size(changed) > 0 THEN [s] ELSE [] END |
  SET
    x.added = x.added + added,
    x.chunks = x.chunks + added,
    x.tokens = x.tokens + added_tokens + more_tokens,
    x.revision = CASE WHEN size(changed) > 0 THEN x.version + 1 ELSE x.revision END,
    x.version = x.version + 1
)
RETURN
  s {{session}} AS session,
  [each IN found | [each.row.properties.id, each.became]] AS became
