"""torch._refs: where PyTorch writes its operators a second time, in Python and by one another; here each name is the operator itself.

>>> import rushlight as torch
>>> torch._refs.add(torch.tensor([1.0]), 2)
tensor([3.])
>>> torch._refs.special.entr is torch.special.entr
True
"""

import rushlight as torch
from rushlight.base.missing_names import lazy_names

_modules, __dir__ = lazy_names(__name__, frozenset("_conversions fft linalg nn special".split()))


def __getattr__(name: str) -> object:
    if not name.startswith("__"):
        for space in (torch, torch.Tensor):
            if callable(found := getattr(space, name, None)):
                return found
    return _modules(name)
