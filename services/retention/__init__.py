"""Retention: which chunks survive a token budget, with the premises they rest on.

Pure arithmetic on values and arrays; stores, doors and studies bring the chunks and name the results.
"""
