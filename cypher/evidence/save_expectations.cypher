// save_expectations: keeps one batch of expectations, where catalogue and memories are still those they were made for
// mode: write, locked, kept plan
// workspace: string          incarnation: string          catalogue_version: integer          form: string
// rows: list<map>, memory, the first objects with their scores, support, packed: all objects and scores in one text
// -> kept: integer
CALL (w) {
  WITH w
  WHERE w.incarnation = $incarnation AND w.catalogue_version = $catalogue_version
  UNWIND $rows AS row
  MATCH (m:Memory {workspace: $workspace, id: row.memory})
    USING INDEX SEEK m:Memory(workspace, id)
  CALL (m) {
    MATCH (m)-[old:EXPECTED]->()
    DELETE old
  }
  // Relationships are for people, the first few; an answer reads what ten memories expect, from one text each.
  SET
    m.support = row.support,
    m.expected = row.packed,
    m.expected_at = $catalogue_version,
    m.expected_form = $form
  WITH m, row
  CALL (m, row) {
    UNWIND range(0, size(row.objects) - 1) AS rank
    MATCH (o:DataObject {workspace: $workspace, id: row.objects[rank]})
      USING INDEX SEEK o:DataObject(workspace, id)
    CREATE (m)-[:EXPECTED {score: row.scores[rank], rank: rank}]->(o)
  }
  RETURN count(m) AS kept
}
RETURN kept
