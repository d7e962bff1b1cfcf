// Memories that wait for objects to come back, with what they miss.
//
//   :param workspace => 'default'
MATCH (m:Memory {workspace: $workspace, suspended: true})
RETURN m.intent AS intent, m.missing AS missing, m.objects AS objects, m.successes AS successes
ORDER BY successes DESC, m.sort_key
LIMIT 100
