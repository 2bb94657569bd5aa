"""The meta device beside PyTorch's: shapes, strides, dtypes, texts, graphs and errors."""

from __future__ import annotations

import copy
import pickle
import warnings

import meta_expressions
import pytest
import torch

import rushlight


def names(module):
    """What the expressions speak of, made anew for each of them."""
    return {
        "copy": copy,
        "i": module.zeros(2, 3, dtype=module.int64, device="meta"),
        "m": module.empty(2, 3, device="meta"),
        "r": module.empty(2, 3, device="meta", requires_grad=True),
        "s": module.empty(3, 3, device="meta"),
        "torch": module,
    }


def outcome(expression, module):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(eval(expression, names(module)))
        except Exception as error:
            return type(error).__name__, str(error)


@pytest.mark.parametrize("expression", meta_expressions.EXPRESSIONS.strip().split("\n"))
def test_expressions(expression):
    assert outcome(expression, rushlight) == outcome(expression, torch)


def assigned(module):
    """A layer on the meta device gets its numbers by ``assign``."""
    layer, source = module.nn.Linear(2, 3, device="meta"), module.nn.Linear(2, 3)
    layer.load_state_dict(source.state_dict(), assign=True)
    x = module.ones(1, 2)
    return layer.weight.device.type, layer.weight.requires_grad, bool((layer(x) == source(x)).all())


def not_assigned(module):
    layer = module.nn.Linear(2, 3)
    try:
        layer.load_state_dict(module.nn.Linear(2, 3, device="meta").state_dict())
    except RuntimeError as error:
        return str(error)


def block(module):
    with module.device("meta"):
        layer, x, y = module.nn.Linear(2, 3), module.ones(2), module.zeros(2, device="cpu")
    return repr(layer.weight), repr(x), repr(y), repr(module.ones(1))


def trained(module):
    """Shapes of gradients, and of what an optimizer keeps."""
    with module.device("meta"):
        net = module.nn.Sequential(
            module.nn.Conv2d(1, 2, 3), module.nn.BatchNorm2d(2), module.nn.Flatten(), module.nn.Linear(2 * 6 * 6, 3)
        )
        out = net(module.randn(4, 1, 8, 8))
    optimizer = module.optim.Adam(net.parameters())
    out.sum().backward()
    optimizer.step()
    kept = [repr(value) for value in optimizer.state_dict()["state"][0].values()]
    return repr(out), [repr(p.grad) for p in net.parameters()], kept, [p.device.type for p in net.parameters()]


def emptied(module):
    layer = module.nn.Linear(2, 3, device="meta").to_empty(device="cpu")
    layer.load_state_dict({"weight": module.ones(3, 2), "bias": module.ones(3)})
    return repr(layer(module.ones(2)))


def default(module):
    module.set_default_device("meta")
    try:
        made = repr(module.tensor([1.0])), repr(module.nn.Linear(2, 2).weight)
    finally:
        module.set_default_device(None)
    return *made, repr(module.ones(1))


def shared(module):
    """A view has its base's version, and a write through it counts."""
    m = module.empty(2, 3, device="meta")
    view = m[1]
    view.fill_(3.0)
    return m._version, view._base is m, view.storage_offset(), view.stride(), view._is_view()


def pickled(module):
    m = module.empty(2, 3, device="meta").t()
    again = pickle.loads(pickle.dumps(m))
    return repr(again), again.stride()


def nothing_drawn(module):
    """Numbers that nobody can see are not drawn."""
    module.manual_seed(1)
    module.nn.init.normal_(module.empty(5, device="meta"))
    module.nn.Linear(3, 3, device="meta")
    module.rand(3, device="meta")
    module.nn.functional.dropout(module.ones(5, device="meta"))
    return module.rand(2).tolist()


PROGRAMS = (assigned, not_assigned, block, trained, emptied, default, shared, pickled, nothing_drawn)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_programs(program):
    assert program(rushlight) == program(torch)


@pytest.mark.parametrize(("writer", "reader"), [(torch, rushlight), (rushlight, torch)], ids=["from PyTorch", "to PyTorch"])
def test_files(tmp_path, writer, reader):
    writer.save({"w": writer.nn.Parameter(writer.empty(2, 3, device="meta"))}, tmp_path / "meta.pt")
    writer.save(writer.ones(2, 3), tmp_path / "cpu.pt")
    assert repr(reader.load(tmp_path / "meta.pt")) == repr(writer.load(tmp_path / "meta.pt"))
    assert reader.load(tmp_path / "cpu.pt", map_location="meta").is_meta


@pytest.mark.parametrize("swaps", [False, True])
def test_loading(swaps):
    """A model on the meta device takes what it loads with ``assign`` alone, and warns without."""
    outcomes = []
    for module in (rushlight, torch):
        module.__future__.set_swap_module_params_on_conversion(swaps)
        try:
            with module.device("meta"):
                left, taken = module.nn.BatchNorm1d(3), module.nn.BatchNorm1d(3)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                left.load_state_dict(module.nn.BatchNorm1d(3).state_dict())
            taken.load_state_dict(module.nn.BatchNorm1d(3).state_dict(), assign=True)
        finally:
            module.__future__.set_swap_module_params_on_conversion(False)
        devices = [{key: one.device.type for key, one in each.state_dict().items()} for each in (left, taken)]
        outcomes.append(([str(each.message) for each in told], devices, taken(module.ones(2, 3)).tolist()))
    assert outcomes[0] == outcomes[1]


STORAGES = """s
u
len(s)
s.device
s[0]
u[0]
u[0:2]
s.__setitem__(0, 1)
u.__setitem__(0, 1)
s.data_ptr(), u.data_ptr()
s.nbytes(), s.size(), s.element_size(), u.nbytes()
s.cpu()
u.cpu()
s.tolist()
list(u)
u.share_memory_()
u.is_shared(), u.resizable(), u.get_device()
s.clone()
u.fill_(1)
s.copy_(c)
c.copy_(s)
s.resize_(10), len(s)
u.resize_(10)
s.half()
s.type()
s.untyped()
torch.TypedStorage(wrap_storage=u, dtype=torch.float32)
torch.UntypedStorage([1, 2], device="meta")
torch.TypedStorage(device="meta")
torch.FloatStorage(3, device="meta")
torch.UntypedStorage(2, device="cuda")
copy.deepcopy(u)
m.storage()
m[1].untyped_storage()
m[1].untyped_storage() == m.untyped_storage()
m.untyped_storage() == torch.empty(2, 3, device="meta").untyped_storage()
m.untyped_storage()[0]
format(m.sum())
format(m)
torch.tensor([]).is_set_to(torch.tensor([]))
torch.tensor(torch.UntypedStorage(3))
torch.tensor(torch.UntypedStorage(9), dtype=torch.int32).shape"""


@pytest.mark.parametrize("expression", STORAGES.split("\n"))
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storages(expression):
    """What stands for the memory of a meta tensor has a size and no numbers."""
    outcomes = []
    for module in (rushlight, torch):
        known = {
            **names(module),
            "s": module.TypedStorage([1, 2, 3], device="meta", dtype=module.float32),
            "u": module.UntypedStorage(6, device="meta"),
            "c": module.TypedStorage([1, 2, 3], dtype=module.float32),
        }
        try:
            outcomes.append(repr(eval(expression, known)))
        except Exception as error:
            outcomes.append((type(error).__name__, str(error)))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("other", ["torch.empty(2, device='meta')", "torch.empty(3, device='meta')", "torch.empty(2)"])
def test_closeness(other):
    """What has no values is close where shape, device and dtype are the same."""
    outcomes = [
        outcome(f"torch.testing.assert_close(torch.empty(2, device='meta'), {other})", module) for module in (rushlight, torch)
    ]
    assert outcomes[0] == outcomes[1]
