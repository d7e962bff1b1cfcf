"""Feedback: outcomes of recorded answers, applied to rules and to memories."""
