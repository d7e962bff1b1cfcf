// join_step: the references between columns of the tables in `frontier` and of others, and those other tables
CALL (frontier) {
  UNWIND frontier AS t
  MATCH (t)-[:HAS_ATTRIBUTE]->(c:Attribute)-[r:REFERENCES]-(d:Attribute)<-[:HAS_ATTRIBUTE]-(u:Table)
  WHERE u <> t AND NOT c.gone AND NOT d.gone AND NOT u.gone
  RETURN collect([t.id, u.id, startNode(r).id, endNode(r).id]) AS more, collect(DISTINCT u) AS reached
}
