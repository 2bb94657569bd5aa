"""Ops under saved-tensor hooks: what compiled ops pack is what the general path packs."""

import gc

import pytest

import rushlight as torch
from rushlight.ops import dispatch
from rushlight.ops.table import table

HOOKED = {
    "product": lambda x, y: x * y,
    "product with a number": lambda x, y: x * 2,
    "product with itself": lambda x, y: x * x,
    "quotient": lambda x, y: x / y,
    "power": lambda x, y: x**3,
    "tanh": lambda x, y: x.tanh(),
    "function": lambda x, y: torch.exp(x),
    "matrix product": lambda x, y: x @ y.T,
    "linear": lambda x, y: torch.nn.functional.linear(x, y, torch.ones(2)),
    "layer norm": lambda x, y: torch.nn.functional.layer_norm(x, (3,)),
    "softmax": lambda x, y: x.softmax(-1),
    "piece": lambda x, y: x[:, [0, 2]],
    "join": lambda x, y: torch.cat([x, y]),
    "largest": lambda x, y: x.max(1).values,
    "mixed dtypes": lambda x, y: x * y.double(),
    "shapes that do not go together": lambda x, y: x * y[:, :2],
    "view": lambda x, y: x.t() * y.t(),
    "only one needs a gradient": lambda x, y: x.detach() * y,
    "none needs a gradient": lambda x, y: x.detach() * 2,
    "write": lambda x, y: (x * y).mul_(y),
    "view made in no_grad": lambda x, y: _view_in_no_grad(x) * y,
}


def _view_in_no_grad(x):
    with torch.no_grad():
        return x.view(3, 2).t()


@pytest.mark.parametrize("name", HOOKED)
def test_compiled_ops_pack_what_the_general_path_packs(name, monkeypatch):
    def packed_and_results():
        log = []

        def pack(x):
            log.append((x.tolist(), x.requires_grad, x.grad_fn and x.grad_fn.name(), x.is_leaf, torch.is_grad_enabled()))
            return x.detach().clone()

        x = torch.tensor([[0.5, 1.0, 2.0], [3.0, 0.25, 1.5]], requires_grad=True)
        y = torch.tensor([[1.5, 2.0, 0.5], [1.0, 3.0, 0.75]], requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: log.append("opened") or kept):
            try:
                z = HOOKED[name](x, y)
            except RuntimeError as error:
                return log, str(error)
            gradients = torch.autograd.grad(z.sum(), (x, y), allow_unused=True) if z.requires_grad else ()
        return log, z.tolist(), [g if g is None else g.tolist() for g in gradients]

    compiled = packed_and_results()
    for op in table.values():
        monkeypatch.setitem(vars(op), "hooked", lambda *args: NotImplemented)
    assert compiled == packed_and_results()


@pytest.mark.usefixtures("nothing_else_special")
def test_ops_under_hooks_are_compiled(monkeypatch):
    x = torch.ones(2, 3, requires_grad=True)

    def step():
        return (torch.tanh(x * 2).t() @ x).softmax(-1).sum()

    with torch.autograd.graph.saved_tensors_hooks(lambda kept: kept, lambda kept: kept):
        wanted = step()
        monkeypatch.setattr(dispatch, "record", None)
        assert step().tolist() == wanted.tolist()


def test_what_is_on_the_cpu_already_is_kept_as_it_is():
    a = torch.tensor([3.0, 5.0], requires_grad=True)
    with torch.autograd.graph.save_on_cpu():
        b = a * a
    a.data.fill_(1.0)
    b.sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]


def test_a_hook_that_raises_leaves_no_result_behind():
    x = torch.ones(3, requires_grad=True)

    def pack(kept):
        raise ValueError("no")

    gc.collect()
    gc.disable()
    try:
        before = len([one for one in gc.get_objects() if isinstance(one, torch.Tensor)])
        for operation in (lambda: x * x, x.tanh, lambda: x.max(0).values):
            with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept), pytest.raises(ValueError, match="no"):
                operation()
        assert len([one for one in gc.get_objects() if isinstance(one, torch.Tensor)]) == before
    finally:
        gc.enable()
