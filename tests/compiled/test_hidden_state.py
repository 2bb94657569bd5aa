"""What a program may read where no name in its code leads: each of these was wrong in silence once."""

from __future__ import annotations

import builtins
import collections
import decimal
import functools
import importlib
import math
import operator
import os
import pathlib
import random
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from changed_between import Made, follows_the_program

pytestmark = pytest.mark.filterwarnings("ignore:torch.compile")
SCALE = 1.0


class Holder:
    scale = 1.0


def ones() -> Any:
    return torch.ones(3)


# Objects written in C that have others in them.


def method_of_a_dict() -> Made:
    numbers = {"a": 1.0}
    get = numbers.get
    return lambda: ones() * get("a"), lambda call: numbers.update(a=float(call))


def method_of_a_list() -> Made:
    numbers = [1.0]
    get = numbers.__getitem__
    return lambda: ones() * get(0), lambda call: numbers.__setitem__(0, float(call))


def method_that_asks_for_attributes() -> Made:
    holder = Holder()
    get = holder.__getattribute__
    return lambda: ones() * get("scale"), lambda call: setattr(holder, "scale", float(call))


def proxy_of_a_dict() -> Made:
    numbers = {"a": 1.0}
    proxy = types.MappingProxyType(numbers)
    return lambda: ones() * proxy["a"], lambda call: numbers.update(a=float(call))


def list_in_a_slice() -> Made:
    numbers = [1.0]
    part = slice(numbers, None)
    return lambda: ones() * part.start[0], lambda call: numbers.__setitem__(0, float(call))


def record_of_numpy() -> Made:
    record = np.zeros(1, dtype=[("a", "f8")])[0]
    return lambda: ones() * float(record["a"]), lambda call: record.__setitem__("a", call)


def partial_that_is_given_another_function() -> Made:
    part = functools.partial(float, 1.0)
    return lambda: ones() * part(), lambda call: part.__setstate__((float, (float(call),), {}, None))  # type: ignore[attr-defined]


def random_numbers_of_a_partial() -> Made:
    part = functools.partial(random.random)
    random.seed(3)
    return lambda: ones() * (1 if part() < 0.9 else 2), random.seed


def random_numbers_of_an_iterator() -> Made:
    random.seed(3)
    return lambda: ones() * (1 if next(iter(random.random, 2.0)) < 0.9 else 2), random.seed


def what_a_dict_makes() -> Made:
    numbers: Any = collections.defaultdict(int)

    def program() -> Any:
        found = numbers["a"]
        del numbers["a"]
        return ones() * found

    return program, lambda call: setattr(numbers, "default_factory", (lambda: 5.0) if call % 2 else int)


def dict_that_hides_what_is_in_it() -> Made:
    class Hiding(dict[str, float]):
        def __iter__(self) -> Any:
            return iter(())

        def items(self) -> Any:
            return ()

    numbers = Hiding(a=1.0)
    return lambda: ones() * numbers["a"], lambda call: numbers.update(a=float(call))


# What is equal, and not the same.


def order_of_a_set() -> Made:
    numbers = {0, 8}

    def program() -> Any:
        y = ones()
        for number in numbers:
            y = y * 2 + number
        return y

    def change(call: int) -> None:
        numbers.clear()
        for number in (8, 0) if call % 2 else (0, 8):
            numbers.add(number)

    return program, change


def kinds_of_numbers_in_a_set() -> Made:
    numbers: set[float] = {1}

    def change(call: int) -> None:
        numbers.clear()
        numbers.add(1.0 if call % 2 else 1)

    return lambda: ones() * (2 if all(isinstance(number, int) for number in numbers) else 3), change


def kinds_of_keys() -> Made:
    numbers = {1: 2.0}

    def change(call: int) -> None:
        numbers.clear()
        numbers[True if call % 2 else 1] = 2.0

    return lambda: ones() * (2 if any(key is True for key in numbers) else 3), change


# Classes, and what functions and objects are.


def attribute_of_a_metaclass() -> Made:
    class Meta(type):
        scale = 1.0

    class Named(metaclass=Meta):
        pass

    return lambda: ones() * Named.scale, lambda call: setattr(Meta, "scale", float(call))


def classes_that_a_class_is_made_of() -> Made:
    class First:
        scale = 1.0

    class Second:
        scale = 2.0

    class Both(First):
        pass

    holder = Both()
    return lambda: ones() * holder.scale, lambda call: setattr(Both, "__bases__", (Second,) if call % 2 else (First,))


def attributes_that_are_exchanged() -> Made:
    holder = Holder()
    holder.scale = 1.0
    return lambda: ones() * holder.scale, lambda call: setattr(holder, "__dict__", {"scale": float(call)})


def slot_of_a_private_name() -> Made:
    class Slotted:
        __slots__ = ("__scale",)

        def read(self) -> float:
            return self.__scale  # type: ignore[attr-defined, no-any-return]

    holder = Slotted()
    holder._Slotted__scale = 1.0  # type: ignore[attr-defined]
    return lambda: ones() * holder.read(), lambda call: setattr(holder, "_Slotted__scale", float(call))


def name_of_a_class() -> Made:
    kind = type("Kind", (), {})
    return lambda: ones() * len(kind.__name__), lambda call: setattr(kind, "__name__", "k" * call)


def text_of_a_function() -> Made:
    def helper() -> None:
        "Text."

    return lambda: ones() * len(str(helper.__doc__)), lambda call: setattr(helper, "__doc__", "k" * call)


def class_that_says_it_is_a_librarys() -> Made:
    kind: Any = type("Kind", (), {"scale": 1.0, "__module__": "math"})
    return lambda: ones() * kind.scale, lambda call: setattr(kind, "scale", float(call))


@functools.wraps(math.sin)
def like_sin(x: Any) -> Any:
    return x * SCALE


@functools.wraps(torch.relu)
def like_relu(x: Any) -> Any:
    return x * SCALE


def _set_scale(call: int) -> None:
    global SCALE
    SCALE = float(call)


def wrapper_of_a_librarys_function() -> Made:
    _set_scale(1)
    return lambda: like_sin(ones()), _set_scale


def wrapper_of_a_function_of_ours() -> Made:
    _set_scale(1)
    return lambda: like_relu(ones()), _set_scale


def globals_of_a_function() -> Made:
    _set_scale(1)
    return lambda: ones() * like_sin.__globals__["SCALE"], _set_scale


# Modules.


def _config() -> Any:
    module: Any = types.ModuleType("rushlight_test_config")
    module.scale = 1.0
    sys.modules[module.__name__] = module
    return module


def module_imported_inside() -> Made:
    module = _config()

    def program() -> Any:
        import rushlight_test_config  # type: ignore[import-not-found]

        return ones() * rushlight_test_config.scale

    return program, lambda call: setattr(module, "scale", float(call))


def name_imported_inside() -> Made:
    module = _config()

    def program() -> Any:
        from rushlight_test_config import scale

        return ones() * scale

    return program, lambda call: setattr(module, "scale", float(call))


def module_imported_by_a_text() -> Made:
    module = _config()
    return (
        lambda: ones() * importlib.import_module("rushlight_test_config").scale,
        lambda call: setattr(module, "scale", float(call)),
    )


def module_among_all() -> Made:
    module = _config()
    return lambda: ones() * sys.modules["rushlight_test_config"].scale, lambda call: setattr(module, "scale", float(call))


def number_among_the_builtins() -> Made:
    builtins.SCALE_OF_ALL = 1.0  # type: ignore[attr-defined]
    return (
        lambda: ones() * SCALE_OF_ALL,  # type: ignore[name-defined]  # noqa: F821
        lambda call: setattr(builtins, "SCALE_OF_ALL", float(call)),
    )


def arguments_of_the_process() -> Made:
    return lambda: ones() * len(sys.argv), lambda call: sys.argv.append("")


def function_of_a_library() -> Made:
    return lambda: ones() * math.sqrt(4.0), lambda call: setattr(math, "sqrt", lambda x: x * call)


def number_of_variables_of_the_environment() -> Made:
    return lambda: ones() * len(os.environ), lambda call: os.environ.__setitem__(f"RUSHLIGHT_TEST_{call}", "1")


def filters_of_warnings() -> Made:
    return lambda: ones() * len(warnings.filters), lambda call: warnings.simplefilter("ignore", ResourceWarning, lineno=call)


def precision_of_decimals() -> Made:
    return (
        lambda: ones() * float(decimal.Decimal(1) / decimal.Decimal(3)),
        lambda call: setattr(decimal.getcontext(), "prec", call),
    )


# Attributes by names that are texts, asked for by what is written in C.


def attributes_by_reduce() -> Made:
    holder: Any = Holder()
    holder.inner = Holder()
    return (
        lambda: ones() * functools.reduce(getattr, ["inner", "scale"], holder),
        lambda call: setattr(holder.inner, "scale", float(call)),
    )


def attributes_by_map() -> Made:
    holder = Holder()
    return lambda: ones() * sum(map(getattr, [holder], ["scale"])), lambda call: setattr(holder, "scale", float(call))


def attributes_by_another_name() -> Made:
    holder, get = Holder(), getattr
    return lambda: ones() * next(map(get, [holder], ["scale"])), lambda call: setattr(holder, "scale", float(call))


def methods_by_name() -> Made:
    holder: Any = Holder()
    holder.function = math.sin
    return (
        lambda: ones() * operator.methodcaller("function", 1.0)(holder),
        lambda call: setattr(holder, "function", math.cos if call % 2 else math.sin),
    )


# What users put into classes of ours, and gradients.


def attribute_of_all_tensors() -> Made:
    kind: Any = torch.Tensor
    kind.scale_of_all = 1.0
    return lambda: ones() * ones().scale_of_all, lambda call: setattr(kind, "scale_of_all", float(call))


def attribute_of_all_modules() -> Made:
    net: Any = nn.ReLU()
    nn.Module.scale_of_all = 1.0  # type: ignore[assignment]
    return lambda: net(ones()) * net.scale_of_all, lambda call: setattr(nn.Module, "scale_of_all", float(call))


def forward_of_a_module() -> Made:
    net = nn.ReLU()
    return lambda: net(-ones()), lambda call: setattr(nn.ReLU, "forward", lambda self, x: x * call)


def method_of_all_tensors() -> Made:
    return lambda: (-ones()).relu(), lambda call: setattr(torch.Tensor, "relu", lambda self: self * call)


def operator_of_all_tensors() -> Made:
    product = torch.Tensor.__mul__
    return lambda: ones() * 2, lambda call: setattr(torch.Tensor, "__mul__", lambda self, other: product(self, call))


def call_of_all_modules() -> Made:
    net = nn.ReLU()
    return lambda: net(ones()), lambda call: setattr(nn.Module, "__call__", lambda self, x: x * call)


def loop_over_all_lists_of_modules() -> Made:
    nets, own = nn.ModuleList([nn.ReLU(), nn.Tanh()]), nn.ModuleList.__iter__

    def program() -> Any:
        x = ones() - 2
        for net in nets:
            x = net(x) - 1
        return x

    return program, lambda call: setattr(nn.ModuleList, "__iter__", lambda self: iter([*own(self)][:: -1 if call % 2 else 1]))


def class_of_a_module() -> Made:
    config: Any = types.ModuleType("rushlight_test_module")
    config.scale = 1.0

    def change(call: int) -> None:
        config.__class__ = type("Config", (types.ModuleType,), {"scale": property(lambda self: float(call))})

    return lambda: ones() * config.scale, change


def step_of_an_optimizer() -> Made:
    w = ones().requires_grad_()
    optimizer = torch.optim.SGD([w], 0.5)

    def program() -> Any:
        with torch.no_grad():
            w.fill_(1)
        optimizer.zero_grad()
        F.mse_loss(w, w.detach() * 2).backward()
        optimizer.step()
        return w.detach().clone()

    return program, lambda call: setattr(torch.optim.SGD, "step", lambda self, closure=None: None)


def which_gradient_it_is() -> Made:
    w = ones().requires_grad_()
    kept = w.grad = ones()
    return lambda: ones() * (2 if w.grad is kept else 3), lambda call: setattr(w, "grad", kept if call % 2 else ones())


def attribute_of_a_gradient() -> Made:
    w = ones().requires_grad_()
    gradient: Any = ones()
    gradient.scale = 1.0
    w.grad = gradient
    return lambda: ones() * w.grad.scale, lambda call: setattr(w.grad, "scale", float(call))  # type: ignore[union-attr]


MADE = (
    method_of_a_dict, method_of_a_list, method_that_asks_for_attributes, proxy_of_a_dict, list_in_a_slice, record_of_numpy,
    partial_that_is_given_another_function, random_numbers_of_a_partial, random_numbers_of_an_iterator, what_a_dict_makes,
    dict_that_hides_what_is_in_it, order_of_a_set, kinds_of_numbers_in_a_set, kinds_of_keys, attribute_of_a_metaclass,
    classes_that_a_class_is_made_of, attributes_that_are_exchanged, slot_of_a_private_name, name_of_a_class, text_of_a_function,
    class_that_says_it_is_a_librarys, wrapper_of_a_librarys_function, wrapper_of_a_function_of_ours, globals_of_a_function,
    module_imported_inside, name_imported_inside, module_imported_by_a_text, module_among_all, number_among_the_builtins,
    arguments_of_the_process, function_of_a_library, number_of_variables_of_the_environment, filters_of_warnings,
    precision_of_decimals, attributes_by_reduce, attributes_by_map, attributes_by_another_name, methods_by_name,
    attribute_of_all_tensors, attribute_of_all_modules, call_of_all_modules,
    loop_over_all_lists_of_modules, class_of_a_module, forward_of_a_module, method_of_all_tensors, operator_of_all_tensors,
    step_of_an_optimizer, which_gradient_it_is, attribute_of_a_gradient,
)  # fmt: skip


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts back what the programs change for the whole process."""
    for owner, name in (
        (math, "sqrt"), (nn.ReLU, "forward"), (torch.Tensor, "relu"), (torch.Tensor, "__mul__"), (nn.Module, "__call__"),
        (nn.ModuleList, "__iter__"),
    ):  # fmt: skip
        monkeypatch.setattr(owner, name, vars(owner)[name])
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(os, "environ", os.environ)
    before, precision = dict(os.environ), decimal.getcontext().prec
    with warnings.catch_warnings():
        yield
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    decimal.getcontext().prec = precision
    for owner, name in (
        (builtins, "SCALE_OF_ALL"), (torch.Tensor, "scale_of_all"), (nn.Module, "scale_of_all"), (torch.optim.SGD, "step"),
    ):  # fmt: skip
        if name in vars(owner):
            delattr(owner, name)
    sys.modules.pop("rushlight_test_config", None)


@pytest.mark.parametrize("make", MADE)
def test_what_no_name_leads_to_is_seen(make: Callable[[], Made]) -> None:
    follows_the_program(*make())
