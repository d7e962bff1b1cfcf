// earn_trust: adds the outcome of a recorded discovery to the lead of each rule that it judges, at most once
// mode: write, locked
// workspace: string          discovery: string          gains: list<map> of rule and gain
// bound: float, a lead stays within -bound and bound
// -> counted: boolean
OPTIONAL MATCH (d:Discovery {workspace: $workspace, id: $discovery})
WITH w, d, coalesce(NOT d.judged, false) AS counted
SET d.judged = true
WITH w, counted
CALL (w, counted) {
  WITH w
  WHERE counted
  UNWIND $gains AS gain
  MERGE (t:Trust {workspace: $workspace, rule: gain.rule})
  ON CREATE SET t.lead = 0.0, t.outcomes = 0
  MERGE (t)-[:IN]->(w)
  WITH t, t.lead + gain.gain AS lead
  SET t.outcomes = t.outcomes + 1,
      t.lead = CASE WHEN lead > $bound THEN $bound WHEN lead < - $bound THEN - $bound ELSE lead END
  RETURN count(t) AS rules
}
RETURN counted
