"""Tensors of the layout ``torch._mkldnn``: dense ones whose memory is another's business."""

from __future__ import annotations

from typing import Any

from ...base.device import _mkldnn, layout
from ...ops.public import ops
from ...overrides.torch_function import DisableTorchFunctionSubclass
from ...tensor import Tensor


class OpaqueTensor(Tensor):
    """A tensor of the layout ``torch._mkldnn``; what is computed from such tensors is of it too."""

    is_mkldnn = True

    @property
    def layout(self) -> layout:
        return _mkldnn

    def to_dense(self, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
        """The tensor in the usual layout."""
        with DisableTorchFunctionSubclass():
            whole: Tensor = ops.from_sparse(self, None)
            return whole if dtype is None else whole.to(dtype)

    def numpy(self, *, force: bool = False) -> Any:
        raise TypeError("can't convert Mkldnn layout tensor to numpy. Use Tensor.to_dense() first.")

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        with DisableTorchFunctionSubclass():
            plain = self.as_subclass(Tensor)
            text = repr(plain.detach())[:-1] + f", layout={_mkldnn}"
            if self.grad_fn is not None:
                text += f", grad_fn=<{type(self.grad_fn).__name__}>"
            elif self.requires_grad:
                text += ", requires_grad=True"
        return text + ")"


def opaque(tensor: Tensor) -> OpaqueTensor:
    """A tensor under the layout ``torch._mkldnn``."""
    with DisableTorchFunctionSubclass():
        moved = ops.to_mkldnn_layout(tensor)
        result: OpaqueTensor = moved.as_subclass(OpaqueTensor)
        result._edge, result._needs_grad = moved._edge, moved._needs_grad
        return result
