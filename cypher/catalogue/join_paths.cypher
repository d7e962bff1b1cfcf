// join_paths: the references within three steps of these tables: paths of up to six between any two of them
// mode: read
// workspace: string          tables: list<string>
// -> joints: list<[table, table, column, column]>, the third refers to the fourth
MATCH (:Workspace {name: $workspace})
CALL () {
  UNWIND $tables AS id
  MATCH (t:DataObject:Table {workspace: $workspace, id: id})
  WHERE NOT t.gone
  RETURN collect(t) AS frontier
}
WITH frontier, frontier AS seen
// A path may pass a column twice, into a table and out of it again, so that each step is matched by itself.
CALL (frontier) {
  UNWIND frontier AS t
  MATCH (t)-[:HAS_ATTRIBUTE]->(c:Attribute)-[r:REFERENCES]-(d:Attribute)<-[:HAS_ATTRIBUTE]-(u:Table)
  WHERE u <> t AND NOT c.gone AND NOT d.gone AND NOT u.gone
  RETURN collect([t.id, u.id, startNode(r).id, endNode(r).id]) AS joints, collect(DISTINCT u) AS reached
}
WITH joints, [u IN reached WHERE NOT u IN seen] AS frontier, seen + reached AS seen
CALL (frontier) {
  UNWIND frontier AS t
  MATCH (t)-[:HAS_ATTRIBUTE]->(c:Attribute)-[r:REFERENCES]-(d:Attribute)<-[:HAS_ATTRIBUTE]-(u:Table)
  WHERE u <> t AND NOT c.gone AND NOT d.gone AND NOT u.gone
  RETURN collect([t.id, u.id, startNode(r).id, endNode(r).id]) AS more, collect(DISTINCT u) AS reached
}
WITH joints + more AS joints, [u IN reached WHERE NOT u IN seen] AS frontier
CALL (frontier) {
  UNWIND frontier AS t
  MATCH (t)-[:HAS_ATTRIBUTE]->(c:Attribute)-[r:REFERENCES]-(d:Attribute)<-[:HAS_ATTRIBUTE]-(u:Table)
  WHERE u <> t AND NOT c.gone AND NOT d.gone AND NOT u.gone
  RETURN collect([t.id, u.id, startNode(r).id, endNode(r).id]) AS more
}
RETURN joints + more AS joints
