// create_workspace: creates a workspace where there is none of this name; an existing one counts as created at the
// earliest instant given
// mode: write
// workspace: string          incarnation: string, of this call alone          at: datetime
// -> created: boolean          leaving: boolean, an earlier one of this name is still being deleted
// -> incarnation: string          version: integer          catalogue_version: integer          created_at: datetime
MERGE (w:Workspace {name: $workspace})
ON CREATE SET
  w.workspace = $workspace,
  w.incarnation = $incarnation,
  w.created_at = $at,
  w.version = 0,
  w.catalogue_version = 0,
  w.removed_version = 0,
  w.written = 0,
  w.objects = 0,
  w.intents = 0
FOREACH (x IN CASE WHEN $at < w.created_at THEN [w] ELSE [] END | SET x.created_at = $at)
// Asked after MERGE: only then is it certain that no deletion of the name is under way.
RETURN
  w.incarnation = $incarnation AS created,
  EXISTS { MATCH (:Leaving {name: $workspace}) } AS leaving,
  w.incarnation AS incarnation,
  w.version AS version,
  w.catalogue_version AS catalogue_version,
  w.created_at AS created_at
