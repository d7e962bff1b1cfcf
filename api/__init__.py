"""REST, the `retinue` command, the settings, and the composition root. No business rule is here."""
