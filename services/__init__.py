"""The engines: catalogue, discovery, learning, memories, feedback, sessions, retention, transcripts, transfer, studies.

Stores and doors are built in `api.wiring`, not here.
"""
