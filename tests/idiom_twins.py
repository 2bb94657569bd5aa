"""The programs of bench/idioms twice, each with what it works on: one runs as it is, the other compiled.

Their steps are given what the program itself throws away: a step returns its losses, and its gradients before it clears them.
"""

from __future__ import annotations

import ast
import functools
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import rushlight as torch

BENCH = Path(__file__).parents[1] / "bench"
# Those that run as they are: their values decide what they do, or a subclass, sparse tensors, anomaly or forward mode.
IN_DOUBLE = frozenset({"gaussian_process"})  # whose matrix single precision can just about tell from a singular one
AS_THEY_ARE = frozenset("graph_convolution network_under_anomaly_detection network_of_a_subclass rendered_rays".split())


class _Telling(ast.NodeTransformer):
    """rushlight for torch, and steps that return losses and gradients."""

    def visit_Import(self, node: ast.Import) -> Any:
        for one in node.names:
            if one.name.partition(".")[0] == "torch":
                one.asname = one.asname or one.name
                one.name = "rushlight" + one.name[5:]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if (node.module or "").partition(".")[0] == "torch":
            node.module = "rushlight" + (node.module or "")[5:]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if node.name != "step":
            return self.generic_visit(node)
        node.body = [ast.parse("told = []").body[0], *(line for one in node.body for line in self._lines(one))]
        if not isinstance(node.body[-1], ast.Return):
            node.body.append(ast.parse("return told").body[0])
        return node

    def _lines(self, one: ast.stmt) -> list[ast.stmt]:
        for name in ("body", "orelse", "finalbody"):
            if not isinstance(one, (ast.FunctionDef, ast.ClassDef)) and isinstance(getattr(one, name, None), list):
                setattr(one, name, [line for inner in getattr(one, name) for line in self._lines(inner)])
        match one:
            case ast.Expr(ast.Call(ast.Attribute(loss, "backward"), args, keywords)):
                lines = ast.parse("its_loss = 0\ntold.append(its_loss.detach())\nits_loss.backward()").body
                lines[0].value = loss  # type: ignore[attr-defined]
                lines[2].value.args, lines[2].value.keywords = args, keywords  # type: ignore[attr-defined]
                return lines
            case ast.Expr(ast.Call(ast.Attribute(owner, "zero_grad"))):
                return [*ast.parse(f"told.extend(gradients({ast.unparse(owner)}))").body, one]
            case ast.Assign(targets, ast.Constant(None)):
                cleared = [ast.unparse(t) for t in targets if isinstance(t, ast.Attribute) and t.attr == "grad"]
                return [*(line for name in cleared for line in ast.parse(f"told.extend(copied({name}))").body), one]
            case ast.Expr(ast.Call()):
                return ast.parse(f"told.extend(copied({ast.unparse(one)}))").body
        return [one]


def copied(value: Any) -> list[Any]:
    """The tensors in a value, as they are now."""
    if isinstance(value, (tuple, list)):
        return [copy for one in value for copy in copied(one)]
    return [value.detach().clone()] if isinstance(value, torch.Tensor) else []


def gradients(owner: Any) -> list[Any]:
    """Those of a module's or an optimizer's parameters."""
    found = owner.parameters() if hasattr(owner, "parameters") else [p for group in owner.param_groups for p in group["params"]]
    return [one.grad.clone() for one in found if one.grad is not None]


@functools.cache
def programs() -> dict[str, Callable[[], Callable[[], Any]]]:
    """By name what makes each program's step."""
    found: dict[str, Any] = {}
    for path in (BENCH / "leaves.py", *sorted((BENCH / "idioms").glob("*.py"))):
        tree = _Telling().visit(ast.parse(path.read_text(), str(path)))
        module = types.ModuleType(path.stem)
        module.__dict__.update(copied=copied, gradients=gradients)
        code = compile(ast.fix_missing_locations(tree), str(path), "exec")
        sys.modules["leaves"] = found.get("leaves", module)
        try:
            exec(code, vars(module))
        finally:
            del sys.modules["leaves"]
        if path.stem == "leaves":
            found["leaves"] = module
        else:
            found.update({name: vars(module)[name] for name in vars(module)["PROGRAMS"]})
    del found["leaves"]
    return found


def reached(root: Any) -> dict[str, Any]:
    """What a step works on, by the way to it: tensors, modules, optimizers, containers, cells."""
    found: dict[str, Any] = {}
    seen: set[int] = set()

    def walk(way: str, value: Any) -> None:
        if id(value) in seen:
            return
        if isinstance(value, (bool, int, float, str)):
            found[way] = value
            return
        seen.add(id(value))
        if isinstance(value, types.FunctionType):
            if not value.__code__.co_filename.startswith(str(BENCH)):
                return
            for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
                found[f"{way}<{name}>"] = cell
                walk(f"{way}.{name}", cell.cell_contents)
        elif isinstance(value, (list, tuple)):
            found[way] = value
            for index, one in enumerate(value):
                walk(f"{way}[{index}]", one)
        elif isinstance(value, dict):
            found[way] = value
            for key, one in value.items():
                walk(f"{way}[{key!r}]" if not isinstance(key, torch.Tensor) else f"{way}[of]", one)
        elif isinstance(value, torch.Tensor):
            found[way] = value
        elif isinstance(value, (torch.nn.Module, torch.optim.Optimizer)) or type(value).__module__ in programs_modules:
            found[way] = value
            for name, one in vars(value).items():
                if "hook" not in name:
                    walk(f"{way}.{name}", one)

    walk("", root)
    return found


programs_modules = frozenset("images learning science sequences structure ways".split())


def tensors_of(found: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    return ((way, one) for way, one in found.items() if isinstance(one, torch.Tensor))


def called(step: Callable[[], Any], generator: Any) -> tuple[Any, Any]:
    """What a step gives, or the beginning of its error; and the generator's state afterwards."""
    torch.set_rng_state(generator)
    result: Any
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = step()
    except Exception as error:
        result = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return result, torch.get_rng_state()


def steps(tensor: torch.Tensor) -> list[int]:
    """The strides of the dimensions in which there is anywhere to step to."""
    return [step for step, size in zip(tensor.stride(), tensor.shape, strict=True) if size > 1]


def difference(mine: Any, its: Any) -> str | None:
    """How two values differ by more than 1e-5, None where they do not."""
    if type(mine).__name__ != type(its).__name__:
        return f"{type(mine).__name__} for {type(its).__name__}: {mine} for {its}"
    if isinstance(mine, torch.Tensor):
        if not mine._strided:
            return difference(mine.to_dense(), its.to_dense())
        if mine.dtype is not its.dtype or mine.shape != its.shape or steps(mine) != steps(its):
            return f"{mine.dtype} {list(mine.shape)} {mine.stride()} for {its.dtype} {list(its.shape)} {its.stride()}"
        if mine.requires_grad != its.requires_grad or (mine.grad_fn is None) != (its.grad_fn is None):
            return "a place in the graph"
        a, b = mine.detach(), its.detach()
        if a.dtype is torch.bool or not (a.is_floating_point() or a.is_complex()):
            return None if torch.equal(a, b) else "numbers"
        a, b = (one.as_subclass(torch.Tensor).to(torch.complex128 if one.is_complex() else torch.float64) for one in (a, b))
        most = float(b[b.isfinite()].abs().max()) if b.isfinite().any() else 0.0
        if not torch.allclose(
            a, b, rtol=1e-5, atol=max(1e-5 * most, 1e-7), equal_nan=True
        ):  # of gradients that are nothing but rounding, less
            return f"numbers: up to {(a - b).abs().max()} at {most}"
        return None
    if isinstance(mine, (list, tuple)):
        if len(mine) != len(its):
            return f"{len(mine)} things for {len(its)}"
        return next((found for one, other in zip(mine, its, strict=True) if (found := difference(one, other))), None)
    if isinstance(mine, (bool, int, float, str)):
        return None if mine == its or mine != mine else f"{mine} for {its}"
    return None


def state_difference(mine: Callable[..., Any], its: Callable[..., Any]) -> str | None:
    """How what two steps work on differs: numbers, versions, gradients and theirs."""
    one, other = reached(mine), reached(its)
    if list(one) != list(other):
        return f"what is there: {set(one) ^ set(other)}"
    for way, value in one.items():
        found = difference(value, other[way])
        if found is None and isinstance(value, torch.Tensor):
            if not value.is_inference() and value._version != other[way]._version:
                found = f"version {value._version} for {other[way]._version}"
            elif value.is_leaf:
                found = difference(value.grad, other[way].grad)
                if found is None and value.grad is not None and value.grad._version != other[way].grad._version:
                    found = "the version of .grad"
        if found:
            return f"{way}: {found}"
    return None
