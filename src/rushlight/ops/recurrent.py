"""Recurrent layers: single steps, walks along sequences, and a layer of long short-term memory as one op.

All but that one op is composed of simpler ops, as in PyTorch.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import numpy as np

from ..autograd.views import keep_as_copy
from ..backend import recurrent as k
from ..backend.notes import with_notes
from ..base.arguments import refuse, type_name
from ..tensor import Tensor
from .public import axis_of, module, ops, public
from .table import op

op("lstm_layer", k.lstm_layer, inputs="x w u b d h c", outputs="out last_h last_c gates! cells!", node="MkldnnRnnLayerBackward0",
   joint=lambda g, xp, x, w, u, b, d, h, c, out, gates, cells, backwards, needs: _lstm_backward(
       g, xp, x, w, u, b, d, h, c, out, gates, cells, backwards, needs))  # fmt: skip


def _lstm_backward(
    g: Any, xp: Any, x: Any, w: Any, u: Any, b: Any, d: Any, h: Any, c: Any, out: Any, gates: Any, cells: Any, backwards: bool,
    needs: tuple[bool, ...],
) -> Any:  # fmt: skip
    """S. Hochreiter and J. Schmidhuber, Long short-term memory (1997), with the forget gates of F. Gers (1999)."""
    if x.__class__ is np.ndarray:
        return k.lstm_layer_grads(g, x, w, u, h, c, out, gates, cells, backwards, needs)
    # Where the rule records itself the gates must have a history: they are computed again.
    steps, count, size = x.shape
    width = u.shape[1]
    places = range(steps - 1, -1, -1) if backwards else range(steps)
    inputs = xp.mm(x.reshape((steps * count, size)), xp.transpose(w, 0, 1)).reshape((steps, count, 4 * width))
    recurrent = xp.transpose(u, 0, 1)
    kept = []
    for t in places:
        sums = xp.select(inputs, 0, t) + xp.mm(h, recurrent)
        if b is not None:
            sums = sums + b + d
        into, forget, new, show = (xp.slice(sums, 1, index * width, (index + 1) * width, 1) for index in range(4))
        into, forget, new, show = xp.sigmoid(into), xp.sigmoid(forget), xp.tanh(new), xp.sigmoid(show)
        cell = forget * c + into * new
        squashed = xp.tanh(cell)
        kept.append((t, h, c, into, forget, new, show, squashed))
        h, c = show * squashed, cell
    g_out, g_hidden, g_cell = g
    slopes: list[Any] = [None] * steps
    for t, _, before, into, forget, new, show, squashed in reversed(kept):
        if g_out is not None:
            here = xp.select(g_out, 0, t)
            g_hidden = here if g_hidden is None else g_hidden + here
        if g_hidden is None:
            g_hidden = 0 * show
        through = g_hidden * show * (1 - squashed * squashed)
        g_cell = through if g_cell is None else g_cell + through
        of_gates = [
            g_cell * new * into * (1 - into),
            g_cell * before * forget * (1 - forget),
            g_cell * into * (1 - new * new),
            g_hidden * squashed * show * (1 - show),
        ]
        slopes[t] = xp.concat(of_gates, 1)
        g_hidden, g_cell = xp.mm(slopes[t], u), g_cell * forget
    g_gates = xp.concat(slopes, 0)
    hidden = xp.concat([before for _, before, *_ in (kept[::-1] if backwards else kept)], 0)
    g_bias = xp.sum(g_gates, (0,), False) if b is not None else None
    across = xp.transpose(g_gates, 0, 1)
    return (
        xp.mm(g_gates, w).reshape((steps, count, size)),
        xp.mm(across, x.reshape((steps * count, size))),
        xp.mm(across, hidden),
        g_bias,
        g_bias,
        g_hidden,
        g_cell,
    )


# A step takes a function that gives the input's part of the gates, the state, and the weights (of the input, of the state, both
# biases, and of the projection), and gives the new state: a tuple whose first tensor is the output. What is computed first, and which
# summand stands first, is as in PyTorch: a backward pass then meets the nodes in the same order.
Weights = list[Any]
Step = Callable[[Callable[[], Any], Any, Weights], Any]


def linear(*args: Any) -> Any:
    """``input @ weight.T + bias``, as the public function, which autocast may cast for."""
    return module("torch.nn.functional")["linear"](*args)


def _plain_step(activation: str) -> Step:
    def step(gates: Callable[[], Any], state: Any, weights: Weights) -> Any:
        return (getattr(ops, activation)(linear(state[0], weights[1], weights[3]) + gates()),)

    return step


def _lstm_step(gates: Callable[[], Any], state: Any, weights: Weights) -> Any:
    hidden, cell = state
    in_gate, forget, new, out_gate = (linear(hidden, weights[1], weights[3]) + gates()).unsafe_chunk(4, -1)
    into, kept, new, show = in_gate.sigmoid(), forget.sigmoid(), new.tanh(), out_gate.sigmoid()
    cell = kept * cell + into * new
    hidden = show * cell.tanh()
    if weights[4] is not None:
        hidden = linear(hidden, weights[4])
    return hidden, cell


def _gru_step(gates: Callable[[], Any], state: Any, weights: Weights) -> Any:
    (hidden,) = state
    reset, update, new = gates().unsafe_chunk(3, -1)
    reset_h, update_h, new_h = linear(hidden, weights[1], weights[3]).unsafe_chunk(3, -1)
    reset = (reset_h + reset).sigmoid()
    update = (update_h + update).sigmoid()
    new = (new + _written_times(new_h, reset)).tanh()
    return (_written_times(hidden - new, update) + new,)


def _written_times(x: Tensor, factor: Tensor) -> Tensor:
    """``x.mul_(factor)`` of a tensor that nobody else has, without the write: the graph is that of PyTorch's, which keeps a copy."""
    product = x * factor
    if product._edge is not None and x._edge is not None and not x._edge[0].is_leaf_sink:
        keep_as_copy(x)
    return product


_STEPS: dict[str, Step] = {
    "rnn_tanh": _plain_step("tanh"),
    "rnn_relu": _plain_step("relu"),
    "lstm": _lstm_step,
    "gru": _gru_step,
}
GATES = {"rnn_tanh": 1, "rnn_relu": 1, "lstm": 4, "gru": 3}


# Single steps.


def _cell(kind: str, input: Any, states: tuple[Any, ...], w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    width = _size(w_hh, 1)
    rows = GATES[kind] * width
    for name, weight in (("weight_ih", w_ih), ("weight_hh", w_hh)):
        if _size(weight, 0) != rows:
            raise RuntimeError(f"{name} first dim must be {GATES[kind]} * hidden_size = {rows}, but got {_size(weight, 0)}")
    if _size(input, 1) != _size(w_ih, 1):
        raise RuntimeError(f"input has inconsistent input_size: got {_size(input, 1)} expected {_size(w_ih, 1)}")
    for number, each in enumerate(states):
        if _size(each, 0) != _size(input, 0):
            raise RuntimeError(f"Input batch size {_size(input, 0)} doesn't match hidden{number} batch size {_size(each, 0)}")
        if _size(each, 1) != width:
            raise RuntimeError(f"hidden{number} has inconsistent hidden_size: got {_size(each, 1)}, expected {width}")
    return _STEPS[kind](lambda: linear(input, w_ih, b_ih), states, [w_ih, w_hh, b_ih, b_hh, None])


@public(method=False, out=False)
def rnn_tanh_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step: ``tanh(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)`` for input (N, I) and state (N, H)."""
    return _cell("rnn_tanh", input, (_tensor("rnn_tanh_cell", hx),), w_ih, w_hh, b_ih, b_hh)[0]


@public(method=False, out=False)
def rnn_relu_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """As :func:`rnn_tanh_cell`, with relu."""
    return _cell("rnn_relu", input, (_tensor("rnn_relu_cell", hx),), w_ih, w_hh, b_ih, b_hh)[0]


@public(method=False, out=False)
def gru_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Tensor:
    """One step of a gated recurrent unit, gates (reset, update, new): input (N, I), state (N, H), weights (3H, I), (3H, H).

    K. Cho and others, Learning phrase representations (2014).
    """
    return _cell("gru", input, (_tensor("gru_cell", hx),), w_ih, w_hh, b_ih, b_hh)[0]


@public(method=False, out=False)
def lstm_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> tuple[Tensor, Tensor]:
    """One step of long short-term memory, gates (in, forget, cell, out): the new output and cell, both (N, H).

    >>> import rushlight as torch
    >>> x, state = torch.ones(1, 2), (torch.zeros(1, 3), torch.zeros(1, 3))
    >>> h, c = torch.lstm_cell(x, state, torch.ones(12, 2), torch.ones(12, 3))
    >>> h, c
    (tensor([[0.6083, 0.6083, 0.6083]]), tensor([[0.8491, 0.8491, 0.8491]]))
    """
    if not isinstance(hx, (list, tuple)):
        raise TypeError(f"lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not {type_name(hx)}")
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    return _cell("lstm", input, tuple(hx), w_ih, w_hh, b_ih, b_hh)


def _size(value: Any, axis: int) -> int:
    shape: tuple[int, ...] = value._array.shape
    return shape[axis_of(axis, len(shape))]


def _tensor(name: str, hx: Any) -> Any:
    if not isinstance(hx, Tensor):
        raise TypeError(f"{name}(): argument 'hx' (position 2) must be Tensor, not {type(hx).__name__}")
    return hx


# Along sequences.


def _itself(gates: object) -> object:
    return gates


States = tuple[Tensor, ...]


def _states_rows(states: States, start: int, stop: int) -> States:
    """Rows of each state, the last state's first, as PyTorch's graph has them."""
    return tuple([_rows(each, start, stop) for each in reversed(states)][::-1])


def _rows(x: Tensor, start: int, stop: int) -> Tensor:
    found: Tensor = ops.slice(x, 0, start, stop, 1)
    return found


def _by_onednn(input: Any, weights: Weights) -> bool:
    """Whether PyTorch leaves an LSTM to oneDNN, which takes what lies in order."""
    x = input._array
    return bool(x.dtype == np.float32 and x.size and weights[4] is None)


def _along(step: Step, input: Any, state: Any, weights: Weights, backwards: bool) -> tuple[Any, Any]:
    """One direction of one layer over a (T, N, features) sequence."""
    if step is _lstm_step and _by_onednn(input, weights):  # one op, as in PyTorch
        out, *last = ops.lstm_layer(input, *weights[:4], *state, backwards)[:3]
        return out, tuple(last)
    gates = linear(input, weights[0], weights[2]).unbind(0)
    outputs = []
    for each in reversed(gates) if backwards else gates:
        state = step(partial(_itself, each), state, weights)
        outputs.append(state[0])
    if backwards:
        outputs.reverse()
    return module("torch")["stack"](outputs), state


def _along_packed(step: Step, data: Any, sizes: list[int], first: Any, weights: Weights, backwards: bool) -> tuple[Any, Any]:
    """The same over sequences of falling length, packed step by step."""
    cat = module("torch")["cat"]
    gates = linear(data, weights[0], weights[2])
    ends = itertools.accumulate(sizes)
    places = [(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    outputs = []
    if backwards:
        state = _states_rows(first, 0, sizes[-1])
        have = sizes[-1]
        for place, size in zip(reversed(places), reversed(sizes), strict=True):
            if size > have:  # sequences that end here join in
                joined = list(zip(state, _states_rows(first, have, size), strict=True))
                state = tuple([cat(list(pair)) for pair in reversed(joined)][::-1])
                have = size
            state = step(partial(_itself, _rows(gates, *place)), state, weights)
            outputs.append(state[0])
        outputs.reverse()
        return cat(outputs), state
    state, have = first, sizes[0]
    ended: list[Any] = []
    for place, size in zip(places, sizes, strict=True):
        part = _rows(gates, *place)
        if size < have:  # sequences that are over leave
            ended.append(_states_rows(state, size, have))
            state = _states_rows(state, 0, size)
            have = size
        state = step(partial(_itself, part), state, weights)
        outputs.append(state[0])
    ended.append(state)
    ended.reverse()
    return cat(outputs), tuple(cat(list(parts)) for parts in zip(*ended, strict=True))


def _walk(
    kind: str,
    data: Any,
    sizes: list[int] | None,
    state: tuple[Any, ...],
    layers: list[Weights],
    dropout: float,
    directions: int,
) -> tuple[Any, ...]:
    """All layers, one after another: outputs of the last one, and the last states of all, stacked."""
    step, lasts = _STEPS[kind], []
    if kind == "lstm" and sizes is None and _by_onednn(data, layers[0]):
        data = data.contiguous()
        states = [[rows.select(0, place) for place in range(len(layers))] for rows in (each.contiguous() for each in state)]
    else:
        states = [each.unbind(0) for each in state]
    for start in range(0, len(layers), directions):
        outs = []
        for number in range(start, start + directions):
            first, backwards = tuple(each[number] for each in states), number > start
            if sizes is None:
                out, last = _along(step, data, first, layers[number], backwards)
            else:
                out, last = _along_packed(step, data, sizes, first, layers[number], backwards)
            outs.append(out)
            lasts.append(last)
        data = module("torch")["cat"](outs, -1) if directions == 2 else outs[0]
        if dropout and start + directions < len(layers):
            data = module("torch.nn.functional")["dropout"](data, dropout, True)
    return data, *(module("torch")["stack"](list(parts)) for parts in zip(*lasts, strict=True))


_OPTIONS = ("params", "has_biases", "num_layers", "dropout", "train", "bidirectional")
_WHOLE, _PACKED = ("input", "hx", *_OPTIONS, "batch_first"), ("data", "batch_sizes", "hx", *_OPTIONS)
_WORDS = "{0}, tuple of Tensors params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional"


def _miscounted(given: int, each: int, count: int, directions: int, by_onednn: bool) -> str:
    """What PyTorch says of so many parameters where ``count`` times ``each`` are needed; nothing where it takes them.

    ``by_onednn``  whether it leaves the layers to oneDNN, which does not look at those that are too many
    """
    groups, rest = divmod(given, each)
    if by_onednn:
        if rest:
            return f"MatrixRef: ArrayRef size {given} not divisible by stride {each}"
        return f"ArrayRef: invalid slice, N = {given}; M = {each}; size = {given}" if groups < count else ""
    if rest:
        return "got an incorrect number of RNN parameters"
    if groups % directions:
        return "Odd number of params or hiddens given to a bidirectional RNN"
    return "Expected more weights in stacked_rnn" if groups != count else ""


def _layers(kind: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """``lstm`` and the like, by their arguments for whole sequences or for packed ones."""
    packed = "batch_sizes" in kwargs or (len(args) > 3 and isinstance(args[3], (list, tuple)))
    names = _PACKED if packed else _WHOLE
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    states = given.get("hx")
    wanted = (list, tuple) if kind == "lstm" else Tensor
    if len(args) + len(kwargs) != len(names) or set(given) != set(names) or not isinstance(states, wanted):
        _refuse(kind, args, kwargs)
    data, params, has_biases = given[names[0]], list(given["params"]), given["has_biases"]
    states = tuple(states) if kind == "lstm" else (states,)
    if kind == "lstm" and len(states) != 2:
        raise RuntimeError("lstm expects two hidden states")
    projected = kind == "lstm" and states[0]._array.shape[2] != states[1]._array.shape[2]
    each, directions = 2 + 2 * bool(has_biases) + projected, 2 if given["bidirectional"] else 1
    count = given["num_layers"] * directions
    for place, one in enumerate(params):
        if not isinstance(one, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument {names.index('params')}, but got {type_name(one)}")
    by_onednn = kind == "lstm" and not projected and data.dtype.name in ("float32", "bfloat16")
    wrong = _miscounted(len(params), each, count, directions, by_onednn)
    if wrong:
        raise with_notes(RuntimeError(wrong), f"{count} times {each} are needed, {len(params)} were given.")
    sizes = given["batch_sizes"].tolist() if packed else None
    turned = not packed and given["batch_first"]
    data = data.transpose(0, 1) if turned else data
    _check_states(data, sizes, states, count)
    weights = [params[start : start + each] for start in range(0, each * count, each)]
    layers = [[*own[:2], *(own[2:4] if has_biases else (None, None)), own[-1] if projected else None] for own in weights]
    out, *last = _walk(kind, data, sizes, states, layers, given["dropout"] if given["train"] else 0.0, directions)
    if turned:
        out = out.transpose(0, 1) if kind == "lstm" else out.transpose_(0, 1)
    return out, *last


def _check_states(data: Any, sizes: list[int] | None, states: tuple[Any, ...], count: int) -> None:
    x = data._array
    if x.ndim != (3 if sizes is None else 2):
        raise RuntimeError(f"input must have {3 if sizes is None else 2} dimensions, got {x.ndim}")
    if not x.shape[0]:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    for each in states:
        shape = each._array.shape
        if not shape or shape[0] != count:
            raise RuntimeError("Expected more hidden states in stacked_rnn")
        batch = x.shape[1] if sizes is None else sizes[0]
        if len(shape) != 3 or shape[1] != batch:
            raise RuntimeError(f"Expected hidden size {(count, batch, shape[-1])}, got {list(shape)}")


def _refuse(kind: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
    state = "tuple of Tensors hx" if kind == "lstm" else "Tensor hx"
    packed = "(" + _WORDS.format(f"Tensor data, Tensor batch_sizes, {state}") + ")"
    whole = "(" + _WORDS.format(f"Tensor input, {state}") + ", bool batch_first)"
    refuse(kind, args, kwargs, packed[1:-1], whole[1:-1])


@public(method=False, out=False)
def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Layers of :func:`rnn_tanh_cell` along a sequence: the outputs (T, N, H) of the last, and the last states of all.

    ``rnn_tanh(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)`` with input (T, N, I)
    and states (layers times directions, N, H), or for packed sequences ``rnn_tanh(data, batch_sizes, hx, params, has_biases,
    num_layers, dropout, train, bidirectional)``. ``params`` are each layer's and direction's weights of the input and of the
    state, then their biases, if any.

    >>> import rushlight as torch
    >>> weights = [torch.ones(1, 1), torch.zeros(1, 1)]
    >>> torch.rnn_tanh(torch.ones(2, 1, 1), torch.zeros(1, 1, 1), weights, False, 1, 0.0, False, False, False)[1]
    tensor([[[0.7616]]])
    """
    return _layers("rnn_tanh", args, kwargs)


@public(method=False, out=False)
def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """As :func:`rnn_tanh`, with relu."""
    return _layers("rnn_relu", args, kwargs)


@public(method=False, out=False)
def gru(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """As :func:`rnn_tanh`, with steps as :func:`gru_cell`."""
    return _layers("gru", args, kwargs)


@public(method=False, out=False)
def lstm(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """As :func:`rnn_tanh`, with steps as :func:`lstm_cell`: ``hx`` is two tensors, and outputs, last outputs and cells are given.

    Where the first of ``hx`` is narrower than the second, each layer's parameters end with the weight that its outputs are
    projected by.
    """
    return _layers("lstm", args, kwargs)
