"""Studies: protocols, runs over tasks, measures, intervals and reports; all arms go through the services themselves."""
