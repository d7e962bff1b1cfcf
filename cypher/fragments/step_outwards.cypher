// step_outwards: adds to `shown` the neighbours of `frontier`, the first by label and id up to `$limit`, while `steps`
// are left; those added are the next frontier, and none where the limit cut them
CALL (shown, frontier, steps) {
  UNWIND CASE WHEN steps > 0 THEN frontier ELSE [] END AS n
  MATCH (n)-[:HAS_ATTRIBUTE|REFERENCES|FOR|FOUND|EXPECTED]-(other)
  WHERE NOT other IN shown
  WITH DISTINCT
    other,
    CASE WHEN other:DataObject THEN 1 WHEN other:Intent THEN 2 ELSE 3 END AS label,
    other.sort_key AS sort_key
  ORDER BY label, sort_key
  LIMIT $limit + 1
  RETURN collect(other) AS step
}
WITH
  there,
  shown + step[0..$limit - size(shown)] AS shown,
  CASE WHEN size(shown) + size(step) > $limit THEN [] ELSE step END AS frontier,
  truncated OR size(shown) + size(step) > $limit AS truncated,
  steps - 1 AS steps
