"""B, the registry's own score: what the catalogue alone says of each candidate.

Pure arithmetic on arrays; the formula is "the correction rule" of the design, and nothing here was fitted to data.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from graph.evidence import LEXICAL_LIMIT
from services.discovery.candidates import Candidates, Floats

SHARPNESS = 3  # s^3: what is half as good as the best counts an eighth
KEY_GAIN = 0.4  # a key both of whose tables look needed is needed too: +.01 F1@5 on Spider


def blend(candidates: Candidates, parts: Sequence[Floats], *, named: Iterable[str] = ()) -> Floats:
    """B from lexical cosines and, where there is an encoder, the cosines of embeddings; 0 throughout if all are 0.

    Objects that the question names exactly score as the best: shorter texts would pass them otherwise, in one of
    twelve questions that are a column's name and nothing else.
    """
    s = np.mean([_counted(part) for part in parts], axis=0)
    s = _to_one(lift(candidates, s))
    b = s**SHARPNESS
    gain = np.zeros(len(b))
    column, table, other_column, other_table = candidates.keys.T
    joined = KEY_GAIN * s[table] * s[other_table]
    np.maximum.at(gain, column, joined)
    np.maximum.at(gain, other_column, joined)
    b = lift(candidates, b + gain)
    (itself,) = candidates.marked([tuple(named)])
    return lift(candidates, np.maximum(b, itself * b.max(initial=1.0)))


def lift(candidates: Candidates, scores: Floats) -> Floats:
    """A table's score is at least its best column's: a used column implies its table."""
    lifted = scores.copy()
    np.maximum.at(lifted, candidates.table, scores)
    return lifted


def _counted(part: Floats) -> Floats:
    """Negatives 0, only the best LEXICAL_LIMIT counted (ties by id, which is the order of rows), the best is 1."""
    counted = np.zeros(len(part))
    best = np.argsort(-part, kind="stable")[:LEXICAL_LIMIT]
    counted[best] = np.maximum(part[best], 0)
    return _to_one(counted)


def _to_one(scores: Floats) -> Floats:
    most = scores.max(initial=0.0)
    return scores / most if most > 0 else scores
