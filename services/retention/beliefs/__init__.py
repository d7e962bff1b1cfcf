"""Beliefs in premises: how likely a stated or inferred premise is true, from terms and definitions."""
