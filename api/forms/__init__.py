"""Reply forms: a TypedDict and its maker for each reply, one module a noun, shared by every door."""
