"""Simulated logs of agents with known truth, by which inference of premises is fitted and measured; no product code."""
