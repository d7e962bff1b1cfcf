// chunk: the properties of a chunk's node that make a `Chunk`
{.id, .text, .tokens, .pinned, .importance, .position, .archived_at}
