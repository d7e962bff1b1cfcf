"""The query files: one Cypher statement a file, loaded by `graph.neo4j.queries`.

No code belongs here; the package exists so that the files load from an installed wheel.
"""
