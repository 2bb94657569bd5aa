"""Write down the public names of PyTorch, so that rushlight can tell a name it lacks from one nobody has.

Run with an interpreter that has PyTorch; it rewrites ``src/rushlight/as_torch/torch_names.txt``, one line
for each module or class.
"""

from __future__ import annotations

import importlib
import pkgutil
import types
from pathlib import Path

import torch

DATA = Path(__file__).parents[2] / "src" / "rushlight" / "as_torch" / "torch_names.txt"

MODULES = """
torch torch.accelerator torch.amp torch.autograd torch.autograd.anomaly_mode torch.autograd.forward_ad
torch.autograd.function torch.autograd.functional torch.autograd.grad_mode torch.autograd.gradcheck torch.autograd.graph
torch.autograd.profiler torch.autograd.variable torch.backends torch.compiler torch.cpu torch.cuda torch.distributions
torch.fft torch.func torch.functional torch.futures torch.hub torch.jit torch.library torch.linalg torch.masked
torch.multiprocessing torch.nested torch.nn torch.nn.functional torch.nn.init torch.nn.modules torch.nn.parameter
torch.nn.utils torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.rnn torch.nn.utils.stateless
torch.optim torch.optim.lr_scheduler torch.optim.optimizer torch.optim.swa_utils torch.overrides torch.profiler
torch.random torch.return_types torch.serialization torch.signal torch.signal.windows torch.sparse torch.special
torch.storage torch.testing torch.torch_version torch.types torch.utils torch.utils.checkpoint torch.utils.data
torch.utils.dlpack torch.version
""".split()
CLASSES = """
torch.Generator torch.Size torch.Tensor torch.device torch.dtype torch.autograd.Function torch.nn.Module
torch.optim.Optimizer
""".split()


def is_public(owner: types.ModuleType, name: str) -> bool:
    """Whether a module offers the name as its own, not as a leftover of what it imports."""
    if name.startswith("_"):
        return False
    if name in getattr(owner, "__all__", ()):
        return True
    value = getattr(owner, name, None)
    if isinstance(value, types.ModuleType):
        return value.__name__ == f"{owner.__name__}.{name}"
    if not (isinstance(value, type) or callable(value)):
        return owner is torch or not hasattr(owner, "__all__")
    return str(getattr(value, "__module__", None) or "torch").partition(".")[0] == "torch"


def module_names(module_name: str) -> list[str]:
    """Public attributes and submodules of a module, the submodules that nothing has imported included."""
    module = importlib.import_module(module_name)
    names = {name for name in dir(module) if is_public(module, name)}
    names.update(found.name for found in pkgutil.iter_modules(getattr(module, "__path__", [])) if found.name[0] != "_")
    return sorted(names)


def class_names(class_name: str) -> list[str]:
    """Public attributes of a class."""
    module_name, _, name = class_name.rpartition(".")
    return sorted(name for name in dir(getattr(importlib.import_module(module_name), name)) if name[0] != "_")


def operator_names() -> list[str]:
    """The ops of ``torch.ops.aten``, without their overloads."""
    known = {*torch._C._dispatch_get_all_op_names(), *(schema.name for schema in torch._C._jit_get_all_schemas())}
    names = {name.removeprefix("aten::").partition(".")[0] for name in known if name.startswith("aten::")}
    return sorted(name for name in names if not name.startswith("__"))


def listing() -> str:
    """The whole data file."""
    names = {module: module_names(module) for module in MODULES} | {cls: class_names(cls) for cls in CLASSES}
    names["torch.ops.aten"] = operator_names()
    release = torch.version.__version__.partition("+")[0]
    lines = [f"# Public names of PyTorch {release}; see tests/conformance/torch_names.py"]
    lines += [f"{owner}: {' '.join(names[owner])}" for owner in sorted(names)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    DATA.write_text(listing())
