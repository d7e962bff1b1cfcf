// show_stamp: the state of a workspace's graph
// mode: read
// workspace: string
// -> incarnation: string          version: integer          catalogue_version: integer
MATCH (w:Workspace {name: $workspace})
RETURN w.incarnation AS incarnation, w.version AS version, w.catalogue_version AS catalogue_version
