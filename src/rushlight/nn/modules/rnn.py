"""Recurrent layers: RNN, LSTM, GRU, and their single steps."""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any

import rushlight as torch

from ...autograd import modes
from ...ops.recurrent import GATES
from ...tensor import Tensor
from .. import init
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .module import Module


def _draw(module: Any) -> None:
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


class RNNBase(Module):
    """What RNN, LSTM and GRU share: weights by layer and direction, and the walk over layers."""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        for name, given in (("bias", bias), ("batch_first", batch_first)):
            if not isinstance(given, bool):
                raise TypeError(f"{name} should be of type bool, got: {type(given).__name__}")
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        directions = 2 if bidirectional else 1
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                f"greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
            if not isinstance(size, int):
                raise TypeError(f"{name} should be of type int, got: {type(size).__name__}")
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
            if size <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode.lower() not in GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        rows = GATES[mode.lower()] * hidden_size
        state_size = proj_size if proj_size > 0 else hidden_size
        options = {"device": device, "dtype": dtype}
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for direction in range(directions):
                suffix = f"_l{layer}" + ("_reverse" if direction else "")
                width = input_size if layer == 0 else state_size * directions
                names = []  # type: ignore[var-annotated]

                def add(name: str, *shape: int, names: list[str] = names, suffix: str = suffix) -> None:
                    setattr(self, name + suffix, Parameter(torch.empty(shape, **options)))
                    names.append(name + suffix)

                add("weight_ih", rows, width)
                add("weight_hh", rows, state_size)
                if bias:
                    add("bias_ih", rows)
                    add("bias_hh", rows)
                if proj_size > 0:
                    add("weight_hr", proj_size, hidden_size)
                self._all_weights.append(names)
        self.reset_parameters()

    @property
    def all_weights(self) -> list[list[Parameter]]:
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [weight for weights in self.all_weights for weight in weights]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    def __getstate__(self) -> dict[str, Any]:
        asked_for = {"_flat_weights_names": self._flat_weights_names, "_flat_weights": self._flat_weights}  # by PyTorch
        return {**self.__dict__, **asked_for}

    def __setstate__(self, state: dict[str, Any]) -> None:
        names = ("_flat_weights_names", "_flat_weights", "_flat_weight_refs")
        super().__setstate__({name: value for name, value in state.items() if name not in names})

    def flatten_parameters(self) -> None:
        """There is no memory to be rearranged here."""

    def reset_parameters(self) -> None:
        """Draws all weights and biases again."""
        _draw(self)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            text += f", bidirectional={self.bidirectional}"
        return text

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """``(T, N, input_size)`` (or packed, or without N) and the first state -> outputs of the last layer, last state."""
        packed = isinstance(input, PackedSequence)
        data = input.data if packed else input
        if not packed and data.dim() not in (2, 3):
            tensor = " tensor" if self.mode.startswith("RNN") else ""
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {data.dim()}D{tensor} instead")
        if data.size(-1) != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {data.size(-1)}")
        if not packed and data.dtype != self.weight_ih_l0.dtype and not modes.state.autocast:
            dtype = self.weight_ih_l0.dtype
            raise ValueError(
                f"RNN input dtype ({data.dtype}) does not match weight dtype ({dtype}). Convert input: input.to({dtype}), or "
                f"convert model: model.to({data.dtype})"
            )
        alone = not packed and data.dim() == 2
        if alone:
            data = data.unsqueeze(1)
        sizes = input.batch_sizes.tolist() if packed else None
        turned = self.batch_first and not alone
        count = sizes[0] if sizes else data.size(0 if turned else 1)
        state = self._first_state(hx, data, count, alone, input.sorted_indices if packed else None)
        hx = state if self.mode == "LSTM" else state[0]
        options = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, bool(self.bidirectional))
        layers = getattr(torch, self.mode.lower())
        if packed:
            out, *last = layers(data, input.batch_sizes, hx, *options)
            if input.unsorted_indices is not None:
                last = [each.index_select(1, input.unsorted_indices) for each in last]
            out = PackedSequence(out, input.batch_sizes, input.sorted_indices, input.unsorted_indices)
        else:
            out, *last = layers(data, hx, *options, turned)
            if alone:
                out, last = out.squeeze(1), [each.squeeze(1) for each in last]
        return out, tuple(last) if self.mode == "LSTM" else last[0]

    def _first_state(self, hx: Any, data: Tensor, count: int, alone: bool, order: Any) -> tuple[Tensor, ...]:
        """The first state as (layers times directions, N, size) tensors; RuntimeError where it does not fit."""
        rows = self.num_layers * (2 if self.bidirectional else 1)
        shapes = [(rows, count, self.proj_size if self.proj_size > 0 else self.hidden_size)]
        if self.mode == "LSTM":
            shapes.append((rows, count, self.hidden_size))
        if hx is None:
            return tuple(torch.zeros(shape, dtype=data.dtype) for shape in shapes)
        given = hx if self.mode == "LSTM" else (hx,)
        rank = 2 if alone else 3
        if any(each.dim() != rank for each in given):
            kind = "unbatched 2-D" if alone else "batched 3-D"
            if self.mode == "LSTM":
                ranks = f"({given[0].dim()}-D, {given[1].dim()}-D) tensors"  # type: ignore[misc]
                raise RuntimeError(f"For {kind} input, hx and cx should also be {rank}-D but got {ranks}")
            raise RuntimeError(f"For {kind} input, hx should also be {rank}-D but got {given[0].dim()}-D tensor")
        state = tuple(each.unsqueeze(1) for each in given) if alone else tuple(given)
        for number, (each, shape) in enumerate(zip(state, shapes, strict=True)):
            if tuple(each.shape) != shape:
                name = "hidden" if self.mode != "LSTM" else f"hidden[{number}]"
                raise RuntimeError(f"Expected {name} size {shape}, got {list(each.shape)}")
        if order is not None:
            state = tuple(each.index_select(1, order) for each in state)
        return state


class RNN(RNNBase):
    """``h' = tanh(W x + b + U h + c)`` along a sequence (or relu).

    >>> import rushlight as torch
    >>> out, h = torch.nn.RNN(3, 4, num_layers=2)(torch.zeros(5, 1, 3))
    >>> out.shape, h.shape
    (torch.Size([5, 1, 4]), torch.Size([2, 1, 4]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            self_nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            self_nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self_nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self_nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + self_nonlinearity.upper(), *args, **kwargs)
        self.nonlinearity = self_nonlinearity


class LSTM(RNNBase):
    """Long short-term memory: a state of output and cell, with gates in, forget, cell and out.

    >>> import rushlight as torch
    >>> out, (h, c) = torch.nn.LSTM(3, 4, batch_first=True)(torch.zeros(2, 5, 3))
    >>> out.shape, c.shape
    (torch.Size([2, 5, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent unit: gates reset, update and new."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class RNNCellBase(Module):
    """What the single steps share."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(torch.empty((rows, input_size), **options))
        self.weight_hh = Parameter(torch.empty((rows, hidden_size), **options))
        if bias:
            self.bias_ih = Parameter(torch.empty(rows, **options))
            self.bias_hh = Parameter(torch.empty(rows, **options))
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws all weights and biases again."""
        _draw(self)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _step(self, mode: str, input: Tensor, hx: Any) -> tuple[Tensor, ...]:
        name = type(self).__name__
        states = hx if mode == "LSTM" else (hx,)
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if hx is not None:
            for number, each in enumerate(states):
                if each.dim() not in (1, 2):
                    where = f"hx[{number}]" if mode == "LSTM" else "hidden"
                    raise ValueError(f"{name}: Expected {where} to be 1D or 2D, got {each.dim()}D instead")
        alone = input.dim() == 1
        data = input.unsqueeze(0) if alone else input
        if hx is None:
            zeros = torch.zeros(data.size(0), self.hidden_size, dtype=data.dtype)
            states = (zeros, zeros) if mode == "LSTM" else (zeros,)
        elif alone:
            states = tuple(each.unsqueeze(0) for each in states)
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if mode == "LSTM":
            out = torch.lstm_cell(data, states, *weights)
        else:
            out = (getattr(torch, mode.lower() + "_cell")(data, states[0], *weights),)
        return tuple(each.squeeze(0) for each in out) if alone else tuple(out)


class RNNCell(RNNCellBase):
    """One step of an RNN: (N, input_size) and (N, hidden_size) -> (N, hidden_size)."""

    nonlinearity: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step("RNN_" + self.nonlinearity.upper(), input, hx)[0]


class LSTMCell(RNNCellBase):
    """One step of an LSTM: (N, input_size) and two (N, hidden_size) -> two (N, hidden_size)."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, ...]:
        return self._step("LSTM", input, hx)


class GRUCell(RNNCellBase):
    """One step of a GRU: (N, input_size) and (N, hidden_size) -> (N, hidden_size)."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step("GRU", input, hx)[0]


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """Deprecated: ``tensor.index_select(dim, permutation)``."""
    warnings.warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return tensor.index_select(dim, permutation)
