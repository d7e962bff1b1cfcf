// The live set of a session: its roots are the chunks that say a word, and everything that they rest on.
//
//   :param workspace => 'default'
//   :param session => 'monday'
//   :param word => 'order'
MATCH (root:Chunk {workspace: $workspace, session: $session, archived: false})
WHERE toLower(root.text) CONTAINS toLower($word)
MATCH path = (root)-[:PREMISE*0..8]->(:Chunk {archived: false})
RETURN path
LIMIT 300
