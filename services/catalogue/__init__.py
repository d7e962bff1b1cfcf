"""The catalogue: reading what describes tables and columns, and importing it item by item.

Readers know forms (JSON, SQL DDL), the import knows the store; neither knows a door.
"""
