"""Studies of retention: policies over scenarios and budgets, summarised and plotted."""
