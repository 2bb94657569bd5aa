"""Where programs keep what their numbers depend on: compiled they see each change of it. Those of the first group were wrong once."""

from __future__ import annotations

import abc
import argparse
import asyncio
import collections
import concurrent.futures
import contextlib
import contextvars
import ctypes
import dataclasses
import enum
import fractions
import functools
import inspect
import itertools
import json
import logging
import operator
import os
import pathlib
import pickle
import queue
import struct
import sys
import threading
import types
import typing
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from changed_between import Made, follows_the_program

pytestmark = pytest.mark.filterwarnings("ignore:torch.compile")


class Holder:
    """What has a number, and attributes that it is given."""

    scale = 1.0

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)


def ones() -> Any:
    return torch.ones(3)


def annotations() -> Made:
    def asked() -> None:
        pass

    asked.__annotations__["scale"] = 1.0
    return (
        lambda: ones() * asked.__annotations__["scale"],
        lambda call: asked.__annotations__.__setitem__("scale", float(call)),
    )


def attributes_that_a_class_makes_up() -> Made:
    class Plain:
        pass

    holder: Any = Plain()
    return (
        lambda: ones() * (holder.scale if hasattr(holder, "scale") else 1.0),
        lambda call: setattr(Plain, "__getattr__", lambda self, name: float(call)),
    )


def dtype_of_autocast() -> Made:
    def change(call: int) -> None:
        torch.set_autocast_dtype("cpu", torch.float16 if call % 2 else torch.bfloat16)

    def program() -> Any:
        with torch.autocast("cpu"):
            product = ones()[None] @ ones()[:, None] / 3
        return product.float() * (2 if torch.get_autocast_dtype("cpu") is torch.float16 else 1)

    return program, change


def attribute_of_a_partial() -> Made:
    part: Any = functools.partial(float, 1.0)
    part.scale = 1.0
    return lambda: ones() * part.scale, lambda call: setattr(part, "scale", float(call))


def attribute_of_a_class_of_a_librarys() -> Made:
    argparse.Namespace.scale_of_all = 1.0  # type: ignore[attr-defined]
    names: Any = argparse.Namespace()
    return lambda: ones() * names.scale_of_all, lambda call: setattr(argparse.Namespace, "scale_of_all", float(call))


def conversion_of_a_class_of_a_librarys() -> Made:
    half = fractions.Fraction(1, 2)
    return lambda: ones() * float(half), lambda call: setattr(fractions.Fraction, "__float__", lambda self: float(call))


def object_that_finds_its_attributes_itself() -> Made:
    numbers = {"scale": 1.0}

    class Strange:
        def __getattribute__(self, name: str) -> Any:
            return numbers[name]

    holder: Any = Strange()
    return lambda: ones() * holder.scale, lambda call: numbers.update(scale=float(call))


# What was right.


def frozen_dataclass() -> Made:
    @dataclasses.dataclass(frozen=True)
    class Frozen:
        scale: float = 1.0

    holder = Frozen()
    return lambda: ones() * holder.scale, lambda call: object.__setattr__(holder, "scale", float(call))


def default_of_a_dataclass() -> Made:
    @dataclasses.dataclass
    class Plain:
        scale: float = 1.0

    def change(call: int) -> None:
        Plain.__init__.__defaults__ = (float(call),)  # type: ignore[misc]

    return lambda: ones() * Plain().scale, change


def field_of_a_dataclass() -> Made:
    @dataclasses.dataclass
    class Plain:
        scale: float = 1.0

    return (
        lambda: ones() * dataclasses.fields(Plain)[0].default,
        lambda call: setattr(dataclasses.fields(Plain)[0], "default", float(call)),
    )


def slot_that_is_deleted() -> Made:
    class Slotted:
        __slots__ = ("scale",)

    holder: Any = Slotted()
    holder.scale = 1.0
    return lambda: ones() * getattr(holder, "scale", 7.0), lambda call: delattr(holder, "scale") if call == 3 else None


def weak_values() -> Made:
    holder = Holder()
    found = weakref.WeakValueDictionary(a=holder)
    return lambda: ones() * found["a"].scale, lambda call: setattr(holder, "scale", float(call))


def weak_set() -> Made:
    every = [Holder() for _ in range(6)]
    found = weakref.WeakSet(every)
    return lambda: ones() * len(found), lambda call: every.pop()


def weak_method() -> Made:
    class Scaling(Holder):
        def read(self) -> float:
            return self.scale

    holder = Scaling()
    method = weakref.WeakMethod(holder.read)
    return lambda: ones() * method()(), lambda call: setattr(holder, "scale", float(call))  # type: ignore[misc]


def context_variable() -> Made:
    variable = contextvars.ContextVar("scale", default=1.0)
    return lambda: ones() * variable.get(), lambda call: variable.set(float(call))


def generator_that_is_sent_to() -> Made:
    def numbers() -> Iterator[Any]:
        scale = 1.0
        while True:
            scale = (yield scale) or scale

    generator: Any = numbers()
    next(generator)
    return lambda: ones() * generator.send(None), lambda call: generator.send(float(call))


def attribute_by_the_class() -> Made:
    class Base:
        scale = 1.0

    class Derived(Base):
        pass

    holder = Derived()
    return lambda: ones() * type(holder).scale, lambda call: setattr(Base if call == 3 else Derived, "scale", float(call))


def descriptor_with_a_store() -> Made:
    class Stored:
        store: typing.ClassVar[dict[int, float]] = {}

        def __get__(self, holder: object, kind: type | None = None) -> float:
            return self.store.get(id(holder), 1.0)

        def __set__(self, holder: object, value: float) -> None:
            self.store[id(holder)] = value

    class Described:
        scale = Stored()

    holder = Described()
    return lambda: ones() * holder.scale, lambda call: setattr(holder, "scale", float(call))


def property_that_is_cached() -> Made:
    class Caching(Holder):
        @functools.cached_property
        def twice(self) -> float:
            return self.scale * 2

    holder = Caching()

    def change(call: int) -> None:
        holder.scale = float(call)
        del holder.twice

    return lambda: ones() * holder.twice, change


def array_of_numpy() -> Made:
    numbers = np.array(1.0)
    return lambda: ones() * float(numbers), lambda call: numbers.fill(call)


def array_behind_a_tensor() -> Made:
    numbers = np.ones(3, np.float32)
    return lambda: torch.from_numpy(numbers) * 2, lambda call: numbers.fill(call)


def environment_as_bytes() -> Made:
    os.environ["RUSHLIGHT_SCALE"] = "1"
    return (
        lambda: ones() * float(os.environb[b"RUSHLIGHT_SCALE"]),
        lambda call: os.environ.__setitem__("RUSHLIGHT_SCALE", str(call)),
    )


def file(path: pathlib.Path) -> Made:
    path.write_text("1")
    return lambda: ones() * json.loads(path.read_text()), lambda call: path.write_text(str(call))


def file_that_is_there_or_not(path: pathlib.Path) -> Made:
    return lambda: ones() * (2 if path.exists() else 1), lambda call: path.touch() if call % 2 else path.unlink()


def default_that_is_changed() -> Made:
    def asked(numbers: list[float] = [1.0]) -> float:  # noqa: B006
        return numbers[0]

    return lambda: ones() * asked(), lambda call: asked.__defaults__[0].__setitem__(0, float(call))  # type: ignore[index]


def default_by_name() -> Made:
    def asked(*, scale: float = 1.0) -> float:
        return scale

    return lambda: ones() * asked(), lambda call: asked.__kwdefaults__.__setitem__("scale", float(call))


def signature() -> Made:
    def asked(scale: float = 1.0) -> None:
        pass

    return (
        lambda: ones() * inspect.signature(asked).parameters["scale"].default,
        lambda call: setattr(asked, "__defaults__", (float(call),)),
    )


def tensors_in_a_set() -> Made:
    first, second = ones(), ones() * 2
    found = {first}

    def change(call: int) -> None:
        found.clear()
        found.add(second if call % 2 else first)

    return lambda: sum(found) * 1, change  # type: ignore[operator]


def tensors_in_a_queue() -> Made:
    found = collections.deque([ones(), ones() * 2])
    return lambda: found[0] * 1, lambda call: found.rotate(1)


def maps_in_a_chain() -> Made:
    first: dict[str, float] = {}
    found = collections.ChainMap(first, {"scale": 1.0})
    return lambda: ones() * found["scale"], lambda call: first.update(scale=float(call))


def keys_that_are_missing() -> Made:
    class Making(dict[str, float]):
        value = 1.0

        def __missing__(self, key: str) -> float:
            return self.value

    found = Making()
    return lambda: ones() * found["scale"], lambda call: setattr(found, "value", float(call))


def view_of_a_dict() -> Made:
    numbers = {"a": 1.0}
    view = numbers.values()
    return lambda: ones() * sum(view), lambda call: numbers.update(a=float(call))


def attributes_from_a_store() -> Made:
    store = {"scale": 1.0}

    class Stored:
        def __getattr__(self, name: str) -> float:
            return store[name]

    holder = Stored()
    return lambda: ones() * holder.scale, lambda call: store.update(scale=float(call))


def numbers_of_a_thread() -> Made:
    numbers = threading.local()
    numbers.scale = 1.0
    return lambda: ones() * numbers.scale, lambda call: setattr(numbers, "scale", float(call))


def event() -> Made:
    flag = threading.Event()
    return lambda: ones() * (2 if flag.is_set() else 1), lambda call: flag.set() if call % 2 else flag.clear()


def length_of_a_queue() -> Made:
    waiting: queue.Queue[int] = queue.Queue()
    return lambda: ones() * waiting.qsize(), waiting.put


def another_thread() -> Made:
    holder = Holder()

    def program() -> Any:
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(ones() * holder.scale))
        thread.start()
        thread.join()
        return found[0] * 2

    return program, lambda call: setattr(holder, "scale", float(call))


def pool_of_threads() -> Made:
    holder, pool = Holder(), concurrent.futures.ThreadPoolExecutor(1)
    return lambda: ones() * pool.submit(lambda: holder.scale).result(), lambda call: setattr(holder, "scale", float(call))


def coroutine() -> Made:
    holder = Holder()

    async def read() -> float:
        return holder.scale

    return lambda: ones() * asyncio.run(read()), lambda call: setattr(holder, "scale", float(call))


def number_of_ctypes() -> Made:
    number = ctypes.c_double(1.0)
    return lambda: ones() * number.value, lambda call: setattr(number, "value", float(call))


def packed_bytes() -> Made:
    packed = bytearray(struct.pack("d", 1.0))
    return lambda: ones() * struct.unpack("d", packed)[0], lambda call: struct.pack_into("d", packed, 0, float(call))


def attribute_of_an_enum() -> Made:
    class Kind(enum.Enum):
        ONE = 1

    kind: Any = Kind.ONE
    kind.scale = 1.0
    return lambda: ones() * kind.scale, lambda call: setattr(kind, "scale", float(call))


def operators_of_an_object() -> Made:
    class Acting(Holder):
        def __contains__(self, one: object) -> bool:
            return self.scale > 3

        def __float__(self) -> float:
            return self.scale

        def __index__(self) -> int:
            return int(self.scale) % 2

    holder: Any = Acting()
    return (
        lambda: ones() * float(holder) * [5.0, 7.0][holder] + (1 if 0 in holder else 2),
        lambda call: setattr(holder, "scale", float(call)),
    )


def attributes_in_a_format() -> Made:
    holder = Holder()
    return lambda: ones() * float(f"{holder.scale}"), lambda call: setattr(holder, "scale", float(call))


def block_of_an_object() -> Made:
    holder = Holder()

    @contextlib.contextmanager
    def block() -> Iterator[float]:
        yield holder.scale

    def program() -> Any:
        with block() as scale:
            return ones() * scale

    return program, lambda call: setattr(holder, "scale", float(call))


def error_that_is_handled() -> Made:
    numbers = {"a": 1.0}

    def program() -> Any:
        try:
            scale = numbers["b"]
        except KeyError:
            scale = 5.0
        return ones() * scale

    return program, lambda call: numbers.update(b=float(call))


def pickled_object() -> Made:
    kept = [pickle.dumps(1.0)]
    return lambda: ones() * pickle.loads(kept[0]), lambda call: kept.__setitem__(0, pickle.dumps(float(call)))


def text_that_is_run() -> Made:
    holder = Holder()
    return lambda: ones() * eval("holder.scale", {"holder": holder}), lambda call: setattr(holder, "scale", float(call))


def function_by_kinds() -> Made:
    @functools.singledispatch
    def asked(one: object) -> float:
        return 1.0

    return lambda: ones() * asked(3), lambda call: asked.register(int, lambda one: float(call))


def level_of_a_log() -> Made:
    log = logging.getLogger("rushlight.test")
    log.setLevel(logging.INFO)
    return lambda: ones() * (2 if log.isEnabledFor(logging.DEBUG) else 1), lambda call: log.setLevel(10 if call % 2 else 20)


def classes_that_are_registered() -> Made:
    class Base(abc.ABC):  # noqa: B024
        pass

    class Other:
        pass

    one = Other()
    return lambda: ones() * (2 if isinstance(one, Base) else 1), lambda call: Base.register(Other)


def kinds_by_what_they_have() -> Made:
    @typing.runtime_checkable
    class Reading(typing.Protocol):
        def read(self) -> float: ...

    holder = type("Kind", (), {})()
    return (
        lambda: ones() * (2 if isinstance(holder, Reading) else 1),
        lambda call: setattr(type(holder), "read", lambda self: 1.0),
    )


def subclasses() -> Made:
    kept: list[type] = []
    return lambda: ones() * len(Holder.__subclasses__()), lambda call: kept.append(type("Kind", (Holder,), {}))


def iterator_that_goes_on() -> Made:
    numbers = itertools.cycle([1.0, 2.0])
    return lambda: ones() * (1 + 0 * next(numbers)), lambda call: None


def attribute_of_a_number() -> Made:
    class Number(float):
        scale = 1.0

    number = Number(2)
    return lambda: ones() * number.scale, lambda call: setattr(number, "scale", float(call))


def replaced_module() -> Made:
    def module(scale: float) -> Any:
        made: Any = types.ModuleType("rushlight_test_kept")
        made.scale = scale
        return made

    sys.modules["rushlight_test_kept"] = module(1.0)

    def program() -> Any:
        import rushlight_test_kept  # type: ignore[import-not-found]

        return ones() * rushlight_test_kept.scale

    return program, lambda call: sys.modules.__setitem__("rushlight_test_kept", module(float(call)))


def memory_of_a_parameter() -> Made:
    net = nn.Linear(3, 3)
    return lambda: net.weight.detach() * 2, lambda call: setattr(net.weight, "data", torch.full((3, 3), float(call)))


def method_by_its_name() -> Made:
    class Reading(Holder):
        def read(self) -> float:
            return self.scale

    holder, read = Reading(), operator.methodcaller("read")
    return lambda: ones() * sum(map(read, [holder])), lambda call: setattr(holder, "scale", float(call))


MADE = [
    made for made in list(globals().values())
    if isinstance(made, types.FunctionType) and made.__annotations__.get("return") == "Made"
]  # fmt: skip


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    """Puts back what the programs change for the whole process."""
    dtype = torch.get_autocast_dtype("cpu")
    yield
    torch.set_autocast_dtype("cpu", dtype)
    os.environ.pop("RUSHLIGHT_SCALE", None)
    sys.modules.pop("rushlight_test_kept", None)
    for kind, name in ((argparse.Namespace, "scale_of_all"), (fractions.Fraction, "__float__")):
        if name in vars(kind):
            delattr(kind, name)


@pytest.mark.parametrize("make", MADE)
def test_what_a_program_keeps_is_seen(make: Callable[..., Made], tmp_path: pathlib.Path) -> None:
    follows_the_program(*(make(tmp_path / "one") if inspect.signature(make).parameters else make()))


def test_autocast_of_another_dtype() -> None:
    fast: Any = torch.compile(lambda x: x @ x)
    fast._compiled.always = True
    for dtype in (torch.bfloat16,) * 3 + (torch.float16,) * 3 + (torch.bfloat16,):
        with torch.autocast("cpu", dtype=dtype):
            assert fast(torch.ones(2, 2)).dtype is dtype


@dataclasses.dataclass
class Batch:
    x: Any
    scale: float


class Rows(list[Any]):
    pass


@pytest.mark.parametrize(
    "given",
    [
        lambda call: Batch(ones() * call, float(call // 3)),
        lambda call: collections.deque([ones() * call], maxlen=1 + call // 3),
        lambda call: Rows([ones() * call]),
        lambda call: np.full(3, call, np.float32),
    ],
)
def test_arguments_that_cannot_be_compared(given: Callable[[int], Any]) -> None:
    """They were asked whether they are equal, which is an error where there are tensors in them."""

    def program(one: Any) -> Any:
        if isinstance(one, Batch):
            return one.x * one.scale
        return torch.from_numpy(one) * 2 if isinstance(one, np.ndarray) else one[0] * getattr(one, "maxlen", 1)

    fast = torch.compile(program)
    for call in range(12):
        assert fast(given(call)).tolist() == program(given(call)).tolist()
