"""Parameters side by side: small ones are stepped together, large ones piece by piece, so that a step is few NumPy calls
over memory that stays in the cache.

Of small parameters the states lie one after another in one array, of which the state's tensors are views; parameters and
gradients are gathered for the step, and the parameters written back.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import mirrors
from ..base.errstate import silent
from ..kernels import optimizer_steps as compiled
from ..kernels import register
from ..ops.table import arrays
from ..tensor import Tensor

if TYPE_CHECKING:
    from .by_rule import RuleOptimizer

Array = np.ndarray[Any, Any]
PIECE = 262144  # elements of a large parameter that are worked on at a time
TOGETHER = 65536  # elements of small parameters that are stepped together, each of at most a quarter of it
REAL = "fd"


class Block:
    """Parameters of one dtype that have made the same number of steps: one large, or several small ones."""

    def __init__(
        self, params: list[Tensor], states: list[dict[str, Any]], scalars: tuple[str, ...], room: tuple[Array, Array]
    ) -> None:
        self.params, self.states = params, states
        self.sizes = [param._array.size for param in params]
        self.room = room
        names = [name for name in states[0] if isinstance(states[0][name], Tensor)]
        self.scalars = {name: self._scalar_row(name) for name in names if name in scalars}
        self.rows = {name: self._row(name) for name in names if name not in scalars}

    def _scalar_row(self, name: str) -> Array:
        """The 0-dim states of one name as one array that they are views of."""
        row = np.array([state[name]._array[()] for state in self.states])
        for index, state in enumerate(self.states):
            state[name]._array = row[index : index + 1].reshape(())
        return row

    def _row(self, name: str) -> Array:
        """The states of one name as one array that they are views of."""
        if len(self.params) == 1:
            return self.states[0][name]._array.reshape(-1)
        row = np.concatenate([state[name]._array.reshape(-1) for state in self.states])
        start = 0
        for state, param, size in zip(self.states, self.params, self.sizes, strict=True):
            state[name]._array = row[start : start + size].reshape(param._array.shape)
            start += size
        return row

    def step(self, optimizer: RuleOptimizer, group: dict[str, Any]) -> None:
        params = self.params
        t = 0
        if "step" in self.scalars:
            steps = self.scalars["step"]
            steps += 1
            t = int(steps[0])
        held = [param._array for param in params]
        grads = [param._grad._array for param in params]  # type: ignore[union-attr]
        stepped(optimizer, held, grads, self.rows, self.scalars, self.room, group, t)


@register(compiled.step)
def stepped(
    optimizer: RuleOptimizer,
    params: list[Array],
    grads: list[Array],
    rows: dict[str, Array],
    scalars: dict[str, Array],
    room: tuple[Array, Array],
    group: dict[str, Any],
    t: int,
) -> bool:
    """Steps parameters by the optimizer's rule, gathered where there are several."""
    size = sum(each.size for each in params)
    if len(params) == 1:
        p, g = params[0].reshape(-1), grads[0].reshape(-1)
    else:
        p, g = (row[:size] for row in room)
        np.concatenate([each.reshape(-1) for each in params], out=p)
        np.concatenate([each.reshape(-1) for each in grads], out=g)
    if group.get("maximize"):
        g = -g
    values = rows
    for start in range(0, size, PIECE):
        if size > PIECE or len(scalars) > 1:
            piece = slice(start, min(start + PIECE, size))
            values = {name: row[piece] for name, row in rows.items()}
            for name, row in scalars.items():
                values[name] = row[:1].reshape(()).copy()  # every piece begins with the old value
            with silent():
                optimizer._rule(arrays, p[piece], g[piece], values, t, group)
        else:
            with silent():
                optimizer._rule(arrays, p, g, values, t, group)
    for name, row in scalars.items():
        if name != "step" and size:
            row[...] = values[name]
    if len(params) > 1:
        start = 0
        for array in params:
            array[...] = p[start : start + array.size].reshape(array.shape)
            start += array.size
    return True


class Plan:
    """How the parameters of a group that have gradients are stepped."""

    def __init__(self, optimizer: RuleOptimizer, params: list[Tensor], group: dict[str, Any]) -> None:
        self.params = params
        together: dict[Any, list[Tensor]] = {}
        self.blocks: list[Block] = []
        self.rest: list[Tensor] = []  # stepped one by one: of other dtypes, or not laid out row by row
        scalars = optimizer._scalars
        rooms: dict[Any, tuple[Array, Array]] = {}
        states = optimizer.state

        def add(members: list[Tensor]) -> None:
            dtype = members[0]._array.dtype
            if dtype not in rooms and len(members) > 1:
                rooms[dtype] = np.empty(TOGETHER, dtype), np.empty(TOGETHER, dtype)
            room = rooms.get(dtype, ())
            self.blocks.append(Block(members, [states.get(each, {}) for each in members], scalars, room))  # type: ignore[arg-type]

        for param in params:
            state = optimizer._state_of(param, group)
            if not _fits(param, state, scalars):
                self.rest.append(param)
            elif param._array.size > TOGETHER // 4:
                add([param])
            else:
                counts = tuple(float(state[name]._array) for name in scalars if name in state)
                key = (param._array.dtype, counts, *state)
                members = together.setdefault(key, [])
                if sum(each._array.size for each in members) + param._array.size > TOGETHER:
                    add(members)
                    members = together[key] = []
                members.append(param)
        for members in together.values():
            add(members)
        self.members = [param for block in self.blocks for param in block.params]
        self.states = [state for block in self.blocks for state in block.states]
        self.tensors = [value for state in self.states for value in state.values()]
        self.arrays = [value._array for value in self.tensors]
        self.kinds = [(param._array.shape, param._array.dtype) for param in self.members]

    def holds(self, params: list[Tensor], states: dict[Any, dict[str, Any]]) -> bool:
        """Whether nobody has exchanged a parameter, a state or the memory of one since the plan was made."""
        if len(params) != len(self.params) or not all(map(is_, params, self.params)):
            return False
        if not self.tensors:
            return not any(map(states.get, self.members)) and self._same_kinds()
        if not all(map(is_, map(states.get, self.members), self.states)):
            return False
        tensors = [value for state in self.states for value in state.values()]
        return (
            len(tensors) == len(self.tensors)
            and all(map(is_, tensors, self.tensors))
            and all(map(is_, [tensor._array for tensor in self.tensors], self.arrays))
            and self._same_kinds()
            and all(len(set(block.scalars["step"].tolist())) == 1 for block in self.blocks if "step" in block.scalars)
        )

    def _same_kinds(self) -> bool:
        return [(param._array.shape, param._array.dtype) for param in self.members] == self.kinds

    def run(self, optimizer: RuleOptimizer, group: dict[str, Any], where: Any) -> None:
        for block in self.blocks:
            block.step(optimizer, group)
        writes = optimizer._writes(group)
        for param in self.members:
            mirrors.count(param._counter, "step", where, writes)


def _fits(param: Tensor, state: dict[str, Any], scalars: tuple[str, ...]) -> bool:
    """Whether a parameter and its state are plain rows of numbers of one dtype."""
    array = param._array
    if array.dtype.char not in REAL or not array.flags.c_contiguous or param.is_meta:
        return False
    for name, value in state.items():
        if not isinstance(value, Tensor):
            return False
        own = value._array
        if name in scalars:
            if own.size != 1 or own.ndim:
                return False
        elif own.shape != array.shape or own.dtype != array.dtype or not own.flags.c_contiguous:
            return False
    return True
