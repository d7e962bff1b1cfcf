// lock: takes the workspace's lock, so that its writers take turns; also where `mode:` says `locked`
// Versions are then total and there is nothing to deadlock over. The label is asked for again after the wait: a
// workspace that was deleted meanwhile is not found.
MATCH (w:Workspace {name: $workspace})
SET w.locked = true
REMOVE w.locked
WITH w
WHERE w:Workspace
