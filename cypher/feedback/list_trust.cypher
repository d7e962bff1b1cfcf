// list_trust: the trust of each rule in a workspace
// mode: read
// workspace: string
// -> trust: list<[rule, lead, outcomes]>
MATCH (w:Workspace {name: $workspace})
RETURN COLLECT {
    MATCH (t:Trust {workspace: $workspace})
    RETURN [t.rule, t.lead, t.outcomes]
  } AS trust
