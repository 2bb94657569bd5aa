"""PyTorch's errors for arguments of the wrong kind: looked for once a call has failed, so that calls that do not pay nothing.

PyTorch looks at all arguments before a function begins, and names the first that does not fit; where a function has several
forms it says what was given.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import re
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..base.arguments import type_name
from ..tensor import Tensor
from .argument_forms import forms_of, refusal

_FIELDS = frozenset("_array _base _conjugate _inference _negated _of_batch".split())  # only tensors have them
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
# What PyTorch calls the functions, and their arguments, that it calls in place of these.
_CALLED = {
    "cross_entropy": "cross_entropy_loss",
    "fold": "col2im",
    "grid_sample": "grid_sampler",
    "logsigmoid": "log_sigmoid",
    "nll_loss": "nll_loss_nd",
    "unfold": "im2col",
}
# Methods that PyTorch has written in Python, which call the function.
_METHODS_IN_PYTHON = frozenset({"istft"})
# Functions that PyTorch has written in Python, and what they ask of their first argument.
_ASKED_FOR = {
    **dict.fromkeys(
        "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits gaussian_nll_loss "
        "adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool2d_with_indices adaptive_max_pool3d "
        "adaptive_max_pool3d_with_indices instance_norm max_unpool1d max_unpool2d max_unpool3d".split(),
        "size",
    ),
    **dict.fromkeys(
        "dropout1d dropout2d dropout3d embedding_bag fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d "
        "fractional_max_pool3d_with_indices glu group_norm interpolate linear_cross_entropy local_response_norm log_softmax "
        "margin_ranking_loss softmax softmin tensordot upsample upsample_bilinear upsample_nearest".split(),
        "dim",
    ),
    **dict.fromkeys("amax amin argmax argmin logaddexp logsumexp".split(), "dtype layout"),  # of torch.masked, as the next two
    **dict.fromkeys("mean prod sum".split(), "layout"),
    "affine_grid": "is_floating_point",
    "max_pool3d_with_indices": "is_cuda",
    "triplet_margin_with_distance_loss": "ndim",
    "unravel_index": "is_complex",
    "norm": "layout",
    "normalize": "norm",
    "split": "split",
}
# Functions that PyTorch has written in Python, and that hand these of their arguments on as they are, in the order of what is behind.
_HANDED_ON = {
    "batch_norm": "input weight bias running_mean running_var training momentum eps",
    "celu": "input alpha",
    "cosine_embedding_loss": "input1 input2 target margin",
    "elu": "input alpha",
    "hinge_embedding_loss": "input target margin",
    "leaky_relu": "input negative_slope",
    "rrelu": "input lower upper training",
    "soft_margin_loss": "input target",
    "threshold": "input threshold value",
    **{
        f"max_pool{rank}d{ending}": "input kernel_size stride padding dilation ceil_mode"
        for rank in (1, 2, 3)
        for ending in ("", "_with_indices")
    },
}
_LABELS = {
    ("batch_norm", "bias"): ("bias", 2),
    ("batch_norm", "running_mean"): ("running_mean", 3),
    ("batch_norm", "running_var"): ("running_var", 4),
    ("batch_norm", "weight"): ("weight", 1),
    ("embedding", "input"): ("indices", 1),
    ("embedding", "weight"): ("weight", 0),
}
# Flags of operators that PyTorch asks in Python, and those that functions written in Python pass on to operators.
_LOOSE = frozenset("ambiguity_check assign center inplace pin_memory requires_grad warn_only".split())
_PASSED_ON = frozenset(
    "align_corners ceil_mode count_include_pad enable_gqa is_causal log_input log_target scale_grad_by_freq sparse "
    "zero_infinity".split()
)
# Flags by which PyTorch chooses, in Python, what it calls: it asks for their truth first.
_CHOOSING = {
    **dict.fromkeys(("unique", "unique_consecutive"), ("return_inverse", "return_counts")),
    **{f"{kind}_pool{rank}d": ("return_indices",) for kind in ("max", "adaptive_max", "fractional_max") for rank in (1, 2, 3)},
    **dict.fromkeys(
        ("cross_entropy", "hinge_embedding_loss", "kl_div", "poisson_nll_loss", "soft_margin_loss"), ("size_average", "reduce")
    ),
    **dict.fromkeys(
        ("cosine_embedding_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "triplet_margin_loss"),
        ("size_average", "reduce"),
    ),
    **dict.fromkeys("celu elu hardsigmoid hardswish leaky_relu relu relu6 rrelu selu silu threshold".split(), ("inplace",)),
    "batch_norm": ("training",),
    "lu": ("get_infos",),
}
# What else PyTorch asks of arguments in Python, by the function: asked_first.py.
Handed = tuple[str, tuple[object, ...], dict[str, object]] | None  # the operator that is called in the end, and with what
ASKED_FIRST: dict[str, Callable[[SimpleNamespace], Handed]] = {}
_NO_FORM = re.compile(r"\w+(\(\) received an invalid combination of arguments - got \()Tensor(?:, )?(.*)", re.DOTALL)
_TAKES = re.compile(r"(.*)\(\) takes (?:from (\d+) to )?(\d+) positional arguments? but (\d+) (?:was|were) given")
_OF_FUNCTION = re.compile(r"\w+\(\): argument '(\w+)' \(position (\d+)\) (must be .*)")


@dataclasses.dataclass
class Call:
    """A call that has failed: of a function, or of a method, whose first argument is the tensor."""

    name: str
    parameters: tuple[str, ...]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    method: bool = True
    flags: frozenset[str] = frozenset()  # parameters that must be a bool
    prefix: str = ""  # of the function's name in errors: linalg_norm

    def refusal(self, plain: bool, space: str = "") -> Exception | None:
        """PyTorch's error where the function has several forms and none takes this; ``plain``: whether errors name it so."""
        if f"{space}.{self.name}" in ASKED_FIRST:
            return None  # the forms are those of what it hands its arguments on to
        if self.method and self.name not in _METHODS_IN_PYTHON:
            return refusal(self.name, True, self.args[1:], self.kwargs)
        plain = plain or self.method
        if plain:
            return refusal(self.name, False, self.args, self.kwargs)
        spaces = (f"{space}_{self.name}" for space in ("linalg", "special", "fft"))
        return next((found for name in spaces if (found := refusal(name, False, self.args, self.kwargs)) is not None), None)

    def by_forms(self, native: bool, plain: bool, space: str, f: Callable[..., object]) -> Exception | None:
        """PyTorch's error for arguments of kinds that it does not take, of an operator or of what a function in Python calls."""
        return self.refusal(plain, space) if native else self.handed_on(inspect.signature(f))

    def handed_on(self, signature: inspect.Signature) -> Exception | None:
        """The error of what PyTorch hands the arguments of a function written in Python on to."""
        unclear = None if self.method else self._unclear_choice()
        labels = _HANDED_ON.get(self.name)
        if unclear is not None or labels is None or self.method:
            return unclear
        first = self.args[0] if self.args else self.kwargs.get(self.parameters[0])
        lacks = next((one for one in _ASKED_FOR.get(self.name, "").split() if not hasattr(first, one)), None)
        if lacks is not None:
            return AttributeError(f"'{type_name(first)}' object has no attribute '{lacks}'")
        try:
            bound = signature.bind(*self.args, **self.kwargs)
        except TypeError:
            return None
        bound.apply_defaults()
        values = [bound.arguments[label] for label in labels.split()]
        if "stride" in bound.arguments and bound.arguments["stride"] is None:
            values[2] = ()
        name = _CALLED.get(self.name, self.name)
        given: dict[str, object] = {"cudnn_enabled": True} if name == "batch_norm" else {}
        return refusal(name + "_" * (bound.arguments.get("inplace") is True), False, values, given)

    def asked_first(self, space: str, signature: inspect.Signature) -> Exception | None:
        """The error of what PyTorch asks in Python before it calls an operator, and of what it hands on to that."""
        steps = ASKED_FIRST.get(f"{space}.{self.name}")
        if steps is None:
            return None
        try:
            bound = signature.bind(*self.args, **self.kwargs)
        except TypeError:
            return None
        bound.apply_defaults()
        unclear = None if self.method else self._unclear_choice()
        if unclear is not None:
            return unclear
        try:
            handed = steps(SimpleNamespace(**bound.arguments))
        except Exception as error:
            return error
        return None if handed is None else refusal(handed[0], False, *handed[1:])

    def _unclear_choice(self) -> Exception | None:
        """The error of a flag by which PyTorch chooses what it calls, and whose truth is not to be told."""
        if len(self.args) > len(self.parameters):  # which Python refuses before
            return None
        given = dict([*zip(self.parameters, self.args, strict=False), *self.kwargs.items()])
        for label in _CHOOSING.get(self.name, ()):
            try:
                bool(given.get(label))
            except (RuntimeError, ValueError) as ambiguous:  # of a tensor, of an array
                return ambiguous
        return None

    def misfit(self, error: Exception, whole: bool = True) -> Exception | None:
        """PyTorch's error for the first argument that is not of its kind; None where that is not what ``error`` came from.

        ``whole``  whether numbers are looked at too, not tensors only
        """
        is_missing = isinstance(error, AttributeError) and error.name in _FIELDS
        missing = error.obj if isinstance(error, AttributeError) else None
        given = [*zip(self.parameters, self.args, strict=False), *self.kwargs.items()]
        unclear = self._unclear_choice()
        if unclear is not None:
            return unclear
        asked = _ASKED_FOR.get(self.name) if is_missing and not self.method else None
        lacks = next((one for one in asked.split() if not hasattr(missing, one)), None) if asked is not None else None
        if lacks is not None:
            return AttributeError(f"'{type_name(missing)}' object has no attribute '{lacks}'")
        said = str(error) if type(error) is TypeError else ""
        is_none = said == "'NoneType' object cannot be interpreted as an integer"
        # What is missing comes behind what was given by position.
        wrong_nones = sys.maxsize if is_none else len(self.args) if "() missing " in said else 0
        for place, (label, value) in enumerate(given):
            wanted = "Tensor" if is_missing and value is missing else self._kind_of(label) if whole else ""
            if label in self.flags and not isinstance(value, bool):
                wanted = "bool"
            elif not wanted or (wanted != "Tensor" and (place >= wrong_nones if value is None else _fits(wanted, value))):
                continue
            if self._has_several_forms:
                return self.no_form()
            label, place = _LABELS.get((self.name, label), (label, place))
            where = f" (position {place + 1 - self.method})" if place < len(self.args) else ""
            return TypeError(f"{self._said}(): argument '{label}'{where} must be {wanted}, not {type_name(value)}")
        return (self._within_a_list(missing) if is_missing else None) or self._misnamed(error)

    def _within_a_list(self, missing: Any) -> TypeError | None:
        """The error for what is no tensor among several that were given, in a list or one by one."""
        for values in (self.args, *self.args):
            for place, value in enumerate(values if isinstance(values, (tuple, list)) else ()):
                if value is missing:
                    return TypeError(f"expected Tensor as element {place} in argument 0, but got {type_name(value)}")
        return None

    def _misnamed(self, error: Exception) -> Exception | None:
        """The error of the op behind the function, by the names of the function."""
        said = _OF_FUNCTION.fullmatch(str(error)) if type(error) is TypeError and not self.method else None
        if said is None or said[2] != "1" or not self.parameters:
            return None
        if self._has_several_forms:
            return self.no_form()
        theirs = str(error).partition("(")[0]
        name = theirs if theirs.endswith(f"_{self.name}") else self._said  # fft_fft for torch.fft.fft
        return TypeError(f"{name}(): argument '{self.parameters[0]}' (position 1) {said[3]}")

    @property
    def _said(self) -> str:
        """The function's name in errors: that of what PyTorch calls for it."""
        return self.name if self.method else self.prefix + _CALLED.get(self.name, self.name)

    def as_method(self, error: Exception) -> Exception | None:
        """What a function's own error for an argument is as a method's, whose arguments are counted behind the tensor."""
        if type(error) is not TypeError:
            return None
        unlike = _NO_FORM.fullmatch(str(error))
        if unlike is not None:
            return self.refusal(plain=True) or TypeError(self.name + unlike[1] + unlike[2])
        said = _OF_FUNCTION.fullmatch(str(error))
        if said is None or said[2] == "1":
            return None
        if self._has_several_forms:
            return self.no_form()
        place = int(said[2]) - 1
        label = self.parameters[place] if self.name[-1] == "_" and place < len(self.parameters) else said[1]
        return TypeError(f"{self.name}(): argument '{label}' (position {place}) {said[3]}")

    def too_many(self, own: Callable[..., Any], error: Exception) -> TypeError | None:
        """PyTorch's error for a call with too many arguments, if that is what Python's ``error`` for ``own`` is about."""
        said = _TAKES.fullmatch(str(error)) if type(error) is TypeError else None
        if said is None or said[1] != own.__qualname__ or inspect.unwrap(own).__code__.co_flags & inspect.CO_VARARGS:
            return None
        least, most, got = (None if each is None else int(each) - self.method for each in said.groups()[1:])
        if self.method and not most and least is None and len(self.parameters) == 1:
            return TypeError(f"TensorBase.{self.name}() takes no arguments ({got} given)")
        takes = (
            f"{most} positional argument{'' if most == 1 else 's'}"
            if least is None
            else f"from {least} to {most} positional arguments"
        )
        return TypeError(f"{self._said}() takes {takes} but {got} {'was' if got == 1 else 'were'} given")

    def no_form(self) -> Exception:
        """PyTorch's error for arguments that none of a function's forms takes, with the form that it has here."""
        said = self.refusal(plain=True)
        if said is not None:
            return said
        args = [type_name(value) for value in self.args[self.method :]]
        got = args + [f"{label}={type_name(value)}" for label, value in self.kwargs.items()]
        only = ", " if self.kwargs and not args else ""
        return TypeError(
            f"{self.name}() received an invalid combination of arguments - got ({', '.join(got)}{only}), but expected one of:\n"
            f" * ({', '.join(self.parameters[self.method :])})\n"
        )

    @property
    def _has_several_forms(self) -> bool:
        forms = forms_of(self.name, self.method)
        return bool(forms) and not forms[0].is_alone

    def _kind_of(self, label: str) -> str:
        if label == "dim" and self.name.rstrip("_") in _SEVERAL_DIMS:
            return _SEVERAL
        return _OWN.get((self.name, label)) or _KINDS.get(label, "")


def _fits(wanted: str, value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return wanted == _SEVERAL
    if isinstance(value, (bool, Tensor)):
        return not isinstance(value, bool)
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def lacking(own: str, name: str, error: Exception) -> TypeError | None:
    """PyTorch's error for a call with too few arguments, if that is what Python's ``error`` is about."""
    start = f"{own}() missing "
    if not isinstance(error, TypeError) or not str(error).startswith(start):
        return None
    labels = re.findall(r"'(\w+)'", str(error))
    if not labels:
        return None
    return without(name, labels)


def without(name: str, labels: list[str]) -> TypeError:
    """PyTorch's error for arguments that were not given; its plural is where there is one."""
    words = f"{len(labels)} required positional argument{'s' if len(labels) == 1 else ''}"
    return TypeError(f"{name}() missing {words}: " + ", ".join(f'"{label}"' for label in labels))


# Flags: parameters that must be a bool.


def flags_of(f: Callable[..., Any], native: bool) -> dict[str, int]:
    """The parameters of ``f`` that must be a bool, and their places; one that is given by name alone has no place that is used."""
    function = inspect.unwrap(f)
    if function.__code__.co_flags & inspect.CO_VARARGS:  # sizes one by one: only a few more may be given, by their names
        return {}
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = function.__defaults__ or ()
    places = range(len(names) - len(defaults), len(names))
    behind = [(names[place], place, default) for place, default in zip(places, defaults, strict=True)]
    behind += [(label, sys.maxsize, default) for label, default in (function.__kwdefaults__ or {}).items()]
    return {
        label: place
        for label, place, default in behind
        if isinstance(default, bool) and (label not in _LOOSE if native else label in _PASSED_ON)
    }


def no_bool(flags: dict[str, int], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """The first flag for which something else than a bool is given."""
    for label, place in flags.items():
        if (args[place] if place < len(args) else kwargs.get(label, False)).__class__ is not bool:
            return label
    return None


def only_bools(f: Callable[..., Any], flags: dict[str, int]) -> Callable[..., Any]:
    """``f``, which raises TypeError where something else is given for a flag."""

    @functools.wraps(f)
    def checked(*args: Any, **kwargs: Any) -> Any:
        label = no_bool(flags, args, kwargs)
        if label is not None:
            raise TypeError(f"{f.__name__}(): argument '{label}' must be bool")
        return f(*args, **kwargs)

    return checked
