// list_workspaces: all workspaces with their counts
// mode: read
// -> workspaces: list<map>
MATCH (w:Workspace)
CALL (w) {
  MATCH (o:DataObject {workspace: w.name})
  RETURN
    count(CASE WHEN NOT o.gone AND o.kind = 'table' THEN 1 END) AS tables,
    count(CASE WHEN NOT o.gone AND o.kind = 'attribute' THEN 1 END) AS attributes,
    count(CASE WHEN o.gone THEN 1 END) AS gone
}
RETURN collect({
  name: w.name,
  created_at: w.created_at,
  incarnation: w.incarnation,
  version: w.version,
  catalogue_version: w.catalogue_version,
  tables: tables,
  attributes: attributes,
  gone: gone,
  references: COUNT { MATCH (:DataObject {workspace: w.name})-[:REFERENCES]->() },
  memories: COUNT { MATCH (:Memory {workspace: w.name}) }
}) AS workspaces
