"""Reply forms: the JSON of each reply, one module a noun, shared by every door."""
