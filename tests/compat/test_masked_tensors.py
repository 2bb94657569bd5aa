"""Masked tensors: what they are made of, print as and refuse, and that ops, reductions and gradients see only what counts."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from collections.abc import Callable, Iterator

import pytest
from forking import program_output

import rushlight as torch

Maker = Callable[[torch.Tensor], torch.Tensor]
DATA = torch.tensor([[0.5, -1.0, 2.0], [3.0, 4.0, -5.0]], dtype=torch.float64)
MASK = torch.tensor([[True, False, True], [False, True, False]])
MATCH = "Input masks must match"


@pytest.fixture(autouse=True)
def _without_the_word_of_prototypes() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The PyTorch API of MaskedTensors")
        yield


def made(data: torch.Tensor = DATA, mask: torch.Tensor = MASK, requires_grad: bool = False) -> torch.Tensor:
    return torch.masked.masked_tensor(data, mask, requires_grad)


def holds(masked: torch.Tensor, data: object, mask: object) -> bool:
    """Whether it has that mask, and that data where it counts."""
    mask = torch.as_tensor(mask)
    same = torch.allclose(masked.get_data()[mask], torch.as_tensor(data, dtype=masked.dtype)[mask], equal_nan=True)
    return torch.masked.is_masked_tensor(masked) and torch.equal(masked.get_mask(), mask) and same


def test_it_holds_copies_and_gives_them_back() -> None:
    data, mask = DATA.clone(), MASK.clone()
    one, other = made(data, mask), torch.masked.as_masked_tensor(data, mask)
    data.zero_()
    mask.fill_(True)
    for masked in (one, other):
        assert holds(masked, DATA, MASK)
        assert masked.shape == (2, 3) and masked.dtype is torch.float64 and masked.numel() == 6 and len(masked) == 2
    assert one.to_tensor(-1).tolist() == [[0.5, -1, 2], [-1, 4, -1]]
    assert not torch.masked.is_masked_tensor(DATA) and isinstance(one, torch.Tensor)
    one.get_mask()[0] = False
    assert one.to_tensor(0).tolist() == [[0, 0, 0], [0, 4, 0]]


@pytest.mark.parametrize(
    ("data", "mask", "text"),
    [
        (DATA, MASK, "MaskedTensor(\n  [\n    [  0.5000,       --,   2.0000],\n    [      --,   4.0000,       --]\n  ]\n)"),
        (torch.tensor([7, 12]), torch.tensor([True, False]), "MaskedTensor(\n  [7,       --]\n)"),
        (torch.tensor([1234567.5, 1]), torch.tensor([True, False]), "MaskedTensor(\n  [1234567.5000,           --]\n)"),
        (torch.tensor([True, True]), torch.tensor([False, True]), "MaskedTensor(\n  [      --, True]\n)"),
        (torch.tensor([math.nan, math.inf]), torch.tensor([True, True]), "MaskedTensor(\n  [     nan,      inf]\n)"),
        (torch.tensor(1.0), torch.tensor(True), "MaskedTensor(  1.0000, True)"),
        (torch.tensor(1.0), torch.tensor(False), "MaskedTensor(--, False)"),
        (torch.empty(0), torch.empty(0, dtype=torch.bool), "MaskedTensor(\n  []\n)"),
    ],
)
def test_it_prints_dashes_where_nothing_counts(data: torch.Tensor, mask: torch.Tensor, text: str) -> None:
    assert repr(made(data, mask)) == str(made(data, mask)) == f"{made(data, mask)}" == text


@pytest.mark.parametrize(
    ("data", "mask", "error", "text"),
    [
        ([1.0], MASK, TypeError, "data must be a Tensor"),
        (DATA, [True], TypeError, "mask must be a Tensor"),
        (DATA, DATA, TypeError, "mask must have dtype bool."),
        (DATA.bfloat16(), MASK, TypeError, "torch.bfloat16 is not supported in MaskedTensor."),
        (DATA.to(torch.complex64), MASK, TypeError, "torch.complex64 is not supported in MaskedTensor."),
        (DATA, MASK[0], ValueError, "data.dim() must equal mask.dim()"),
        (DATA, MASK[:, :2], ValueError, "data.size() must equal mask.size()"),
        (DATA.to_sparse(), MASK, NotImplementedError, "rushlight has no masked tensors in sparse layouts"),
    ],
)
def test_it_refuses_what_does_not_go_together(
    data: torch.Tensor, mask: torch.Tensor, error: type[Exception], text: str
) -> None:
    for make in (torch.masked.masked_tensor, torch.masked.as_masked_tensor, torch.masked.MaskedTensor):
        with pytest.raises(error) as raised:
            make(data, mask)
        assert str(raised.value) == text


def test_it_refuses_what_it_cannot_answer() -> None:
    for ask in (lambda x: x.numpy(), lambda x: x.tolist()):
        with pytest.raises(RuntimeError, match="is not supported for tensor subclasses"):
            ask(made())
    for question in (
        lambda x: 1.0 in x,
        lambda x: torch.equal(x, x),
        lambda x: x.max(),
        lambda x: x.sort(),
        lambda x: torch.relu(x),
    ):
        with pytest.raises(TypeError):
            question(made())
    with pytest.raises(NotImplementedError, match="no masked tensors in sparse layouts"):
        made().to_sparse()
    with pytest.raises(RuntimeError, match="Only Tensors of floating point"):
        made(DATA.long(), requires_grad=True)
    with pytest.raises(TypeError, match="cannot be written into a plain one"):
        DATA.clone().add_(made())
    with pytest.raises(TypeError, match="a correction of 0 or 1, not 2"):
        made().std(0, correction=2)


def test_it_warns_of_being_a_prototype_and_of_data_with_gradients() -> None:
    with pytest.warns(UserWarning, match="MaskedTensors is in prototype stage"):
        warnings.resetwarnings()
        made()
    with pytest.warns(UserWarning, match="It is not recommended to create a MaskedTensor with a tensor that requires_grad"):
        torch.masked.as_masked_tensor(DATA.clone().requires_grad_(), MASK)


@pytest.mark.parametrize(
    "name", ["abs", "exp", "sin", "log", "sqrt", "neg", "sigmoid", "tanh", "floor", "square", "isnan", "round"]
)
def test_functions_of_one_keep_the_mask(name: str) -> None:
    expected = getattr(torch, name)(DATA)
    assert holds(getattr(torch, name)(made()), expected, MASK)
    assert holds(getattr(made(), name)(), expected, MASK)
    if name != "isnan":
        x = made()
        assert getattr(x, name + "_")() is x and holds(x, expected, MASK)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "maximum", "minimum", "fmod", "atan2", "eq", "lt", "logaddexp"])
def test_functions_of_two_want_equal_masks(name: str) -> None:
    f = getattr(torch, name)
    expected = f(DATA, DATA + 1)
    for one, other in ((made(), made(DATA + 1)), (made(), DATA + 1), (DATA, made(DATA + 1))):
        assert holds(f(one, other), expected, MASK)
    for other in (made(DATA, ~MASK), made(DATA[:1], MASK[:1])):
        with pytest.raises(ValueError, match=MATCH):
            f(made(), other)
    if name in ("add", "sub", "mul", "div"):
        x = made()
        assert getattr(x, name + "_")(made(DATA + 1)) is x and holds(x, expected, MASK)
        assert holds(f(made(), 2), f(DATA, 2), MASK)


def test_arranging_arranges_data_and_mask() -> None:
    arrangements: tuple[Maker, ...] = (
        lambda x: x.view(3, 2), lambda x: x.reshape(-1), lambda x: x.t(), lambda x: x.transpose(0, 1), lambda x: x[0],
        lambda x: x[:, 1:], lambda x: x[MASK], lambda x: x[torch.tensor([1, 0])], lambda x: x.unsqueeze(0),
        lambda x: x[0].expand(2, 3), lambda x: torch.cat([x, x]), lambda x: torch.stack([x, x]), lambda x: x.split(1)[1],
        lambda x: x.unfold(1, 2, 1), lambda x: x.clone(), lambda x: x.detach(), lambda x: x.contiguous(),
    )  # fmt: skip
    for arrange in arrangements:
        assert holds(arrange(made()), arrange(DATA), arrange(MASK))
    assert holds(made().float(), DATA.float(), MASK) and made().float().dtype is torch.float32
    assert made()[0, 0].item() == 0.5


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "amin", "amax", "std", "var"])
def test_reductions_see_what_counts_and_are_masked_where_nothing_does(name: str) -> None:
    mask = torch.tensor([[True, False, True], [False, False, False]])
    expected = getattr(DATA[0][mask[0]], name)()
    x = made(mask=mask)
    assert holds(getattr(x, name)(), expected, True)
    assert holds(getattr(x, name)(1), [expected.item(), 0], [True, False])
    assert holds(getattr(torch, name)(x, dim=1, keepdim=True), [[expected.item()], [0]], [[True], [False]])
    assert torch.allclose(getattr(torch.masked, name)(x), expected)  # a plain tensor, as what it counts over is


def test_reductions_to_places_and_truths() -> None:
    assert made().argmax().item() == 4 and holds(made().argmin(1), [0, 1], [True, True])
    truths = made(torch.tensor([[1, 0, 1], [0, 1, 0]]))
    assert holds(truths.all(), True, True) and holds(truths.all(1), [True, True], [True, True])
    assert not made(torch.tensor([1, 0]), torch.tensor([True, True])).all().item()


def test_softmax_counts_what_the_mask_lets_through() -> None:
    assert holds(made().softmax(1), [[DATA[0][MASK[0]].softmax(0)[0], 0, DATA[0][MASK[0]].softmax(0)[1]], [0, 1, 0]], MASK)


def test_where_takes_the_mask_of_what_it_takes() -> None:
    x, y = made(), made(DATA * 10, ~MASK)
    choose = torch.tensor([[True, True, False], [False, True, True]])
    assert holds(torch.where(choose, x, y), torch.where(choose, DATA, DATA * 10), torch.where(choose, MASK, ~MASK))
    assert holds(x.where(choose, y), torch.where(choose, DATA, DATA * 10), torch.where(choose, MASK, ~MASK))
    assert holds(torch.where(choose, x, 7.0), torch.where(choose, DATA, 7.0), torch.where(choose, MASK, True))


def test_gradients_are_masked() -> None:
    functions: tuple[Maker, ...] = (
        lambda x: x.sum(), lambda x: (x * x).sum(), lambda x: x.mean(), lambda x: x.exp().sum(), lambda x: (x / 3).prod(),
        lambda x: x.amax(), lambda x: x.std(), lambda x: (2 * x + 1).square().mean(), lambda x: x.view(-1).sin().sum(),
    )  # fmt: skip
    for function in functions:
        x, plain = made(requires_grad=True), DATA[MASK].requires_grad_()
        function(x).backward()
        (expected,) = torch.autograd.grad(function(plain), plain)
        assert torch.masked.is_masked_tensor(x.grad) and torch.equal(x.grad.get_mask(), MASK)
        assert torch.allclose(x.grad.get_data()[MASK], expected), function(plain)


def test_gradients_of_parts_are_masked_elsewhere() -> None:
    x = made(requires_grad=True)
    for part, mask in ((x[0], [True, False]), (x[1:], [False, True])):
        (grad,) = torch.autograd.grad(part.sum(), x)
        assert torch.equal(grad.get_mask(), MASK & torch.tensor(mask)[:, None])


def test_gradients_come_back_from_plain_tensors() -> None:
    x = made(requires_grad=True)
    (x.to_tensor(0.0) * 2).sum().backward()
    assert holds(x.grad, torch.full((2, 3), 2.0), MASK)
    x.grad = None
    (x.get_data() ** 2).sum().backward()
    assert holds(x.grad, 2 * DATA, MASK)


def test_gradients_reach_what_a_masked_tensor_was_made_of() -> None:
    leaf = DATA.clone().requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        masked = torch.masked.as_masked_tensor(leaf * 3, MASK)
    assert masked.requires_grad and not masked.is_leaf
    (masked * masked).sum().backward()
    assert torch.allclose(leaf.grad.get_data()[MASK], (18 * DATA)[MASK])


def test_second_derivatives_are_masked() -> None:
    x = made(requires_grad=True)
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert holds(first, 3 * DATA**2, MASK) and holds(second, 6 * DATA, MASK)


def test_copies_and_pickles_hold_data_and_mask() -> None:
    for again in (copy.deepcopy(made()), pickle.loads(pickle.dumps(made()))):
        assert holds(again, DATA, MASK)


def test_programs_without_them_are_not_slowed_down() -> None:
    code = (
        "import rushlight as torch\n"
        "from rushlight.autograd import modes\n"
        "torch.masked.sum(torch.ones(2))\n"
        "assert not modes.special.active and 'rushlight.masked.maskedtensor' not in __import__('sys').modules\n"
        "torch.masked.MaskedTensor\n"
        "assert 'rushlight.masked.maskedtensor' in __import__('sys').modules"
    )
    assert program_output(code) == ""


def test_a_masked_tensor_leaves_other_gradients_sparse() -> None:
    data = torch.masked.masked_tensor(torch.ones(2), torch.tensor([True, False]), requires_grad=True)
    (data * data).sum().backward()
    embedding = torch.nn.Embedding(4, 2, sparse=True)
    rows = torch.sparse_coo_tensor([[1, 1]], [1.0, 1.0], (3,), requires_grad=True)
    (rows * rows).to_dense().sum().backward()
    embedding(torch.tensor([1])).sum().backward()
    assert rows.grad.is_sparse and embedding.weight.grad.is_sparse
