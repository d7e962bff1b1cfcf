// kept_plan: keeps the plan when counts change; also where `mode:` says `kept plan`
// A server would plan an import again every ten seconds, for seconds each time. Such a query must name the index of
// each node that it looks up, with USING INDEX SEEK: it may be planned over an empty database (docs/decisions, 9).
CYPHER replan=skip
