"""Logs of agents: chat lines become steps, and what each step rests on is read off them.

What is then kept of a session belongs to the rest of `retention`; nothing here sees a query or a budget.
"""
