"""From raw rows of a study of logs to its summary: what is held by policy, share and domain, with bounds."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from services.studies.intervals import bounds, compare, resampled_means, with_holm
from services.studies.running import Row

CHOSEN = ("default", "coverage")
MACRO = "macro"


def summarise_logs(rows: Sequence[Row], *, seed: int) -> dict[str, Any]:
    """Return `rows` by data, domain (`macro`: the mean over domains), policy and share, and `comparisons` of CHOSEN
    with every other policy. A session counts once, by the mean over its points; sessions are drawn within domains."""
    summary: dict[str, Any] = {"rows": [], "comparisons": []}
    policies = list(dict.fromkeys(row["policy"] for row in rows))
    for data, share in dict.fromkeys((row["data"], row["share"]) for row in rows):
        own = [row for row in rows if (row["data"], row["share"]) == (data, share)]
        domains = list(dict.fromkeys(row["domain"] for row in own))
        values = {domain: _by_session([row for row in own if row["domain"] == domain], policies) for domain in domains}
        drawn = {
            domain: resampled_means(held, seed=[seed, *f"{data}/{domain}/{share}".encode()])
            for domain, held in values.items()
        }
        torn = {name: sum(row["torn"] for row in own if row["policy"] == name) for name in policies}
        groups = {domain: [domain] for domain in domains} | ({MACRO: domains} if len(domains) > 1 else {})
        compared = []
        for group, members in groups.items():
            means = np.mean([drawn[domain] for domain in members], axis=0)
            held = np.mean([values[domain].mean(axis=0) for domain in members], axis=0)
            stated = {"data": data, "domain": group, "share": share}
            for place, policy in enumerate(policies):
                low, high = bounds(means[:, place])
                summary["rows"].append(
                    {
                        **stated, "policy": policy, "held": float(held[place]), "low": low, "high": high,
                        "n": sum(len(values[domain]) for domain in members),
                        **({"torn": torn[policy]} if group in (MACRO, *domains[: len(groups) == 1]) else {}),
                    }
                )  # fmt: skip
            for a in CHOSEN:
                for b in policies:
                    if a in policies and a != b and not (b in CHOSEN and b == CHOSEN[0]):
                        one, two = policies.index(a), policies.index(b)
                        gains = [values[domain][:, one] - values[domain][:, two] for domain in members]
                        compared.append({**stated, "a": a, "b": b, **compare(gains, means[:, one] - means[:, two])})
        summary["comparisons"] += with_holm(compared, names=("domain", "a", "b"))
    return summary


def _by_session(rows: Sequence[Row], policies: Sequence[str]) -> Any:
    """Sessions by policies: the mean over the points of each session."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        found.setdefault(row["session"], {}).setdefault(row["policy"], []).append(row["held"])
    return np.array([[np.mean(own[policy]) for policy in policies] for own in found.values()])
