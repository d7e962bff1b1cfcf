// load_trust: stores the trust of rules as given, in place of what is stored
// mode: write, locked
// workspace: string          trust: list<map> of rule, lead and outcomes
// -> rules: integer
CALL (w) {
  UNWIND $trust AS row
  MERGE (t:Trust {workspace: $workspace, rule: row.rule})
  MERGE (t)-[:IN]->(w)
  SET t.lead = row.lead, t.outcomes = row.outcomes
  RETURN count(t) AS rules
}
RETURN rules
