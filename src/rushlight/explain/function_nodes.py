"""What the nodes of custom Functions keep, which their own ``forward`` says: no line of the table tells it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..autograd.function import BackwardCFunction
from ..autograd.nodes import Node
from ..tensor import Tensor
from .entries import Entry

if TYPE_CHECKING:
    from .recording import Recording


def kept_by_function(recording: Recording, node: Node) -> list[Entry]:
    """What was given to ``save_for_backward``; of a result, which has no entry yet, that it is one."""
    kept: list[Entry] = []
    saved: Iterable[tuple[object, ...]] = (node.saved or ()) if isinstance(node, BackwardCFunction) else ()
    for value, *_ in saved:
        if isinstance(value, np.ndarray):
            kept.append({"name": "out", "tensor": None, "text": "out", "bytes": int(value.nbytes)})
        elif isinstance(value, Tensor):
            number = recording.tensor(value)
            text = recording.text_of(number)
            kept.append({"name": text, "tensor": number, "text": text, "bytes": int(value._array.nbytes)})
    return kept
