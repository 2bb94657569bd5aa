"""The stubs say what the package is, and type checkers and editors find in them what they should; `make lint` runs this."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from rushlight.ops.public import registry

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / "src" / "rushlight-stubs"
PROGRAMS = ROOT / "tests" / "typing"

WRONG = [number for number, line in enumerate((PROGRAMS / "wrong.py").read_text().splitlines(), 1) if line.endswith("# wrong")]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=PROGRAMS, capture_output=True, text=True, check=False)


def test_mypy_knows_the_types(tmp_path: Path) -> None:
    done = run("-m", "mypy", "--config-file=", "--strict", f"--cache-dir={tmp_path}", "right.py", "wrong.py")
    found = {(file, int(line)) for file, line in re.findall(r"^(\w+\.py):(\d+): error", done.stdout, re.MULTILINE)}
    assert found == {("wrong.py", line) for line in WRONG}, done.stdout + done.stderr


def test_pyright_knows_the_types(tmp_path: Path) -> None:
    pytest.importorskip("basedpyright")
    config = tmp_path / "pyrightconfig.json"
    config.write_text(
        f'{{"include": ["{PROGRAMS}/right.py", "{PROGRAMS}/wrong.py"], "typeCheckingMode": "strict", "reportUnusedExpression": false}}'
    )
    done = run("-m", "basedpyright", "-p", str(config), "--pythonpath", sys.executable)
    found = {(file, int(line)) for file, line in re.findall(r"(\w+\.py):(\d+):\d+ - error", done.stdout)}
    assert found == {("wrong.py", line) for line in WRONG}, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import rushlight as torch\ntorch.ta", {"tan", "tanh", "take", "take_along_dim"}),
        ("import rushlight as torch\nx = torch.ones(2)\nx.su", {"sub", "sub_", "subtract", "sum", "sum_to_size"}),
        ("import rushlight as torch\nx = torch.ones(2)\n(x * x).sum().backw", {"backward"}),
        ("import rushlight.nn.functional as F\nF.soft", {"softmax", "softmin", "softplus", "softshrink", "softsign"}),
        ("import rushlight as torch\ntorch.linalg.sv", {"svd", "svdvals"}),
        ("from rushlight import nn\nnn.Linear(2, 3).in_", {"in_features"}),
        ("from rushlight import nn, optim\noptim.Ada", {"Adadelta", "Adagrad", "Adam", "AdamW", "Adamax"}),
    ],
)
def test_editors_complete_without_importing(text: str, wanted: set[str]) -> None:
    jedi = pytest.importorskip("jedi")
    project = jedi.Project(PROGRAMS, added_sys_path=[str(ROOT / "src")])
    found = {each.name for each in jedi.Script(text, project=project).complete()}
    assert wanted <= found


# What functions return, against what the stubs say of them.


def said() -> dict[str, list[str]]:
    """By function of torch, what its forms return."""
    found: dict[str, list[str]] = {}
    for node in ast.parse((STUBS / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            found.setdefault(node.name, []).append(ast.unparse(node.returns))
    return found


def is_a(value: object, kind: str) -> bool:
    """Whether a value is of a type that a stub names."""
    if kind.startswith("tuple["):
        inner = kind[6:-1].split(", ")
        if inner[-1] == "...":
            return type(value) is tuple and all(is_a(each, inner[0]) for each in value)
        return type(value) is tuple and len(value) == len(inner) and all(map(is_a, value, inner))
    if kind in ("None", "Any"):
        return value is None or kind == "Any"
    name = kind.lstrip("_")
    cls = getattr(torch.return_types, name, None) or getattr(torch, name, None)
    return isinstance(value, cls if isinstance(cls, type) else getattr(builtins, name))


def calls(function: Callable[..., Any]) -> Iterator[tuple[Any, ...]]:
    """Arguments that a function might take: tensors for all that it must be given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return
    needed = [each for each in parameters if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD]
    for shape, dtype in (
        ((3, 3), torch.float64),
        ((), torch.float64),
        ((3,), torch.float64),
        ((3, 3), torch.int64),
        ((4,), torch.bool),
    ):
        yield tuple(torch.full(shape, 1, dtype=dtype) for _ in needed)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_functions_return_what_the_stubs_say() -> None:
    kinds = said()
    wrong, tried, open_ = [], set(), set()
    for name, function in registry["torch"].items():
        if name not in kinds:
            continue
        if "Any" in kinds[name]:
            open_.add(name)
            continue
        for arguments in calls(function):
            if arguments and not name.endswith("_"):
                try:
                    value = function(*arguments)
                except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, NotImplementedError, AssertionError):
                    continue
                tried.add(name)
                if not any(is_a(value, kind) for kind in kinds[name]):
                    wrong.append((name, type(value), kinds[name]))
    assert not wrong
    assert len(tried) > 250
    assert len(open_) < 20, open_


# What truly may be anything, by why it may: the rest of what is public has a type.
ANYTHING = {
    "what the program's own functions, modules, graphs and hooks give": """
        autograd.function.Function.apply autograd.function.Function.backward autograd.function.Function.forward
        autograd.function.Function.jvp autograd.function.Function.vjp
        autograd.function.Function.vmap fx.Graph.process_inputs fx.Graph.process_outputs fx.Interpreter.boxed_run
        fx.Interpreter.call_function fx.Interpreter.call_method fx.Interpreter.call_module fx.Interpreter.fetch_attr
        fx.Interpreter.get_attr fx.Interpreter.map_nodes_to_values fx.Interpreter.output fx.Interpreter.placeholder
        fx.Interpreter.run fx.Interpreter.run_node fx.Proxy.keys fx.Tracer.call_module fx.Tracer.create_arg fx.Tracer.getattr
        fx.Transformer.call_function fx.Transformer.call_module fx.map_arg
        nn.modules.calls.BackwardHookFunction.backward nn.modules.calls.BackwardWatch.outputs nn.modules.calls.read
        nn.modules.calls.untraced nn.modules.calls.with_hooks nn.modules.container.Sequential.forward nn.parallel.DataParallel.forward
        nn.modules.module.Module.get_extra_state nn.modules.state_dicts.get_extra_state
        optim.swa_utils.AveragedModel.forward overrides.handle_torch_function overrides.redispatch_function
        utils.checkpoint.CheckpointFunction.backward utils.checkpoint.CheckpointFunction.forward utils.checkpoint.checkpoint_sequential
        """,
    "what a file, a hub, a hook that packs, or a container of the program's holds": """
        autograd.SavedTensor.data hub.load serialization.load serialization.default_restore_location nn.modules.container.ParameterDict.get
        nn.modules.container.ParameterDict.pop nn.modules.container.ParameterDict.setdefault
        utils.data.default_collate utils.data.default_convert
        """,
    "a number, a nested list or a nested tuple, as the argument is one": """
        Tensor.item Tensor.tolist sym_fresh_size
        """,
    "arrays or Tensors, as it is given": "optim.by_rule.decayed",
}


def return_anything() -> Iterator[str]:
    """What the stubs say may return anything: special methods and what is of our own left out."""
    for path in STUBS.rglob("*.pyi"):
        space = path.relative_to(STUBS).with_suffix("").as_posix().replace("/", ".").removesuffix("__init__").rstrip(".")
        waiting: list[tuple[str, list[ast.stmt]]] = [(space, ast.parse(path.read_text()).body)]
        while waiting:
            owner, body = waiting.pop()
            for node in body:
                if isinstance(node, ast.ClassDef):
                    waiting.append((f"{owner}.{node.name}", node.body))
                elif isinstance(node, ast.FunctionDef) and node.returns is not None and ast.unparse(node.returns) == "Any":
                    yield f"{owner}.{node.name}".lstrip(".")


def test_what_may_be_anything_is_listed_with_its_reason() -> None:
    found = {name for name in return_anything() if not any(part.startswith("_") for part in name.split("."))}
    assert found == set(" ".join(ANYTHING.values()).split())
