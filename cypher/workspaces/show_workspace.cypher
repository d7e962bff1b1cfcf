// show_workspace: the workspace with its stamp and its counts
// mode: read
// workspace: string
// -> name: string          created_at: datetime
// -> incarnation: string          version: integer          catalogue_version: integer
// -> tables: integer          attributes: integer          gone: integer
// -> references: integer          memories: integer
MATCH (w:Workspace {name: $workspace})
CALL () {
  MATCH (o:DataObject {workspace: $workspace})
  RETURN
    count(CASE WHEN NOT o.gone AND o.kind = 'table' THEN 1 END) AS tables,
    count(CASE WHEN NOT o.gone AND o.kind = 'attribute' THEN 1 END) AS attributes,
    count(CASE WHEN o.gone THEN 1 END) AS gone
}
RETURN
  w.name AS name,
  w.created_at AS created_at,
  w.incarnation AS incarnation,
  w.version AS version,
  w.catalogue_version AS catalogue_version,
  tables,
  attributes,
  gone,
  COUNT { MATCH (:DataObject {workspace: $workspace})-[:REFERENCES]->() } AS references,
  COUNT { MATCH (:Memory {workspace: $workspace}) } AS memories
