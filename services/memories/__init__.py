"""Memories: which data objects served which intent, and what outcomes have made of that.

The rules of states are pure; the service applies them under other people's writes.
"""
