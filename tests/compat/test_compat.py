"""PyTorch's thin namespaces lie in compat/ and are imported under their own names."""

import pickle
from importlib import import_module
from pathlib import Path

import pytest
from forking import program_output

import rushlight

ROOM = Path(rushlight.__file__).parent / "compat"
NAMES = sorted(path.stem for path in ROOM.iterdir() if path.stem not in ("__init__", "__pycache__", "autograd", "utils"))
INSIDE_OTHERS = sorted(
    f"{room}.{path.stem}" for room in ("autograd", "utils") for path in (ROOM / room).glob("*.py") if path.stem != "__init__"
)


@pytest.mark.parametrize("name", NAMES)
def test_a_namespace_is_one_module_under_its_own_name(name):
    module = import_module(f"rushlight.{name}")
    assert module.__name__ == module.__spec__.name == f"rushlight.{name}"
    assert import_module(f"rushlight.compat.{name}") is module and module.__spec__.name == f"rushlight.{name}"


@pytest.mark.parametrize("name", INSIDE_OTHERS)
def test_what_other_rooms_have_beside_their_own_is_imported_from_there(name):
    module = import_module(f"rushlight.{name}")
    assert module.__name__ == module.__spec__.name == f"rushlight.{name}"


def test_an_unknown_name_is_an_import_error_in_the_room_too():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'rushlight\.compat\.no_such_name'"):
        import_module("rushlight.compat.no_such_name")


def test_pickles_name_the_classes_as_pytorch_does():
    assert b"crushlight.futures\nFuture\n" in pickle.dumps(rushlight.futures.Future, protocol=0)


def test_importing_the_package_opens_none_of_the_room():
    program = (
        "import sys, rushlight; print([m for m in sys.modules if '/compat/' in str(getattr(sys.modules[m], '__file__', ''))])"
    )
    assert program_output(program) == "[]\n"


def test_under_pytorchs_name_it_is_the_same_module():
    program = (
        "import rushlight; rushlight.install_as_torch(); import torch, torch.cuda.amp, functorch; from torch import fx;"
        "print(torch.cuda.__name__, torch.cuda is rushlight.cuda, fx.__name__, torch._C.__name__)"
    )
    assert program_output(program) == "torch.cuda True torch.fx rushlight._C\n"


def test_switches_hold_within_their_block() -> None:
    with rushlight.backends.cudnn.flags(enabled=False, benchmark=True):
        assert (rushlight.backends.cudnn.enabled, rushlight.backends.cudnn.benchmark) == (False, True)
    assert (rushlight.backends.cudnn.enabled, rushlight.backends.cudnn.benchmark) == (True, False)
    kernel = rushlight.backends.cuda.SDPBackend
    with rushlight.backends.cuda.sdp_kernel(enable_flash=False):
        assert kernel.MATH is rushlight.nn.attention.SDPBackend.MATH
    assert rushlight.GradScaler is rushlight.amp.GradScaler
