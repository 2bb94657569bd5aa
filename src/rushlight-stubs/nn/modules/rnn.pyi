# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight import dtype
from rushlight._inner import device
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.nn.utils.rnn import PackedSequence
from typing import Any
from typing import overload

class GRU(RNNBase):
    """Gated recurrent unit: gates reset, update and new."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @overload
    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]: ...
    @overload
    def forward(self, input: PackedSequence, hx: Tensor | None = None) -> tuple[PackedSequence, Tensor]:
        """``(T, N, input_size)`` (or packed, or without N) and the first state -> outputs of the last layer, last state."""
        ...
class GRUCell(RNNCellBase):
    """One step of a GRU: (N, input_size) and (N, hidden_size) -> (N, hidden_size)."""
    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor: ...
class LSTM(RNNBase):
    """Long short-term memory: a state of output and cell, with gates in, forget, cell and out."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @overload
    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]: ...
    @overload
    def forward(self, input: PackedSequence, hx: tuple[Tensor, Tensor] | None = None) -> tuple[PackedSequence, tuple[Tensor, Tensor]]:
        """``(T, N, input_size)`` (or packed, or without N) and the first state -> outputs of the last layer, last state."""
        ...
class LSTMCell(RNNCellBase):
    """One step of an LSTM: (N, input_size) and two (N, hidden_size) -> two (N, hidden_size)."""
    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, ...]: ...
class RNN(RNNBase):
    """``h' = tanh(W x + b + U h + c)`` along a sequence (or relu)."""
    nonlinearity: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @overload
    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]: ...
    @overload
    def forward(self, input: PackedSequence, hx: Tensor | None = None) -> tuple[PackedSequence, Tensor]:
        """``(T, N, input_size)`` (or packed, or without N) and the first state -> outputs of the last layer, last state."""
        ...
class RNNBase(Module):
    """What RNN, LSTM and GRU share: weights by layer and direction, and the walk over layers."""
    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: Any
    bidirectional: bool
    proj_size: int
    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    @property
    def all_weights(self) -> list[list[Parameter]]: ...
    def extra_repr(self) -> str: ...
    def flatten_parameters(self) -> None:
        """There is no memory to be rearranged here."""
        ...
    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """``(T, N, input_size)`` (or packed, or without N) and the first state -> outputs of the last layer, last state."""
        ...
    def reset_parameters(self) -> None:
        """Draws all weights and biases again."""
        ...
class RNNCell(RNNCellBase):
    """One step of an RNN: (N, input_size) and (N, hidden_size) -> (N, hidden_size)."""
    nonlinearity: str
    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = 'tanh', device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor: ...
class RNNCellBase(Module):
    """What the single steps share."""
    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: Any
    weight_hh: Any
    bias_ih: Any
    bias_hh: Any
    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def extra_repr(self) -> str: ...
    def reset_parameters(self) -> None:
        """Draws all weights and biases again."""
        ...
def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """Deprecated: ``tensor.index_select(dim, permutation)``."""
    ...
