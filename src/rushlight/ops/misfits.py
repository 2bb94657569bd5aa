"""PyTorch's errors for arguments of the wrong kind: looked for once a call has failed, so that calls that do not pay nothing.

PyTorch looks at all arguments before a function begins, and names the first that does not fit; where a function has several
forms it says what was given.
"""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable
from typing import Any

from . import dispatch

_WHOLE, _SEVERAL = "int", "tuple of ints"
_KINDS = {
    **dict.fromkeys("dim dim0 dim1 dim2 dimension diagonal offset start_dim end_dim k n chunks".split(), _WHOLE),
    **dict.fromkeys(("shifts", "dims"), _SEVERAL),
}
# Names that stand for something else elsewhere.
_OWN = {
    ("unfold", "size"): _WHOLE,
    ("unfold", "step"): _WHOLE,
    ("movedim", "source"): _SEVERAL,
    ("movedim", "destination"): _SEVERAL,
}
_SEVERAL_DIMS = frozenset("amax amin hash_tensor logsumexp nanmean nansum".split())
_SEVERAL_FORMS = frozenset(
    "all any argsort copysign count_nonzero float_power fmod index_fill lerp masked_fill max mean min moveaxis movedim nanquantile "
    "narrow pow prod quantile remainder repeat_interleave scatter sort squeeze std sum tensor_split var where".split()
)
_NO_FORM = re.compile(r"\w+(\(\) received an invalid combination of arguments - got \()Tensor(?:, )?(.*)", re.DOTALL)
_TAKES = re.compile(r"(.*)\(\) takes (?:from (\d+) to )?(\d+) positional arguments? but (\d+) (?:was|were) given")
_OF_FUNCTION = re.compile(r"\w+\(\): argument '(\w+)' \(position (\d+)\) (must be .*)")


def misfit(
    name: str,
    parameters: tuple[str, ...],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    error: Exception,
    method: bool,
    whole: bool = True,
) -> TypeError | None:
    """PyTorch's error for the first argument that is not of its kind; None where that is not what ``error`` came from.

    ``whole``  whether numbers are looked at too, not tensors only
    """
    missing = error.obj if isinstance(error, AttributeError) and error.name == "_array" else None
    given = [*zip(parameters, args, strict=False), *kwargs.items()]
    for place, (label, value) in enumerate(given):
        if missing is not None and value is missing:
            wanted = "Tensor"
        else:
            wanted = (_OWN.get((name, label)) or _KINDS.get(label, "")) if whole else ""
            if label == "dim" and name.rstrip("_") in _SEVERAL_DIMS:
                wanted = _SEVERAL
            if not wanted or value is None or _fits(wanted, value):
                continue
        if name.rstrip("_") in _SEVERAL_FORMS:
            return no_form(name, parameters, args, kwargs, method)
        where = f" (position {place + 1 - method})" if place < len(args) else ""
        return TypeError(f"{name}(): argument '{label}'{where} must be {wanted}, not {_type_name(value)}")
    return None


def as_method(
    name: str, parameters: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> TypeError | None:
    """What a function's own error for an argument is as a method's, whose arguments are counted behind the tensor."""
    if type(error) is not TypeError:
        return None
    unlike = _NO_FORM.fullmatch(str(error))
    if unlike is not None:
        return TypeError(name + unlike[1] + unlike[2])
    said = _OF_FUNCTION.fullmatch(str(error))
    if said is None or said[2] == "1":
        return None
    if name.rstrip("_") in _SEVERAL_FORMS:
        return no_form(name, parameters, args, kwargs, True)
    place = int(said[2]) - 1
    label = parameters[place] if name[-1] == "_" and place < len(parameters) else said[1]
    return TypeError(f"{name}(): argument '{label}' (position {place}) {said[3]}")


def too_many(
    own: Callable[..., Any],
    name: str,
    parameters: tuple[str, ...],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    error: Exception,
    method: bool,
) -> TypeError | None:
    """PyTorch's error for a call with too many arguments, if that is what Python's ``error`` for ``own`` is about."""
    said = _TAKES.fullmatch(str(error)) if type(error) is TypeError else None
    if said is None or said[1] != own.__qualname__ or inspect.unwrap(own).__code__.co_flags & inspect.CO_VARARGS:
        return None
    if name.rstrip("_") in _SEVERAL_FORMS:
        return no_form(name, parameters, args, kwargs, method)
    most, got = int(said[3]) - method, int(said[4]) - method
    if method and not most and said[2] is None and len(parameters) == 1:
        return TypeError(f"TensorBase.{name}() takes no arguments ({got} given)")
    least = "" if said[2] is None else f"from {int(said[2]) - method} to "
    words = (
        f"{most} positional argument{'' if most == 1 and not least else 's'} but {got} {'was' if got == 1 else 'were'} given"
    )
    return TypeError(f"{name}() takes {least}{words}")


def no_form(name: str, parameters: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any], method: bool) -> TypeError:
    """PyTorch's error for arguments that none of a function's forms takes, with the form that it has here."""
    got = [_type_name(value) for value in args[method:]] + [f"{label}={_type_name(value)}" for label, value in kwargs.items()]
    form = ", ".join(parameters[method:])
    only = ", " if kwargs and not args[method:] else ""
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({', '.join(got)}{only}), but expected one of:\n * ({form})\n"
    )


def _fits(wanted: str, value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return wanted == _SEVERAL
    if isinstance(value, (bool, dispatch.Tensor_)):
        return not isinstance(value, bool)
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def _type_name(value: Any) -> str:
    from ..arguments import type_name  # stands above this room

    return type_name(value)
