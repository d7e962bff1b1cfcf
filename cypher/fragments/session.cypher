// session: the properties of a session's node that make a `Session`
{
  .id, .incarnation, .created_at, .version, .added, .chunks, .tokens, .archived, .premises, .tombstones
}
