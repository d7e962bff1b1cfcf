"""Retention: which chunks survive a token budget, with the premises that they need.

Pure arithmetic on values and arrays; stores, doors and studies bring the chunks and name the results.
"""
