// join_paths: the references within three steps of these tables: paths of up to six between any two of them
// mode: read
// workspace: string          tables: list<string>
// -> joints: list<[table, table, column, column]>, the third refers to the fourth
MATCH (:Workspace {name: $workspace})
CALL () {
  UNWIND $tables AS id
  MATCH (t:DataObject:Table {workspace: $workspace, id: id})
  WHERE NOT t.gone
  RETURN collect(t) AS frontier
}
WITH frontier, frontier AS seen
// A path may pass a column twice, into a table and out of it again, so that each step is matched by itself.
{{join_step}}
WITH more AS joints, [u IN reached WHERE NOT u IN seen] AS frontier, seen + reached AS seen
{{join_step}}
WITH joints + more AS joints, [u IN reached WHERE NOT u IN seen] AS frontier
{{join_step}}
RETURN joints + more AS joints
