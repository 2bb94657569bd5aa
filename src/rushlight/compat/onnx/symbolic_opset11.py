"""torch.onnx.symbolic_opset11: the rules of one version of ONNX, of which none is here."""

from __future__ import annotations

from rushlight.base.missing_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
