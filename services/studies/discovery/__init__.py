"""Studies of discovery: arms replayed over tasks, summarised and plotted."""
