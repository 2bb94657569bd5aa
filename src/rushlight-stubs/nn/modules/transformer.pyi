# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight import dtype
from rushlight._inner import device
from rushlight.nn.modules.module import Module
from typing import Any

class Transformer(Module):
    """An encoder and a decoder: (S, N, E) and (T, N, E) -> (T, N, E), or with the batch's N first."""
    d_model: int
    nhead: int
    batch_first: bool
    encoder: Any
    decoder: Any
    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = ..., custom_encoder: Any = None, custom_decoder: Any = None, layer_norm_eps: float = 1e-05, batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor: ...
    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: device | str | int | None = None, dtype: dtype | None = None) -> Tensor:
        """Minus infinity above the diagonal: no looking ahead."""
        ...
class TransformerDecoder(Module):
    """Copies of a decoder layer, one after another."""
    layers: Any
    num_layers: int
    norm: Module | None
    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None: ...
    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor: ...
class TransformerDecoderLayer(Module):
    """Self-attention, attention to the encoder's memory, and a feed-forward net."""
    self_attn: Any
    multihead_attn: Any
    linear1: Any
    dropout: Any
    linear2: Any
    norm_first: bool
    norm1: Any
    norm2: Any
    norm3: Any
    dropout1: Any
    dropout2: Any
    dropout3: Any
    activation: Any
    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = ..., layer_norm_eps: float = 1e-05, batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool = False, memory_is_causal: bool = False) -> Tensor: ...
class TransformerEncoder(Module):
    """Copies of an encoder layer, one after another."""
    layers: Any
    num_layers: int
    norm: Module | None
    enable_nested_tensor: bool
    mask_check: bool
    use_nested_tensor: Any
    def __init__(self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True, mask_check: bool = True) -> None: ...
    def forward(self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, is_causal: bool | None = None) -> Tensor: ...
class TransformerEncoderLayer(Module):
    """Self-attention and a feed-forward net, each with a residual connection and layer normalization."""
    self_attn: Any
    linear1: Any
    dropout: Any
    linear2: Any
    norm_first: bool
    norm1: Any
    norm2: Any
    dropout1: Any
    dropout2: Any
    activation: Any
    activation_relu_or_gelu: Any
    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = ..., layer_norm_eps: float = 1e-05, batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
    def forward(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, is_causal: bool = False) -> Tensor: ...
