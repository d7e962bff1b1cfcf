"""The engines: discovery, learning, memories, catalogue import. No store and no door is built here."""
