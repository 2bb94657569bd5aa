"""Tensors made in inference mode: what they are, what may be done with them outside of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

import rushlight as torch
from rushlight.ops import dispatch
from rushlight.ops.compiling import GLOBALS


def made(**options):
    with torch.inference_mode():
        return torch.ones(2, 3, **options)


def test_views_of_inference_tensors_are_inference_tensors_and_no_views():
    x = made(requires_grad=True)
    for view in (x.view(-1), x.t(), x[0], x.detach()):
        assert view.is_inference() and not view._is_view() and not view.requires_grad
    assert x.view(-1).data_ptr() == x.data_ptr()
    with torch.inference_mode():
        x.view(-1).add_(1)
    assert x.tolist() == [[2.0] * 3] * 2


def test_views_of_ordinary_tensors_stay_views_in_inference_mode():
    x = torch.ones(2, 3, requires_grad=True).clone()
    with torch.inference_mode():
        view = x.view(-1)
    assert view._is_view() and view.requires_grad and not view.is_inference() and view.is_leaf
    with pytest.raises(RuntimeError, match="A view was created in inference mode and is being modified inplace"):
        view.add_(1)


def test_nothing_counts_writes_so_writes_outside_are_refused():
    x = made()
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        _ = x._version
    y = torch.ones(2, 3)
    for write in (
        lambda: x.add_(1),
        lambda: x.zero_(),
        lambda: torch.mul(y, y, out=x),
        lambda: x.resize_(3),
        lambda: x.set_(y),
        lambda: x.unsqueeze_(0),
    ):
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
            write()
    assert x.clone().add_(1)._version == 1


def test_ops_on_inference_tensors_alone_are_not_recorded():
    x = made(requires_grad=True)
    assert not (x * x).requires_grad and not x.sum().requires_grad and not torch.cat([x, x]).requires_grad
    assert (x * 2).requires_grad  # a number counts as an ordinary tensor
    y = torch.ones(2, 3, requires_grad=True)
    (x + y).sum().backward()
    assert x.grad.tolist() == y.grad.tolist() == [[1.0] * 3] * 2
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        x * y


def state_of(x):
    return x.tolist(), x.is_inference(), x.requires_grad, x._is_view(), x.is_leaf, x._made, x._base is None


OPERATIONS = {
    "product": lambda x: x * x,
    "product with a number": lambda x: x * 2,
    "comparison": lambda x: x > 0,
    "tanh": lambda x: x.tanh(),
    "function": torch.exp,
    "matrix product": lambda x: x @ x.T,
    "linear": lambda x: torch.nn.functional.linear(x, torch.ones(4, 3), torch.ones(4)),
    "linear without bias": lambda x: torch.nn.functional.linear(x, torch.ones(4, 3), None),
    "sum": lambda x: x.sum(1),
    "view": lambda x: x.view(-1),
    "view of a view": lambda x: x.t().transpose(0, 1),
    "view of a result": lambda x: (x + 1).t(),
    "piece": lambda x: x[0],
    "join": lambda x: torch.cat([x, x]),
    "pieces": lambda x: x.chunk(2)[1],
    "write": lambda x: (x * 2).add_(x),
    "softmax": lambda x: x.softmax(-1),
}
GIVEN = {
    "ordinary": lambda: torch.ones(2, 3),
    "leaf": lambda: torch.ones(2, 3, requires_grad=True),
    "view": lambda: torch.ones(6, requires_grad=True).clone().view(2, 3),
    "made inside": lambda: made(),
    "leaf made inside": lambda: made(requires_grad=True),
}


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("name", OPERATIONS)
def test_compiled_ops_do_in_inference_mode_what_the_general_path_does(name, given, recording, monkeypatch):
    def result():
        x = GIVEN[given]()
        with torch.inference_mode(), torch.set_grad_enabled(recording):
            return state_of(OPERATIONS[name](x))

    try:
        compiled = result()
    except RuntimeError as error:
        compiled = str(error).split("\n")[0]
    monkeypatch.setitem(GLOBALS, "unusual", lambda *inputs, packs=True: True)
    try:
        assert compiled == result()
    except RuntimeError as error:
        assert compiled == str(error).split("\n")[0]


@pytest.mark.usefixtures("nothing_else_special")
def test_compiled_ops_stay_compiled_in_inference_mode(monkeypatch):
    x, held = torch.ones(2, 3), made()
    wanted = (x.tanh() * x + 1).t()
    x.chunk(3, 1), x.max(1)  # compiled at their first call
    monkeypatch.setattr(dispatch, "run", None)
    with torch.inference_mode():
        assert (x.tanh() * x + 1).t().tolist() == wanted.tolist()
    assert (x.tanh() * x + 1).t().tolist() == wanted.tolist()  # though there is a tensor made in one
    assert [part.shape for part in x.chunk(3, 1)] == [(2, 1)] * 3 and x.max(1).values.tolist() == [1.0, 1.0]
    for operation in (lambda: held * x, lambda: x * held, held.tanh, held.t, lambda: held.chunk(3, 1), lambda: held.max(1)):
        with pytest.raises(TypeError, match="not callable"):
            operation()


def test_nothing_is_recorded_in_inference_mode_whatever_grad_mode_says():
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode(), torch.enable_grad():
        y = x * 2
        assert torch.is_grad_enabled() and not y.requires_grad and y.is_inference()
        with torch.no_grad():
            assert not torch.is_grad_enabled()
        with torch.set_grad_enabled(True), torch.inference_mode(False):
            assert (x * 2).requires_grad
    with torch.inference_mode():
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled() and (x * 2).requires_grad
    for setting in (y.requires_grad_, lambda: torch.nn.Parameter(y), lambda: setattr(y, "requires_grad", True)):
        with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor outside InferenceMode"):
            setting()


class _Named(torch.Tensor):
    """A subclass like any."""


def step(x):
    y = torch.tanh(x * 2).t() + 1
    return (torch.cat([y.chunk(3)[0], y]) * y.max(1, keepdim=True).values[:1]).sum()


@pytest.mark.usefixtures("nothing_else_special")
@pytest.mark.parametrize("unusual", ["sparse", "subclass"])
def test_compiled_ops_stay_compiled_beside_unusual_tensors(unusual, monkeypatch):
    x = torch.ones(2, 3, requires_grad=True)
    held = torch.eye(3).to_sparse() if unusual == "sparse" else torch.eye(3).as_subclass(_Named)
    wanted = step(x)
    with monkeypatch.context() as patch:
        patch.setattr(dispatch, "run", None)
        found = step(x)
    assert found.tolist() == wanted.tolist()
    assert torch.autograd.grad(found, x)[0].tolist() == torch.autograd.grad(wanted, x)[0].tolist()
    for operation in (lambda: held * 2, lambda: torch.abs(held), lambda: torch.cat([held, held])):
        assert type(operation()) is type(held)


class _Counts(torch.overrides.TorchFunctionMode):
    """Counts the calls that it is asked about."""

    calls = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.calls += 1
        return func(*args, **(kwargs or {}))


@pytest.mark.usefixtures("nothing_else_special")
@pytest.mark.parametrize("mode", ["function mode", "two function modes", "autocast"])
def test_compiled_ops_stay_compiled_in_modes_that_are_asked_before_them(mode, monkeypatch):
    x = torch.ones(2, 3, requires_grad=True)
    wanted, counts = step(x), _Counts()
    with monkeypatch.context() as patch, torch.autocast("cpu", enabled=mode == "autocast"):
        patch.setattr(dispatch, "run", None)
        if mode == "function mode":
            with counts:
                found = step(x)
        elif mode == "two function modes":
            with counts, counts:
                found = step(x)
        else:
            found = step(x)
            assert torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype is torch.bfloat16
    assert found.tolist() == wanted.tolist()
    assert counts.calls == {"function mode": 10, "two function modes": 20, "autocast": 0}[mode]


def test_another_thread_makes_ordinary_tensors_meanwhile():
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode(), ThreadPoolExecutor(1) as pool:
        y = pool.submit(lambda: (x * x).tanh()).result()
        assert not y.is_inference() and y.requires_grad
        assert (x * x).is_inference()
    y.sum().backward()
    assert x.grad is not None


def test_other_faults_of_a_write_come_before_that_it_is_of_inference_mode() -> None:
    with torch.inference_mode():
        t = torch.ones(4)
    with pytest.raises(RuntimeError, match="The size of tensor a"):
        t.add_(torch.ones(3))
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        t.mul_(torch.ones(1, 4))
    with pytest.raises(RuntimeError, match="renorm: input needs at least 2 dimensions"):
        t.renorm_(2, -1, 1.0)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        t.clamp_(0, 0.5)
    assert t.tolist() == [1.0] * 4


def test_functions_and_checkpoints_do_not_save_what_inference_mode_made() -> None:
    with torch.inference_mode():
        t = torch.ones(2)
    x = torch.ones(2, requires_grad=True)
    for reentrant in (False, True):
        with pytest.raises(RuntimeError, match="Inference tensors cannot be saved"):
            torch.utils.checkpoint.checkpoint(lambda x, t: x * 2, x, t, use_reentrant=reentrant)
