"""PyTorch's error for arguments that no form of a function takes, asked for once a call has failed.

PyTorch tries a function's forms in order. Where none takes the arguments, and just one takes as many, its first argument that does
not fit is named; else all forms are listed. ``argument_forms.txt`` has the forms of functions with several, as PyTorch lists them, and
behind ``=`` the one form that others have.

>>> print(refusal("pow", False, ("a", 2), {}))
pow() received an invalid combination of arguments - got (str, int), but expected one of:
 * (Tensor input, Tensor exponent, *, Tensor out = None)
 * (Number self, Tensor exponent, *, Tensor out = None)
 * (Tensor input, Number exponent, *, Tensor out = None)
<BLANKLINE>
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..base.arguments import refuse_too_large, type_name
from .argument_types import Arguments, Named
from .parameters import Parameter, is_index, is_tensor, overflows

F = TypeVar("F", bound=Callable[..., Any])
V = TypeVar("V")

# Functions whose schema has ``out``, which PyTorch's parser does not take.
_WITHOUT_OUT = frozenset(
    "adaptive_avg_pool1d affine_grid_generator as_strided_scatter avg_pool1d binary_cross_entropy_with_logits bincount binomial celu "
    "channel_shuffle clone constant_pad_nd conv_tbc convolution diag_embed diagonal_scatter dist embedding empty_like empty_permuted "
    "empty_strided flip full_like grid_sampler_2d grid_sampler_3d isinf isnan linalg_matrix_exp masked_scatter native_dropout "
    "native_group_norm native_layer_norm ones_like pixel_shuffle pixel_unshuffle poisson put relu roll rot90 segment_reduce "
    "select_scatter trace unsafe_split unsafe_split_with_sizes zeros_like".split()
)
# Tuples of ints that one int does not stand for.
_NEVER_ONE = frozenset(
    "size sizes shape split_sizes indices input_lengths target_lengths source destination repeats blocksize".split()
)


# NumPy's names of arguments, which PyTorch takes beside its own.
SPELLINGS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}


def spellings_of(parameters: tuple[str, ...]) -> dict[str, str]:
    """What a function with these parameters takes by other names, and their own."""
    return {other: own for other, own in SPELLINGS.items() if own in parameters and other not in parameters}


def respelled(named: dict[str, V], spellings: dict[str, str] = SPELLINGS) -> dict[str, V]:
    """Arguments by their own names, but for one that is given by both."""
    return {spellings[key] if key in spellings and spellings[key] not in named else key: value for key, value in named.items()}


def _has_imaginary_part(number: Any) -> bool:
    return bool(np.imag(number.item()))


class Form(NamedTuple):
    """One way to call a function."""

    text: str
    parameters: tuple[Parameter, ...]
    is_alone: bool  # the only one of its function, which is listed nowhere

    @property
    def required(self) -> list[Parameter]:
        """Those without a default."""
        return [each for each in self.parameters if each.default is None]

    @property
    def by_position(self) -> int:
        """How many may be given without their names."""
        return sum(not each.keyword_only for each in self.parameters)

    @property
    def gathers(self) -> bool:
        """Whether ints may be given one by one."""
        first = self.parameters[0] if self.by_position == 1 else None
        return first is not None and first.kind == "tuple of ints" and first.default is None

    def misfit(self, name: str, args: Sequence[object], kwargs: dict[str, object]) -> TypeError | None:
        """What does not fit, as PyTorch says it; None where all does."""
        gathered = self.gathers and args and is_index(args[0])
        if len(args) > self.by_position and not gathered:
            least = len(self.required)
            takes = f"{self.by_position} positional argument{'s' * (self.by_position != 1)}"
            if least != self.by_position:
                takes = f"from {least} to {self.by_position} positional arguments"
            were = "was" if len(args) == 1 and least == self.by_position else "were"
            return TypeError(f"{name}() takes {takes} but {len(args)} {were} given")
        given = (args,) if gathered else args
        used = 0
        for place, parameter in enumerate(self.parameters):
            if place < len(given):
                value, where = given[place], f" (position {place + 1})"
            elif parameter.label in kwargs:
                value, where = kwargs[parameter.label], ""
                used += 1
            elif parameter.default is None and parameter.kind != "torch.Generator":
                return self._lacking(name, args, kwargs)
            else:
                continue
            if not parameter.takes(value, name):
                found = f"not {type_name(value)}"
                if parameter.kind == "tuple of ints" and isinstance(value, (tuple, list)) and (where or not self.is_alone):
                    found = f"but found element of type {type_name(value[0])} at pos 0"
                return TypeError(f"{name}(): argument '{parameter.label}'{where} must be {parameter.kind}, {found}")
        return self._unknown(name, len(args), kwargs) if used < len(kwargs) else None

    def _lacking(self, name: str, args: Sequence[object], kwargs: dict[str, object]) -> TypeError:
        behind = [each.label for each in self.required if each in self.parameters[len(args) :]]
        if self.is_alone:  # all from the first that is missing on
            missing = [f'"{label}"' for label in itertools.dropwhile(kwargs.__contains__, behind)]
        else:
            missing = [f'"{label}"' for label in behind if label not in kwargs]
        arguments = "argument" if self.is_alone and len(missing) > 1 else "arguments"
        return TypeError(f"{name}() missing {len(missing)} required positional {arguments}: {', '.join(missing)}")

    def _unknown(self, name: str, given: int, kwargs: dict[str, object]) -> TypeError:
        before = {each.label for each in self.parameters[:given]}
        labels = {each.label for each in self.parameters}
        for key in kwargs:
            if key not in labels:
                return TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            if key in before:
                return TypeError(f"{name}() got multiple values for argument '{key}'")
        return TypeError("invalid keyword arguments")

    def unpacking_error(self, name: str, args: Sequence[object], kwargs: dict[str, object]) -> Exception | None:
        """What 64 bits do not hold, and what is no int behind the first of several: PyTorch finds it once a form has been chosen."""
        given = (args, *args[1:]) if self.gathers and args and is_index(args[0]) else args
        for place, parameter in enumerate(self.parameters):
            value = given[place] if place < len(given) else kwargs.get(parameter.label)
            if parameter.kind == "tuple of ints" and isinstance(value, (tuple, list)):
                for position, one in enumerate(value):
                    is_whole = isinstance(one, bool) or is_index(one)
                    if not is_whole or overflows(one):
                        why = (
                            "Overflow when unpacking long long"
                            if is_whole
                            else f"type must be tuple of ints,but got {type_name(one)}"
                        )
                        where = f"failed to unpack the object at pos {position + 1} with error"
                        return TypeError(f"{name}(): argument '{parameter.label}' {where} \"{why}\"")
            elif parameter.kind in ("int", "tuple of ints") and overflows(value):
                return ValueError("Overflow when unpacking long long")
            elif parameter.kind == "Number":
                try:
                    refuse_too_large(value)
                except OverflowError as error:
                    return error
            elif parameter.kind == "float" and is_tensor(value) and _has_imaginary_part(value):
                return RuntimeError("value cannot be converted to type double without overflow")
        return None

    def lacking_kernel(self, name: str) -> NotImplementedError | None:
        """The error of a form that PyTorch has on other devices alone: of products in a dtype of their own."""
        if all(each.label != "out_dtype" for each in self.parameters):
            return None
        return NotImplementedError(f"Could not run 'aten::{name}.dtype' with arguments from the 'CPU' backend.")

    def plain(self, args: Arguments, kwargs: Named) -> tuple[Arguments, Named]:
        """The arguments of a call that fits, with Python's numbers in place of the tensors and the arrays that stand for them."""
        if self.gathers and args and is_index(args[0]):
            return args, kwargs
        places = {each.label: each for each in self.parameters}
        settled = tuple(each.plain(value) for each, value in zip(self.parameters, args, strict=False))
        return settled, {label: places[label].plain(value) if label in places else value for label, value in kwargs.items()}


def refusal(name: str, method: bool, args: Sequence[object], kwargs: dict[str, object]) -> Exception | None:
    """PyTorch's error for a call that none of a function's forms takes; None where one does, or where it has not several.

    ``args``  what was given by position, of a method without the tensor
    """
    forms = forms_of(name, method)
    if not forms:
        return _of_no_arguments(name, args, kwargs) if method and (args or kwargs) and _takes_none(name) else None
    own = respelled(kwargs)
    for form in forms:
        wrong = form.misfit(name, args, kwargs)
        if wrong is not None and own.keys() != kwargs.keys() and form.misfit(name, args, own) is None:
            wrong, kwargs = None, own
        if wrong is None:
            return form.unpacking_error(name, args, kwargs) or form.lacking_kernel(name)
        if form.is_alone:
            return wrong
    count = len(args) + len(kwargs)
    plausible = [form for form in forms if len(form.required) <= count <= len(form.parameters)]
    if len(plausible) == 1:
        return plausible[0].misfit(name, args, kwargs)
    got = f"{name}() received an invalid combination of arguments - got "
    if len(forms) > 1:
        listed = "".join(f" * ({form.text})\n{_why_not(form, args, kwargs)}" for form in forms)
        return TypeError(f"{got}({_given(args, kwargs)}), but expected one of:\n{listed}")
    parts = forms[0].text.split(", ")
    unknown = _unknown_keywords(parts, kwargs)
    if unknown:
        return TypeError(f"{got}unrecognized keyword arguments: {unknown}")
    given = _marked_as_given(parts, args, kwargs) if len(parts) == count else _given(args, kwargs)
    return TypeError(f"{got}({given}), but expected ({forms[0].text})")


def plain_arguments(name: str, method: bool, args: Arguments, kwargs: Named, of_tensor: bool = True) -> tuple[Arguments, Named]:
    """Arguments with numbers in place of what stands for them, where a form takes them.

    ``of_tensor``  whether a method's have the tensor before them
    """
    before = args[: method and of_tensor]
    given = args[len(before) :]
    for form in forms_of(name, method):
        if form.misfit(name, given, kwargs) is None:
            given, kwargs = form.plain(given, kwargs)
            break
    return (*before, *given), kwargs


def in_plain_numbers(
    error: Exception, name: str, method: bool, args: Arguments, kwargs: Named, of_tensor: bool = True
) -> tuple[Arguments, Named] | None:
    """What :func:`plain_arguments` makes of the arguments of a call that ended with ``error``; None where that is what they were."""
    if not isinstance(error, (AttributeError, TypeError)) or refusal(name, method, args[method and of_tensor :], kwargs):
        return None
    settled, named = plain_arguments(name, method, args, kwargs, of_tensor)
    is_as_before = all(map(operator.is_, (*settled, *named.values()), (*args, *kwargs.values())))
    return None if is_as_before else (settled, named)


def held_to_forms(name: str) -> Callable[[F], F]:
    """For functions that PyTorch calls ``name``: their errors for arguments that do not fit are PyTorch's, which looks at them first."""

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def held(*args: object, **kwargs: object) -> object:
            try:
                return function(*args, **kwargs)
            except Exception:
                refuse_misfits(name, False, args, kwargs)
                raise

        return held  # type: ignore[return-value]

    return decorate


def refuse_misfits(name: str, method: bool, args: Sequence[object], kwargs: dict[str, object]) -> None:
    """PyTorch's error for a call that has failed, where none of the function's forms takes its arguments."""
    values = (*args, *kwargs.values())
    if any(hasattr(type(value), "__torch_function__") and not is_tensor(value) for value in values):  # it may be taken for one
        return
    wrong = refusal(name, method, args, kwargs)
    if wrong is not None:
        raise wrong from None


def check_form(name: str, args: Sequence[object]) -> None:
    """PyTorch's error for arguments of a method that do not fit, where nothing would fail that looks for it then."""
    wrong = refusal(name, True, args, {})
    if wrong is not None:
        raise wrong


def _of_no_arguments(name: str, args: Sequence[object], kwargs: dict[str, object]) -> TypeError:
    """PyTorch's error for arguments of a method that takes none, which has words of its own."""
    if kwargs:
        return TypeError(f"TensorBase.{name}() takes no keyword arguments")
    return TypeError(f"TensorBase.{name}() takes no arguments ({len(args)} given)")


@functools.cache
def _takes_none(name: str) -> bool:
    """Whether a method has one form, without arguments."""
    texts = _texts()
    while f".{name}" not in texts and name not in texts and name.endswith("_"):
        name = name[:-1]
    found, is_alone = texts.get(f".{name}") or (as_method(texts[name][0]), texts[name][1]) if name in texts else ((), False)
    return is_alone and found == ("",)


@functools.cache
def forms_of(name: str, method: bool) -> tuple[Form, ...]:
    """A function's or method's forms in PyTorch's order; none where they are not known."""
    texts = _texts()
    if method:
        while f".{name}" not in texts and name not in texts and name.endswith("_"):
            name = name[:-1]
        if f".{name}" in texts:
            name, method = f".{name}", False
    elif name not in texts:
        name += "_"  # elu and its like: of the others PyTorch tells none
    found, is_alone = texts.get(name, ((), False))
    found = as_method(found) if method else found
    # A method without arguments has words of its own.
    return tuple(
        Form(text.replace("SymInt", "int"), tuple(_parameters(text, is_alone)), is_alone)
        for text in found
        if text or not is_alone
    )


@functools.cache
def takes_out(name: str) -> bool:
    """Whether a function takes ``out=``; where its forms are not known, yes."""
    if name in _WITHOUT_OUT:
        return False
    forms = forms_of(name, False)
    return not forms or any(form.text.endswith(" out = None") for form in forms)


def as_method(forms: tuple[str, ...]) -> tuple[str, ...]:
    """The forms of a method: those of the function whose first argument is a tensor, without it and without ``out``."""
    found = []
    for form in forms:
        first, *others = form.split(", ")
        if first.startswith("Tensor "):
            others = [each for each in others if not each.endswith(" out = None")]
            found.append(", ".join(others[:-1] if others[-1:] == ["*"] else others))
    return tuple(found)


@functools.cache
def _texts() -> dict[str, tuple[tuple[str, ...], bool]]:
    """The forms of each function, and whether there is one only."""
    stored = (files(__package__) / "argument_forms.txt").read_text()
    found = {}
    for line in stored.splitlines():
        name, _, text = line.partition(" ")
        is_alone = text.startswith("= ")
        forms = text.removeprefix("= ")[1:-1]
        found[name.removesuffix(":")] = (tuple(forms.split(") | (")) if forms or is_alone else (), is_alone)
    return found


def _parameters(text: str, is_alone: bool) -> Iterator[Parameter]:
    keyword_only = False
    for part in filter(None, text.split(", ")):
        if part == "*":
            keyword_only = True
            continue
        said, has_default, default = part.partition(" = ")
        kind, _, label = said.rpartition(" ")
        optional, several = kind[-1] == "?" or default in ("None", "[]"), kind.removesuffix("?").replace("SymInt", "int")
        one = not several.endswith("[]") and (is_alone or label not in _NEVER_ONE)
        by_index = "SymInt" in kind
        yield Parameter(
            several.removesuffix("[]"), label, default if has_default else None, keyword_only, optional, one, by_index
        )


def _given(args: Sequence[object], kwargs: dict[str, object]) -> str:
    """The types of what was given; PyTorch tells those with names from the last to the first."""
    named = [f"{label}={type_name(value)}" for label, value in reversed(kwargs.items())]
    return ", ".join([*map(type_name, args), *named]) + (", " if named and not args else "")


def _why_not(form: Form, args: Sequence[object], kwargs: dict[str, object]) -> str:
    """What PyTorch says below a form that has as many parts as there are arguments, counted with the star between them."""
    parts = form.text.split(", ")  # one, of no text, where there are no parameters: PyTorch counts so too
    if len(parts) != len(args) + len(kwargs):
        return ""
    start = "      didn't match because some of the "
    unknown = _unknown_keywords(parts, kwargs)
    if unknown:
        return f"{start}keywords were incorrect: {unknown}\n"
    return f"{start}arguments have invalid types: ({_marked_as_given(parts, args, kwargs)})\n"


def _marked_as_given(parts: list[str], args: Sequence[object], kwargs: dict[str, object]) -> str:
    """The types of as many arguments as a form has parts, with marks round those that are not the part's."""
    kinds = [part.rpartition(" ")[0].partition(" = ")[0] for part in parts]
    shown = [_marked(value, kind, "") for value, kind in zip(args, kinds, strict=False)]
    behind = zip(_labels(parts)[len(args) :], kinds[len(args) :], strict=True)
    shown += [_marked(kwargs[label], kind, f"{label}=") for label, kind in behind]
    return ", ".join(shown) + (", " if kwargs and not args else "")


def _labels(parts: list[str]) -> list[str]:
    """The names in a form's parts; of one with a default the default, as PyTorch reads it."""
    return [part.rpartition(" ")[2] for part in parts]


def _unknown_keywords(parts: list[str], kwargs: dict[str, object]) -> str:
    """Those that are not among the last parts of a form, of which PyTorch looks at as many as there are keywords."""
    last = _labels(parts)[-len(kwargs) :] if kwargs else []
    return ", ".join(label for label in reversed(kwargs) if label not in last)


def _marked(value: object, kind: str, label: str) -> str:
    """A value's type, between marks where it is not by name that of the parameter."""
    spelled = _spelled(value)
    return f"{label}{spelled}" if spelled == kind else f"!{label}{spelled}!"


def _spelled(value: object) -> str:
    """A type, of tuples and lists with those of what they hold."""
    if isinstance(value, tuple):
        return f"tuple of ({', '.join(map(type_name, value))}{',' if len(value) == 1 else ''})"
    return f"list of [{', '.join(map(type_name, value))}]" if isinstance(value, list) else type_name(value)
