"""Transcripts of agents: chat logs become steps, and the premises of each step are inferred from them.

Nothing here knows a query or a budget; `services.retention` decides what to keep.
"""
