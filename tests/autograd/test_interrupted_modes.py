"""An interrupt at each place where Python looks for one leaves the modes as they were around the blocks that it ends."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from interrupting import left_behind

import rushlight as torch
from rushlight.amp import autocast_mode
from rushlight.autograd import forward_ad
from rushlight.base.errstate import silent
from rushlight.utils._python_dispatch import TorchDispatchMode

x = torch.ones(2, 2)
w = torch.ones(2, 2, requires_grad=True)


class Calls(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class Ops(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def block(make: Callable[[], Any], body: Callable[[], object] = lambda: (w * x).sum()) -> Callable[[], None]:
    def run() -> None:
        with make():
            body()

    return run


def keep(tensor: object) -> object:
    return tensor


BLOCKS = {
    "no_grad": block(torch.no_grad),
    "enable_grad in inference_mode": block(torch.inference_mode, block(torch.enable_grad)),
    "inference_mode": block(torch.inference_mode),
    "saved_tensors_hooks": block(lambda: torch.autograd.graph.saved_tensors_hooks(keep, keep), lambda: x * 2),
    "autocast": block(lambda: torch.autocast("cpu"), lambda: x + x),
    "detect_anomaly": block(torch.autograd.detect_anomaly),
    "dual_level": block(forward_ad.dual_level, lambda: forward_ad.make_dual(x, x) * 2),
    "a mode of __torch_function__": block(Calls),
    "a mode of __torch_dispatch__": block(Ops),
    "DisableTorchFunction": block(torch._C.DisableTorchFunction),
    "without NumPy's warnings": block(silent),
}
SWITCHES = {
    "set_grad_enabled": block(lambda: torch.set_grad_enabled(False)),
    "set_detect_anomaly": block(lambda: torch.autograd.set_detect_anomaly(True)),
}
CALLS: dict[str, Callable[[], object]] = {
    "backward": lambda: (w * w).sum().backward(),
    "grad of a gradient": lambda: torch.autograd.grad((w * w).sum(), w, create_graph=True),
    "vmap": lambda: torch.func.vmap(lambda row: row.sin())(x),
    "jvp": lambda: torch.func.jvp(lambda x: x.sin(), (x,), (x,)),
    "batch norm": lambda: torch.nn.functional.batch_norm(x, torch.zeros(2), torch.ones(2), training=True),
}


@pytest.fixture(autouse=True)
def _no_block_goes_on() -> Iterator[None]:
    """An interrupt at the entry of autocast's ``__exit__`` leaves the block open, and with it what leaves were cast to."""
    yield
    autocast_mode._kept.blocks, autocast_mode._kept.casts = 0, {}


def places(call: Callable[[], object]) -> set[str]:
    """The functions in which an interrupt leaves something behind; where it came as one began, that is said."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {f"entry of {place.function}" if place.is_entry else place.function for place, _ in left_behind(call)}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_that_is_interrupted_is_left(name: str) -> None:
    assert {one for one in places(BLOCKS[name]) if not (one.startswith("entry of ") and one.endswith(".__exit__"))} == set()


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_is_interrupted_leaves_nothing_on(name: str) -> None:
    assert places(CALLS[name]) - {"entry of silent.__exit__"} == set()


@pytest.mark.parametrize("name", SWITCHES)
def test_what_is_switched_when_it_is_made_is_so_before_its_block(name: str) -> None:
    allowed = {f"{name}.__init__", f"{name}.__enter__", "switched", "block.<locals>.run", "<lambda>"}
    found = {one.removeprefix("entry of ") for one in places(SWITCHES[name])} - {f"{name}.__exit__"}
    assert found <= allowed


def test_an_interrupt_that_leaves_something_is_seen() -> None:
    def call() -> None:
        torch._C._set_grad_enabled(False)
        abs(1)
        torch._C._set_grad_enabled(True)

    assert any(one.endswith(".call") for one in places(call))
