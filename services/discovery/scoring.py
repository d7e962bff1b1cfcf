"""What a retriever says of the objects that one answer weighs, before any memory is heard.

Which objects these are follows from the evidence; the blend's formula is in `blending`.
"""

from __future__ import annotations

import numpy as np

from services.discovery.blending import blend
from services.discovery.board import Board, Floats, lay_out, lay_out_plain
from services.discovery.evidence import Gathered, Inquiry


def board_and_scores(inquiry: Inquiry, gathered: Gathered) -> tuple[Board, Floats]:
    """The objects to weigh, and what the plan's retriever says of each."""
    registry, evidence, lexical = gathered.registry, gathered.evidence, gathered.lexical
    recalled = [item for memory in gathered.memories for item in memory.objects] if inquiry.recalls else []
    if inquiry.plan.blends:
        # What memories expected and nobody found, named or came near to can only lose: shares are never negative. It is
        # left out, two thirds of what would be on the board.
        named = registry.named(inquiry.intent)
        board = lay_out(registry, (*lexical.best.ids, *evidence.cosines.ids, *recalled, *named))
        parts = [board.column(lexical.best)]
        if inquiry.vector is not None:
            parts.append(board.column(evidence.cosines))
        return board, blend(board, parts, named=named)
    if inquiry.plan.retriever == "neural":
        board = lay_out_plain(registry, (*evidence.cosines.ids, *recalled))
        return board, np.maximum(board.column(evidence.cosines), 0)
    board = lay_out_plain(registry, (*lexical.best.ids, *recalled))
    return board, board.column(lexical.of(board.ids))
