"""The module that ``torch.compile`` makes of a module."""

from __future__ import annotations

from typing import Any

from ..nn.modules.module import Module


class OptimizedModule(Module):
    """A module around another, which it runs: parameters and entries of state dicts are those of ``_orig_mod``.

    Every other attribute is the inner module's, also to be set or deleted.

    >>> import rushlight as torch
    >>> compiled = torch.compile(torch.nn.Linear(2, 1))
    >>> compiled
    OptimizedModule(
      (_orig_mod): Linear(in_features=2, out_features=1, bias=True)
    )
    >>> list(compiled.state_dict()), compiled.in_features
    (['_orig_mod.weight', '_orig_mod.bias'], 2)
    """

    __module__ = "rushlight._dynamo.eval_frame"  # where PyTorch has it, and pickles find it
    _orig_mod: Module

    def __init__(self, mod: Module, dynamo_ctx: Any = None) -> None:
        super().__init__()
        self.dynamo_ctx = dynamo_ctx  # the compiled function, if any
        self._orig_mod = mod

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        call = self.dynamo_ctx
        return self._orig_mod(*args, **kwargs) if call is None else call(*args, **kwargs)

    @property
    def training(self) -> bool:  # type: ignore[override]
        return self._orig_mod.training

    @training.setter
    def training(self, value: bool) -> None:
        if "_orig_mod" in self.__dict__.get("_modules", ()):  # not while Module's own part is being made
            self._orig_mod.training = value

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self.__dict__["_modules"][name]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN or "_orig_mod" not in self.__dict__.get("_modules", ()):
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        if name in _OWN:
            super().__delattr__(name)
        else:
            delattr(self._orig_mod, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})

    def __len__(self) -> int:
        return len(self._orig_mod)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return True

    def __reduce__(self) -> Any:
        return OptimizedModule, (self._orig_mod,)


# What is set on the module itself: the rest is the inner one's.
_OWN = frozenset({"_orig_mod", "dynamo_ctx", "forward", "training", *vars(Module())})
