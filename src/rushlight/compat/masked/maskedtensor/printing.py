"""How a masked tensor prints: what is masked out is two dashes."""

from __future__ import annotations

from rushlight.autograd.interpreters import Answer
from rushlight.tensor import Tensor

NARROWEST = 8


def _element(value: object) -> str:
    return f"{value:8.4f}" if isinstance(value, float) else str(value)


def _rows(data: Answer, mask: Answer, indent: str) -> str:
    """A list of numbers on one line, lists of lists one below the other."""
    if data and isinstance(data[0], list):
        inner = ",\n".join(_rows(*pair, indent + "  ") for pair in zip(data, mask, strict=True))
        return f"{indent}[\n{inner}\n{indent}]"
    texts = [_element(value) if seen else None for value, seen in zip(data, mask, strict=True)]
    width = max([NARROWEST, *(len(text) for text in texts if text is not None)])
    return f"{indent}[{', '.join('--'.rjust(width) if text is None else text for text in texts)}]"


def text_of(data: Tensor, mask: Tensor) -> str:
    """The whole text of a masked tensor.

    >>> import rushlight as torch
    >>> print(text_of(torch.tensor([1.5, 2.0]), torch.tensor([True, False])))
    MaskedTensor(
      [  1.5000,       --]
    )
    """
    if data.ndim:
        return f"MaskedTensor(\n{_rows(data.tolist(), mask.tolist(), '  ')}\n)"
    seen = mask.item()
    return f"MaskedTensor({_element(data.item()) if seen else '--'}, {seen})"
