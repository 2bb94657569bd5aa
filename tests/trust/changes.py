"""What users change between two calls of a compiled step: it then gives what the program would, as it is.

    PYTHONPATH=tests python tests/trust/changes.py [--seed N] [-k NAME] [-c CHANGE]

Each program of bench/idioms runs twice, as it is and compiled. After every change, which is made to what both work on, results,
gradients, tensors, versions and random numbers are compared, over three calls: recorded, recorded again, replayed.
"""

from __future__ import annotations

import argparse
import random
import sys
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from idiom_twins import IN_DOUBLE, called, difference, programs, reached, state_difference

import rushlight as torch

Found = dict[str, Any]
Change = Callable[[Found, random.Random], str | None]


def _one(found: Found, draw: random.Random, fits: Callable[[Any], bool]) -> tuple[str, Any] | None:
    ways = [way for way, value in found.items() if fits(value)]
    if not ways:
        return None
    way = draw.choice(ways)
    return way, found[way]


def _is_number(value: Any) -> bool:
    return isinstance(value, types.CellType) and type(value.cell_contents) in (int, float, bool)


def _is_plain(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value._strided and value.is_leaf and not value.is_inference()


def _is_parameter(value: Any) -> bool:
    return _is_plain(value) and value.requires_grad


def learning_rate(found: Found, draw: random.Random) -> str | None:
    chosen = _one(found, draw, lambda value: isinstance(value, torch.optim.Optimizer))
    if chosen is None:
        return None
    for group in chosen[1].param_groups:
        group["lr"] = group["lr"] * 0.5
    return chosen[0]


def hyperparameter(found: Found, draw: random.Random) -> str | None:
    chosen = _one(found, draw, lambda value: isinstance(value, torch.optim.Optimizer))
    if chosen is None:
        return None
    for group in chosen[1].param_groups:
        group["weight_decay"] = group.get("weight_decay", 0) + 0.01
    return chosen[0]


def training(found: Found, draw: random.Random) -> str | None:
    chosen = _one(found, draw, lambda value: isinstance(value, torch.nn.Module))
    if chosen is None:
        return None
    chosen[1].train(not chosen[1].training)
    return chosen[0]


def number(found: Found, draw: random.Random) -> str | None:
    """A closure's number."""
    chosen = _one(found, draw, _is_number)
    if chosen is None:
        return None
    value = chosen[1].cell_contents
    chosen[1].cell_contents = not value if type(value) is bool else value * 1.5 if type(value) is float else max(1, value - 1)
    return chosen[0]


def attribute(found: Found, draw: random.Random) -> str | None:
    """A number that is a module's attribute."""
    pairs = [
        (way, name)
        for way, value in found.items()
        if isinstance(value, torch.nn.Module)
        for name, one in vars(value).items()
        if type(one) is float
    ]
    if not pairs:
        return None
    way, name = draw.choice(pairs)
    setattr(found[way], name, getattr(found[way], name) * 0.5)
    return f"{way}.{name}"


def values(found: Found, draw: random.Random) -> str | None:
    """Other numbers in the memory that there is."""
    chosen = _one(found, draw, lambda value: _is_plain(value) and value.is_floating_point())
    if chosen is None:
        return None
    with torch.no_grad():
        chosen[1].mul_(1.25)
    return chosen[0]


def values_by_view(found: Found, draw: random.Random) -> str | None:
    chosen = _one(found, draw, lambda value: _is_plain(value) and value.is_floating_point() and value.ndim)
    if chosen is None:
        return None
    chosen[1].detach()[..., :1].add_(0.125)
    return chosen[0]


def values_by_numpy(found: Found, draw: random.Random) -> str | None:
    chosen = _one(found, draw, lambda value: _is_plain(value) and value.dtype in (torch.float32, torch.float64))
    if chosen is None:
        return None
    array = chosen[1].detach().numpy()
    array *= np.float32(0.75)
    return chosen[0]


def replaced(found: Found, draw: random.Random) -> str | None:
    """A closure's tensor is another one, of other numbers."""
    chosen = _one(found, draw, lambda value: isinstance(value, types.CellType) and _is_plain(value.cell_contents))
    if chosen is None:
        return None
    before = chosen[1].cell_contents
    after = before.detach().clone()
    if after.is_floating_point():
        after = after * 1.5
    chosen[1].cell_contents = after.requires_grad_(before.requires_grad)
    return chosen[0]


def other_form(found: Found, draw: random.Random) -> str | None:
    """A closure's tensor is of other strides, another dtype or another size."""
    chosen = _one(found, draw, lambda value: isinstance(value, types.CellType) and _is_plain(value.cell_contents))
    if chosen is None:
        return None
    before = chosen[1].cell_contents
    after, needs = before.detach(), before.requires_grad
    kind = draw.choice(("strides", "dtype", "size"))
    if kind == "strides":
        after = (
            after.mT.contiguous().mT if after.ndim > 1 else after.repeat_interleave(2, 0)[::2] if after.ndim else after.clone()
        )
    elif kind == "dtype":
        after = after.double() if after.is_floating_point() else after.to(torch.int32)
    elif after.ndim:
        after = after[: max(1, after.shape[0] // 2)].clone()
    chosen[1].cell_contents = after.requires_grad_(needs) if after.is_floating_point() else after
    return f"{chosen[0]} {kind}"


def parameter_replaced(found: Found, draw: random.Random) -> str | None:
    owners = [(way, name) for way, value in found.items() if isinstance(value, torch.nn.Module) for name in value._parameters]
    owners = [(way, name) for way, name in owners if found[way]._parameters[name] is not None]
    if not owners:
        return None
    way, name = draw.choice(owners)
    setattr(found[way], name, torch.nn.Parameter(found[way]._parameters[name].detach() * 1.5))
    return f"{way}.{name}"


def parameter_tied(found: Found, draw: random.Random) -> str | None:
    """Two parameters, or two of a closure's tensors, of one shape are one."""
    owners = [
        (found[way]._parameters, name)
        for way, value in found.items()
        if isinstance(value, torch.nn.Module)
        for name, one in value._parameters.items()
        if one is not None
    ]
    cells = [value for value in found.values() if isinstance(value, types.CellType) and _is_parameter(value.cell_contents)]
    pairs = [(a, b) for a in owners for b in owners if a[0][a[1]] is not b[0][b[1]] and a[0][a[1]].shape == b[0][b[1]].shape]
    twins = [(a, b) for a in cells for b in cells if a is not b and a.cell_contents.shape == b.cell_contents.shape]
    if not pairs and not twins:
        return None
    if pairs:
        (mine, name), (its, other) = draw.choice(pairs)
        mine[name] = its[other]
        return name
    one, two = draw.choice(twins)
    one.cell_contents = two.cell_contents
    return "cells"


def asks_for_gradient(found: Found, draw: random.Random) -> str | None:
    chosen = _one(found, draw, lambda value: _is_plain(value) and value.is_floating_point())
    if chosen is None:
        return None
    chosen[1].requires_grad_(not chosen[1].requires_grad)
    return chosen[0]


def gradient_there(found: Found, draw: random.Random) -> str | None:
    """A gradient is there before, or is not."""
    chosen = _one(found, draw, _is_parameter)
    if chosen is None:
        return None
    chosen[1].grad = torch.ones_like(chosen[1]) if chosen[1].grad is None else None
    return chosen[0]


def gradient_held(found: Found, draw: random.Random) -> str | None:
    """A gradient that the user got as a view into a larger tensor."""
    chosen = _one(found, draw, _is_parameter)
    if chosen is None:
        return None
    chosen[1].grad = torch.zeros(2, *chosen[1].shape, dtype=chosen[1].dtype)[1]
    return chosen[0]


def hooked(found: Found, draw: random.Random) -> str | None:
    chosen = _one(found, draw, _is_parameter)
    if chosen is None:
        return None
    chosen[1].register_hook(_twice)
    return chosen[0]


def module_hooked(found: Found, draw: random.Random) -> str | None:
    chosen = _one(found, draw, lambda value: isinstance(value, torch.nn.Module))
    if chosen is None:
        return None
    chosen[1].register_forward_hook(_output_twice)
    return chosen[0]


def _twice(grad: Any) -> Any:
    return grad * 2


def _output_twice(module: Any, given: Any, output: Any) -> Any:
    return output * 2 if isinstance(output, torch.Tensor) else None


def entry(found: Found, draw: random.Random) -> str | None:
    """An entry of a list or a dict."""
    chosen = _one(found, draw, lambda value: type(value) in (list, dict) and any(map(_fits_entry, _entries(value))))
    if chosen is None:
        return None
    holder = chosen[1]
    keys = [key for key in (range(len(holder)) if type(holder) is list else list(holder)) if _fits_entry(holder[key])]
    key = draw.choice(keys)
    before = holder[key]
    holder[key] = (
        (before.detach() * 1.5).requires_grad_(before.requires_grad) if isinstance(before, torch.Tensor) else before * 0.5
    )
    return f"{chosen[0]}[{key!r}]"


def _entries(value: Any) -> list[Any]:
    return list(value.values()) if type(value) is dict else value


def _fits_entry(one: Any) -> bool:
    return (_is_plain(one) and one.is_floating_point()) or type(one) is float


def entry_gone(found: Found, draw: random.Random) -> str | None:
    chosen = _one(found, draw, lambda value: type(value) is list and len(value) > 1 and all(map(_is_plain, value)))
    if chosen is None:
        return None
    chosen[1].pop()
    return chosen[0]


def seed(found: Found, draw: random.Random) -> str | None:
    torch.manual_seed(draw.randrange(1000))
    return ""


def default_dtype(found: Found, draw: random.Random) -> str | None:
    torch.set_default_dtype(draw.choice((torch.float32, torch.float64)))
    return ""


def other_memory(found: Found, draw: random.Random) -> str | None:
    """A tensor's memory is another's."""
    chosen = _one(found, draw, _is_parameter)
    if chosen is None:
        return None
    chosen[1].data = chosen[1].detach() * 1.5
    return chosen[0]


CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        learning_rate, hyperparameter, training, number, attribute, values, values_by_view, values_by_numpy, replaced,
        other_form, parameter_replaced, parameter_tied, asks_for_gradient, gradient_there, gradient_held, hooked, module_hooked,
        entry, entry_gone, seed, default_dtype, other_memory,
    )
}  # fmt: skip


def change(name: str, step: Callable[..., Any], number: int) -> str | None:
    """Makes a change to what a step works on, drawn by a number; where it was made, None where there is nothing to change."""
    try:
        return CHANGES[name](reached(step), random.Random(number))
    except Exception as error:  # one that is refused is refused on both sides
        return f"{type(error).__name__}: {error}"


class Twins:
    """A program of bench/idioms, twice: as it is, and compiled, where it replays even if that is not faster."""

    def __init__(self, name: str, backend: str = "replay") -> None:
        self.name = name
        torch.set_default_dtype(torch.float64 if name in IN_DOUBLE else torch.float32)
        torch.manual_seed(0)
        self.step = programs()[name]()
        torch.manual_seed(0)
        self.other = programs()[name]()
        self.generator = torch.get_rng_state()
        self.fast: Any = torch.compile(self.other, backend=backend)
        self.fast._compiled.always = True

    def call(self, calls: int = 3) -> str | None:
        """How the two differ in one of so many calls, None where they do not."""
        for _ in range(calls):
            its, after = called(self.step, self.generator)
            mine, drawn = called(self.fast, self.generator)
            found = difference(mine, its) or state_difference(self.other, self.step)
            if found is None and not torch.equal(drawn, after):
                found = "the random numbers drawn"
            if found is not None:
                return found
            self.generator = after
        return None

    def is_captured(self) -> bool:
        return self.fast._compiled.forms[-1].program is not None

    def change(self, name: str, number: int) -> str | None:
        """Makes a change to both."""
        if any(form.reason is not None for form in self.fast._compiled.forms):
            self.fast._compiled.reset()  # what was not understood before the last change is looked at anew
        torch.set_rng_state(self.generator)
        made = change(name, self.step, number)
        torch.set_rng_state(self.generator)
        assert change(name, self.other, number) == made
        self.generator = torch.get_rng_state()
        return made


def differs(twins: Twins, seed: int, changes: Iterable[str] = CHANGES, most: int = len(CHANGES)) -> str | None:
    """How the two differ after one of so many changes, in an order drawn by a seed; None where they do not."""
    draw = random.Random(f"{seed} {twins.name}")
    order = list(changes)
    draw.shuffle(order)
    log = ["nothing"]
    found = twins.call()
    for one in order:
        if found is not None or len(log) > most:
            break
        made = twins.change(one, draw.randrange(10**6))
        if made is not None:
            log.append(f"{one} at {made}")
            found = twins.call()
    return None if found is None else f"{twins.name}: {found}, after {', '.join(log[-3:])}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-k", dest="name", default="", help="programs whose names hold this")
    parser.add_argument("-c", dest="change", default="", help="changes whose names hold this")
    parser.add_argument("--backend", default="replay")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [name for name in programs() if options.name in name]
    changes = [name for name in CHANGES if options.change in name]
    found = [line for name in names if (line := differs(Twins(name, options.backend), options.seed, changes))]
    print("\n".join([*found, f"{len(names)} programs, {len(changes)} changes, {len(found)} programs that differ"]))
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
