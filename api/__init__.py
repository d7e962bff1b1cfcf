"""The doors: REST, the `retinue` command, settings, and the one wiring place. No rule is decided here."""
