"""The domain: its values, its errors, the ports by noun, and the two back ends behind them.

No scoring rule and no door belongs here.
"""
