"""Discovery: which data objects serve an intent, by the registry's score and by what memories correct in it."""
