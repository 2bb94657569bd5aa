"""Calls of public functions and methods with arguments that mostly do not fit: what arguments.py makes of a seed.

A call is a line of source, so that it is its own report: ``torch.add(torch.ones(2, 3), 2**62)``.
"""

from __future__ import annotations

import inspect
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import rushlight

# What a parameter of that name is mostly given; where the name says nothing, anything of these.
_TENSORS = [
    "torch.arange(6.).reshape(2, 3)",
    "torch.ones(2, 3, requires_grad=True)",
    "torch.ones(3)",
    "torch.tensor(2.5)",
    "torch.eye(3)",
    "torch.arange(24.).reshape(2, 3, 4)",
    "torch.arange(50.).reshape(1, 2, 5, 5)",
    "torch.tensor([1, 0, 1])",
    "torch.tensor([[0, 1, 2], [2, 1, 0]])",
    "torch.tensor(1)",
    "torch.tensor([True, False, True])",
    "torch.ones(2, 2, dtype=torch.complex64)",
    "torch.ones(2, 3, dtype=torch.float64)",
    "torch.ones(2, 3, dtype=torch.bfloat16)",
    "torch.arange(6.).reshape(2, 3).t()",
]
_NUMBERS = ["0", "1", "2", "-1", "3", "0.5", "1.5", "True"]
_DIMS = ["0", "1", "-1", "2", "(0, 1)", "None"]
_SIZES = ["(2, 3)", "(3,)", "3", "[2, 2]", "(0,)", "(1, 2, 5, 5)", "2"]
_WORDS = ["'mean'", "'sum'", "'none'", "'constant'", "'reflect'", "'nearest'", "'bilinear'", "'mul'", "'fro'", "'ij'"]
_DTYPES = ["torch.float64", "torch.int64", "torch.bool", "torch.complex64", "torch.bfloat16", "torch.float32", "None"]
_FUNCTIONS = ["lambda *a: a[0]", "torch.sin", "lambda x: x.sum()"]
_POOLS = {
    "dim dim0 dim1 dim2 dims axis start_dim end_dim dimension source destination": _DIMS,
    "size shape sizes output_size kernel_size normalized_shape n s repeats": _SIZES,
    "stride padding dilation groups k diagonal offset chunks steps num_classes bins": _NUMBERS,
    "value alpha beta p eps lr momentum min max lambd negative_slope low high start end step": _NUMBERS,
    "in_features out_features in_channels out_channels num_features hidden_size": _NUMBERS,
    "keepdim largest sorted unbiased inplace bias": ["True", "False"],
    "reduction reduce mode norm ord padding_mode indexing": _WORDS,
    "func function fn hook": _FUNCTIONS,
    "params parameters tensors": ["[torch.ones(2, 3), torch.ones(2, 3)]", "[torch.ones(2)]"],
    "dtype": _DTYPES,
    "index": ["torch.tensor([1, 0, 1])", "torch.tensor([[0, 1, 2], [2, 1, 0]])", "1"],
    "equation": ["'ij,jk->ik'", "'ij->'", "'ii'"],
}
_PLAUSIBLE = {name: pool for names, pool in _POOLS.items() for name in names.split()}
_ANY = [*_TENSORS, *_TENSORS, *_NUMBERS, *_DIMS, *_SIZES, *_WORDS]

# What mostly fits nowhere.
_BAD = [
    *"None -1 -2 2**31 -2**31 2**62 -2**63 2**63 2**64 10**30 1e400 float('nan') -float('inf') 1j 3.7 99".split(),
    *("''", "'abc'", "'\\x00'", "b'x'", "bytearray(3)", "[]", "()", "{}", "{'a': 1}", "set()", "object()", "type", "Ellipsis"),
    *("[1, 'a']", "[[1], [1, 2]]", "[None]", "(-1,)", "(2**62,)", "(2**62, 4)", "[0] * 70", "(0, 0)", "(1.5, 2)", "[[]]"),
    *("slice(None)", "slice(0, 2**62, 2**62)", "range(3)", "iter([1])", "lambda: 1", "len", "Exception('e')"),
    *("torch.ones(0)", "torch.ones(2, 0, 3)", "torch.tensor(float('nan'))", "torch.tensor(2**62)", "torch.tensor(-1)"),
    *("torch.tensor([2**62, -1, 5])", "torch.tensor([-5, 99])", "torch.ones(1).expand(3)", "torch.ones(1).expand(2, 3)"),
    *("torch.ones(7, 5)", "torch.full((2, 3), float('inf'))", "torch.ones((1,) * 9)", "torch.ones(2, 3).to_sparse()"),
    *("torch.empty(2, 3, dtype=torch.uint8).fill_(200)", "torch.tensor([1j, 2])", "torch.zeros(2, 3, dtype=torch.int8)"),
    *("torch.ones(2, 3, dtype=torch.float16)", "torch.Size([2, 2**62])", "torch.float32", "torch.strided", "torch"),
    *("torch.device('cpu')", "'cuda'", "torch.Tensor", "torch.nn.Linear(2, 3)", "torch.Generator()"),
    *(
        "np.ones((2, 3))",
        "np.float32(2)",
        "np.int64(-1)",
        "np.array(['a'])",
        "np.array([None])",
        "np.ma.masked_array([1.0, 2])",
    ),
    *(
        "np.array(['2020-01-01'], 'M8[D]')",
        "np.zeros(2, [('a', 'f4')])",
        "np.ones(3)[::-1]",
        "np.matrix([[1.0]])",
        "np.bool_(True)",
    ),
    *("np.float128(1)", "np.ones(3, '>f4')", "memoryview(b'abcd')", "array.array('d', [1])", "(ctypes.c_float * 3)()"),
    *("decimal.Decimal(1)", "fractions.Fraction(1, 2)", "datetime.date(2020, 1, 1)", "pathlib.Path('a')", "Liar()"),
]
_SELVES = [
    *_TENSORS,
    "torch.ones(0)",
    "torch.ones(2, 3).to_sparse()",
    "torch.ones(1).expand(2, 3)",
    "torch.zeros(3, dtype=torch.uint8)",
]

_SPACE = "array ctypes datetime decimal fractions pathlib".split()
_HOMES = (
    "torch torch.Tensor torch.nn.functional torch.linalg torch.fft torch.special torch.sparse torch.nn torch.nn.init torch.nn.utils "
    "torch.nn.utils.rnn torch.optim torch.optim.lr_scheduler torch.distributions torch.func torch.autograd torch.autograd.functional "
    "torch.autograd.graph torch.autograd.forward_ad torch.masked torch.signal.windows torch.Generator torch.Size torch.random "
    "torch.utils.data torch.functional torch.nn.Module torch.storage torch.serialization torch.library torch.testing"
).split()
_OPERATORS = (
    "__getitem__ __setitem__ __add__ __radd__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __rpow__ __matmul__ __and__ "
    "__or__ __xor__ __lshift__ __rshift__ __iadd__ __imul__ __itruediv__ __ipow__ __lt__ __eq__ __contains__ __array__ __dlpack__ "
    "__format__ __setstate__ __reduce_ex__ __rmatmul__ __rtruediv__ __rsub__ __iand__ __ilshift__"
).split()
# Not asked: what waits for others, ends processes, or reads and writes beyond the process.
_LEFT_OUT = {
    *"torch.save torch.load torch.hub torch.compile torch.from_file torch.prepare_multiprocessing_environment".split(),
    *"torch.set_num_threads torch.set_num_interop_threads torch.init_num_threads torch.Tensor.share_memory_".split(),
    *"torch.import_ir_module torch.serialization.load torch.serialization.save torch.testing.make_tensor".split(),
}
_SELF_OF = {
    "torch.Generator": ["torch.Generator()"],
    "torch.Size": ["torch.Size([2, 3])"],
    "torch.nn.Module": ["torch.nn.Linear(3, 2)", "torch.nn.Sequential(torch.nn.ReLU())"],
}


class Liar:
    """An object that says it is a sequence, a number and an array, and is none."""

    def __len__(self) -> int:
        return 2**31

    def __getitem__(self, place: object) -> int:
        raise KeyError(place)

    def __index__(self) -> int:
        raise ZeroDivisionError

    def __float__(self) -> float:
        raise ZeroDivisionError


def space(torch: ModuleType) -> dict[str, Any]:
    """The names that a call may use."""
    import numpy as np

    return {"torch": torch, "np": np, "Liar": Liar, **{name: __import__(name) for name in _SPACE}}


def public_names() -> list[str]:
    """Every public function, class and method of rushlight's that is asked, by PyTorch's name."""
    listing = Path(rushlight.__file__).parent / "as_torch/torch_names.txt"
    homes = dict(line.split(": ", 1) for line in listing.read_text().splitlines()[1:])
    homes["torch.Tensor"] += " " + " ".join(_OPERATORS)
    found = []
    for home in _HOMES:
        owner: Any = rushlight
        for part in home.split(".")[1:]:
            owner = getattr(owner, part)
        for name in homes.get(home, "").split():
            value = getattr(owner, name, None)
            if callable(value) and f"{home}.{name}" not in _LEFT_OUT and not _is_plain_class(value):
                found.append(f"{home}.{name}")
    return found


def _is_plain_class(value: Any) -> bool:
    """Whether it is a class that nobody makes: an exception, a stand-in for an inner part."""
    return isinstance(value, type) and issubclass(value, (BaseException, int, str))


def parameters_of(name: str) -> list[str]:
    """What the parameters of a function or method are called, without the tensor that a method belongs to."""
    value: Any = rushlight
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    asked = [value]
    if name.startswith("torch.Tensor."):
        asked = [getattr(rushlight, name.split(".")[-1].rstrip("_"), None), value]
    for one in asked:
        try:
            listed = inspect.signature(one).parameters.values()  # type: ignore[arg-type]
        except (TypeError, ValueError):
            continue
        named = [each.name for each in listed if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
        if named:
            return named[name.startswith(tuple(_SELF_OF)) or name.startswith("torch.Tensor.") :]
    return ["input", "other", "a"]


def calls(name: str, count: int, seed: int) -> list[str]:
    """Lines that call a public name, mostly with one argument that does not fit. The same for the same seed."""
    draw = random.Random(f"{seed}:{name}")
    parameters = parameters_of(name)
    return [_call(name, parameters, draw) for _ in range(count)]


def _call(name: str, parameters: list[str], draw: random.Random) -> str:
    least = 1 if parameters else 0
    many = draw.randint(least, min(max(len(parameters), 2), 6)) if draw.random() < 0.9 else draw.randint(0, 7)
    wrong = {draw.randrange(max(many, 1))} if draw.random() < 0.75 else {place for place in range(many) if draw.random() < 0.4}
    home, _, last = name.rpartition(".")
    given = []
    for place in range(many):
        label = parameters[place] if place < len(parameters) else ""
        pool = _BAD if place in wrong else _PLAUSIBLE.get(label) or (_TENSORS if _takes_tensor(label, home, place) else _ANY)
        text = draw.choice(pool)
        is_behind_a_name = bool(given) and "=" in given[-1].partition("(")[0]
        by_name = label and (is_behind_a_name or draw.random() < 0.12)
        given.append(f"{label}={text}" if by_name else text)
    arguments = ", ".join(given)
    if home in _SELF_OF:
        return f"{draw.choice(_SELF_OF[home])}.{last}({arguments})"
    if home == "torch.Tensor":
        return f"{draw.choice(_SELVES)}.{last}({arguments})"
    line = f"{name}({arguments})"
    if home == "torch.nn" and last[0].isupper() and draw.random() < 0.5:
        line += f"({draw.choice(_BAD if draw.random() < 0.4 else _TENSORS)})"
    return line


def _takes_tensor(label: str, home: str, place: int) -> bool:
    words = ("input", "other", "weight", "target", "tensor", "mat", "vec", "x", "y", "a", "b")
    return label.startswith(words[:-4]) or label in words or (place == 0 and home in ("torch.nn.functional", "torch.special"))
