"""L-BFGS: Newton's method with a Hessian guessed from the last steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import rushlight as torch

from ..backend.interrupts import came_by_a_signal, held
from ..tensor import Tensor
from .by_rule import check_lr, number
from .optimizer import Optimizer, ParamsT


class LBFGS(Optimizer):
    """Several iterations in a step, each along ``-H g``: H is the inverse Hessian as the last gradients and steps show it.

    ``step`` needs a closure that clears the gradients, computes the loss, calls backward and returns the loss.
    One group of parameters only. ``line_search_fn``: None (steps of length ``lr``) or ``"strong_wolfe"``.

    >>> import rushlight as torch
    >>> w = torch.zeros(2, requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((w - torch.tensor([1.0, 2.0])) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> first = optimizer.step(closure)
    >>> w
    tensor([1.0000, 2.0000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        if not number(lr) >= 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _gradient(self) -> Tensor:
        """All gradients as one vector."""
        parts = []
        for param in self._params:
            if param.grad is None:
                part = param.new_zeros(param.numel() * (2 if param.is_complex() else 1), dtype=param.real.dtype)
            else:
                grad = param.grad if param.grad._strided else param.grad.to_dense()
                part = (torch.view_as_real(grad) if param.is_complex() else grad).view(-1)
            parts.append(part)
        return torch.cat(parts)

    def _move(self, length: Any, direction: Tensor) -> None:
        """Adds ``length * direction`` to the parameters."""
        held(self._add, length, direction)

    def _add(self, length: Any, direction: Tensor) -> None:
        start = 0
        for param in self._params:
            place = torch.view_as_real(param) if param.is_complex() else param
            stop = start + place.numel()
            place.add_(direction[start:stop].view_as(place), alpha=number(length))
            start = stop

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Iterates until nothing changes or the limits are reached; returns the loss at the beginning.

        Where the closure raises an error the optimizer's state is as it was before, and the parameters are at the place that was
        asked for, as in PyTorch; where an interrupt ends the step they are as they were too.
        """
        state = self.state[self._params[0]]  # for all parameters together
        before = {name: list(value) if isinstance(value, list) else value for name, value in state.items()}
        values = [param.detach().clone(memory_format=torch.contiguous_format) for param in self._params]
        try:
            with torch.no_grad():
                return self._minimize(torch.enable_grad()(closure), state)
        except BaseException as error:
            is_interrupt = not isinstance(error, Exception) or came_by_a_signal(error)
            held(self._put_back, state, before, values if is_interrupt else [])
            raise

    def _put_back(self, state: dict[str, Any], before: dict[str, Any], values: list[Tensor]) -> None:
        state.clear()
        state.update(before)
        for param, value in zip(self._params, values, strict=False):
            param.detach().copy_(value)

    def _minimize(self, closure: Callable[[], Any], state: dict[str, Any]) -> Any:
        group = self.param_groups[0]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss = float(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        grad = self._gradient()
        flat = bool(grad.abs().max() <= group["tolerance_grad"])
        if flat:
            return first_loss
        names = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")
        kept: dict[str, Any] = {name: state.get(name) for name in names}
        direction, length = kept["d"], kept["t"]
        iteration = 0
        while iteration < group["max_iter"]:
            iteration += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                direction = grad.neg()
                kept.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
                length = min(1.0, 1.0 / grad.abs().sum()) * group["lr"]
            else:
                _remember(kept, grad - kept["prev_flat_grad"], direction * length, group["history_size"])
                direction = _newton(kept, grad, state.setdefault("al", [None] * group["history_size"]))
                length = group["lr"]
            kept["prev_flat_grad"], kept["prev_loss"] = grad, loss
            slope = grad.dot(direction)
            if slope > -group["tolerance_change"]:
                break
            calls = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                found, calls = self._search(closure, length, direction, Point(0, loss, grad, slope))
                loss, grad, length = found.loss, found.grad, found.length
                self._move(length, direction)
                flat = bool(grad.abs().max() <= group["tolerance_grad"])
            else:
                self._move(length, direction)
                if iteration != group["max_iter"]:  # else nobody would use it
                    loss = float(closure())
                    grad = self._gradient()
                    flat = bool(grad.abs().max() <= group["tolerance_grad"])
                    calls = 1
            evaluations += calls
            state["func_evals"] += calls
            if (
                iteration == group["max_iter"]
                or evaluations >= group["max_eval"]
                or flat
                or (direction * length).abs().max() <= group["tolerance_change"]
                or abs(loss - kept["prev_loss"]) < group["tolerance_change"]
            ):
                break
        state.update(kept, d=direction, t=length)
        return first_loss

    def _return(self, values: list[Tensor]) -> None:
        for param, value in zip(self._params, values, strict=True):
            param.copy_(value)

    def _search(self, closure: Callable[[], Any], length: Any, direction: Tensor, start: Point) -> tuple[Point, int]:
        """A point along a direction where the strong Wolfe conditions hold; the parameters are where they were."""
        before = [param.clone(memory_format=torch.contiguous_format) for param in self._params]

        def at(length: Any) -> Point:
            self._move(length, direction)
            loss = float(closure())
            grad = self._gradient()
            held(self._return, before)
            return Point(length, loss, grad, grad.dot(direction))

        return strong_wolfe(at, length, start, direction.abs().max())


def _remember(kept: dict[str, Any], change: Tensor, step: Tensor, size: int) -> None:
    """Takes a step, and how it changed the gradient, into the history, where the curvature is positive."""
    curvature = change.dot(step)
    if curvature <= 1e-10:
        return
    if len(kept["old_dirs"]) == size:
        for name in ("old_dirs", "old_stps", "ro"):
            kept[name].pop(0)
    kept["old_dirs"].append(change)
    kept["old_stps"].append(step)
    kept["ro"].append(1.0 / curvature)
    kept["H_diag"] = curvature / change.dot(change)


def _newton(kept: dict[str, Any], grad: Tensor, factors: list[Any]) -> Tensor:
    """``-H grad`` by the two loops over the history."""
    history = list(zip(kept["old_dirs"], kept["old_stps"], kept["ro"], strict=True))
    direction = grad.neg()
    for index in reversed(range(len(history))):
        change, step, inverse = history[index]
        factors[index] = step.dot(direction) * inverse
        direction.add_(change * -factors[index])
    direction = direction * kept["H_diag"]
    for index, (change, step, inverse) in enumerate(history):
        direction.add_(step * (factors[index] - change.dot(direction) * inverse))
    return direction


@dataclass
class Point:
    """A place along a line: how far, the loss, the gradient, and the slope along the line."""

    length: Any
    loss: float
    grad: Tensor
    slope: Any


def strong_wolfe(
    at: Callable[[Any], Point],
    length: Any,
    start: Point,
    scale: Any,
    decrease: float = 1e-4,
    curvature: float = 0.9,
    tolerance: float = 1e-9,
    most: int = 25,
) -> tuple[Point, int]:
    """A point that is low and flat enough, and how many points were looked at.

    First steps get longer until a minimum lies between two points, then these are brought together.
    """

    def too_high(point: Point) -> bool:
        return bool(point.loss > start.loss + decrease * point.length * start.slope)

    def flat_enough(point: Point) -> bool:
        return bool(abs(point.slope) <= -curvature * start.slope)

    last, now = start, at(length)
    calls, tries = 1, 0
    while tries < most:
        if too_high(now) or (tries > 1 and now.loss >= last.loss):
            break
        if flat_enough(now):
            return now, calls
        if now.slope >= 0:
            break
        least = now.length + 0.01 * (now.length - last.length)
        length = _cubic_minimum(last, now, least, now.length * 10)
        last, now = now, at(length)
        calls += 1
        tries += 1
    else:
        last = start
    pair = [last, now]
    low, high = (0, 1) if pair[0].loss <= pair[1].loss else (1, 0)
    stuck = False
    while tries < most:
        left, right = sorted((pair[0].length, pair[1].length))
        if abs(pair[1].length - pair[0].length) * scale < tolerance:
            break
        length = _cubic_minimum(pair[0], pair[1], left, right)
        margin = 0.1 * (right - left)
        if min(right - length, length - left) < margin:
            # Close to an end for the second time, or upon it: to a tenth of the way instead.
            if stuck or length >= right or length <= left:
                length = right - margin if abs(length - right) < abs(length - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        new = at(length)
        calls += 1
        tries += 1
        if too_high(new) or new.loss >= pair[low].loss:
            pair[high] = new
            low, high = (0, 1) if pair[0].loss <= pair[1].loss else (1, 0)
            continue
        done = flat_enough(new)
        if not done and new.slope * (pair[high].length - pair[low].length) >= 0:
            pair[high] = pair[low]
        pair[low] = new
        if done:
            break
    return pair[low], calls


def _cubic_minimum(one: Point, other: Point, least: Any, most: Any) -> Any:
    """Where the cubic through two points with their slopes is lowest, between two bounds."""
    if one.length > other.length:
        one, other = other, one
    bend = one.slope + other.slope - 3 * (one.loss - other.loss) / (one.length - other.length)
    square = bend**2 - one.slope * other.slope
    if square < 0:
        return (least + most) / 2.0
    root = square.sqrt()
    width = other.length - one.length
    place = other.length - width * ((other.slope + root - bend) / (other.slope - one.slope + 2 * root))
    return min(max(place, least), most)
