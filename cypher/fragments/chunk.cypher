// chunk: the properties of a chunk's node that make a `Chunk`
{.id, .text, .tokens, .kind, .role, .call_id, .pinned, .importance, .position, .archived_at}
