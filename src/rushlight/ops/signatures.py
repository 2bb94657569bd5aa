"""What ``inspect.signature`` and ``help`` show of public functions: PyTorch's parameters with their defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping


class Unsaid:
    """The default of an argument for which None is not the same as nothing; shown as None."""

    def __repr__(self) -> str:
        return "None"


OUT = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Any")
INPLACE = inspect.Parameter("inplace", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False, annotation="bool")


class PublicSignature(inspect.Signature):
    """The signature of a function that calls ``function``, found when somebody asks: finding it takes ten times as long as making
    the function.

    ``more``  what it takes beside what ``function`` takes

    >>> import inspect
    >>> import rushlight as torch
    >>> list(inspect.signature(torch.sum).parameters)
    ['input', 'dim', 'keepdim', 'dtype', 'out']
    >>> inspect.signature(torch.sum).parameters["dim"].default is None
    True
    """

    __slots__ = ("_found", "_function", "_more")

    def __init__(self, function: Callable[..., object], *more: inspect.Parameter) -> None:
        self._function, self._more = function, more
        self._found: inspect.Signature | None = None

    def _whole(self) -> inspect.Signature:
        if self._found is None:
            plain = inspect.signature(self._function)
            parameters = [
                each.replace(default=None) if isinstance(each.default, Unsaid) else each for each in plain.parameters.values()
            ]
            parameters += [each for each in self._more if each.name not in plain.parameters]
            parameters.sort(key=lambda each: each.kind)
            self._found = plain.replace(parameters=parameters)
        return self._found

    @property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        return self._whole().parameters

    @property
    def _return_annotation(self) -> object:
        return self._whole().return_annotation

    def replace(self, **parts: object) -> inspect.Signature:  # type: ignore[override]
        """A plain signature with other parts."""
        return self._whole().replace(**parts)  # type: ignore[arg-type]
