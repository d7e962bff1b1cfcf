"""Lexical search over numpy arrays: raw counts that are kept by deltas, and the weights derived from them."""
