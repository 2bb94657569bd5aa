"""What a pass runs, in Python's log: the logger ``torch.autograd.graph`` at level DEBUG gets a line for each node.

>>> import logging, sys
>>> import rushlight as torch
>>> logger = logging.getLogger("torch.autograd.graph")
>>> handler = logging.StreamHandler(sys.stdout)
>>> logger.addHandler(handler)
>>> logger.setLevel(logging.DEBUG)
>>> torch.ones(3, requires_grad=True).sum().backward()  # doctest: +ELLIPSIS
Executing: <SumBackward0 object at 0x...> with grad_outputs: [f32[]]
Executing: <AccumulateGrad object at 0x...> with grad_outputs: [f32[3]]
>>> logger.setLevel(logging.NOTSET)
>>> logger.removeHandler(handler)
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..base.dtype_abbrs import dtype_abbrs
from . import topological_order
from .nodes import Edge, Node

# Like all of PyTorch's loggers it hears of warnings and more unless told otherwise, whatever the root logger is set to.
_all = logging.getLogger("torch")
if _all.level == logging.NOTSET:
    _all.setLevel(logging.WARNING)
_logger = logging.getLogger("torch.autograd.graph")
is_asked_for = functools.partial(_logger.isEnabledFor, logging.DEBUG)


@contextmanager
def logged(roots: Sequence[Edge], needed: dict[Node, bool] | None) -> Iterator[None]:
    """Around a pass: the nodes that it reaches write a line each before they run."""
    handles = [
        node.register_prehook(functools.partial(_write, node)) for node in topological_order.count_dependencies(roots, needed)
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _write(node: Node, grads: tuple[Any, ...]) -> None:
    shown = ("None" if g is None else f"{dtype_abbrs[g.dtype]}{list(g.shape)}" for g in grads)
    _logger.debug(f"Executing: {node} with grad_outputs: [{','.join(shown)}]")
