# Written by tools/stubs.py; `make stubs` writes it anew.

from numpy import ndarray
from rushlight import Tensor
from rushlight.optim.by_rule import RuleOptimizer
from typing import Any

class Block:
    """Parameters of one dtype that have made the same number of steps: one large, or several small ones."""
    params: list[Tensor]
    states: list[dict[str, Any]]
    sizes: Any
    room: tuple[ndarray[Any, Any], ndarray[Any, Any]]
    scalars: Any
    rows: Any
    def __init__(self, params: list[Tensor], states: list[dict[str, Any]], scalars: tuple[str, ...], room: tuple[ndarray[Any, Any], ndarray[Any, Any]]) -> None: ...
    def step(self, optimizer: RuleOptimizer, group: dict[str, Any]) -> None: ...
class Plan:
    """How the parameters of a group that have gradients are stepped."""
    params: list[Tensor]
    blocks: list[Block]
    rest: list[Tensor]
    members: Any
    states: Any
    tensors: Any
    arrays: Any
    kinds: Any
    def __init__(self, optimizer: RuleOptimizer, params: list[Tensor], group: dict[str, Any]) -> None: ...
    def holds(self, params: list[Tensor], states: dict[Any, dict[str, Any]]) -> bool:
        """Whether nobody has exchanged a parameter, a state or the memory of one since the plan was made."""
        ...
    def run(self, optimizer: RuleOptimizer, group: dict[str, Any], where: Any) -> None: ...
def stepped(optimizer: RuleOptimizer, params: list[ndarray[Any, Any]], grads: list[ndarray[Any, Any]], rows: dict[str, ndarray[Any, Any]], scalars: dict[str, ndarray[Any, Any]], room: tuple[ndarray[Any, Any], ndarray[Any, Any]], group: dict[str, Any], t: int) -> bool:
    """Steps parameters by the optimizer's rule, gathered where there are several."""
    ...
