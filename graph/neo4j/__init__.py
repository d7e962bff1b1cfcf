"""The Neo4j back end, the only place that speaks to the driver.

`graph.neo4j.store.open_store` opens it; `graph.ports` says what it keeps.
"""
