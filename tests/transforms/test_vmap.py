"""vmap: what a function of one example becomes for a batch, in place, with random numbers, by index, and what it refuses."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight._C import _functorch
from rushlight._functorch.apis import chunk_vmap
from rushlight._functorch.vmap import restore_vmap
from rushlight.func import debug_unwrap, grad, jvp, vmap
from rushlight.transforms.rules import forms


def loop(function: Callable[..., Any], *args: Any) -> Any:
    return torch.stack([function(*row) for row in zip(*args, strict=True)])


def double(*shape: int) -> Any:
    return torch.randn(*shape, dtype=torch.float64)


# In place.


def test_a_write_goes_to_the_argument() -> None:
    x = torch.rand(3, 4)
    before = x.clone()
    assert vmap(torch.Tensor.sin_)(x) is x
    assert torch.equal(x, before.sin())
    turned = vmap(torch.Tensor.cos_, in_dims=1, out_dims=0)(x)
    assert turned._base is x
    assert torch.equal(x, before.sin().cos())


def test_writes_through_views_of_examples() -> None:
    def double_first_and_sum(x: Any) -> Any:
        y = x.clone()
        y[0].mul_(2)
        y.t()[1].add_(x[:, 0])
        return y

    x = double(5, 3, 3)
    assert torch.equal(vmap(double_first_and_sum)(x), loop(double_first_and_sum, x))
    slopes = vmap(grad(lambda x: (double_first_and_sum(x) ** 2).sum()))(x)
    assert torch.allclose(slopes, loop(grad(lambda x: (double_first_and_sum(x) ** 2).sum()), x))


def test_shapes_changed_in_place() -> None:
    def flatten(x: Any) -> Any:
        y = x * 1
        y.unsqueeze_(0).squeeze_(0)
        return y.t_()

    x = double(2, 3, 4)
    assert torch.equal(vmap(flatten)(x), x.transpose(1, 2))


def test_tensors_made_like_an_example_take_its_writes() -> None:
    for name in ("new_zeros", "new_empty", "new_ones"):
        made = vmap(lambda x, name=name: getattr(x, name)((2,)).copy_(x[:2]))(torch.ones(4, 3))
        assert torch.equal(made, torch.ones(4, 2))
    assert torch.equal(vmap(lambda x: torch.zeros_like(x).add_(x))(torch.ones(4, 3)), torch.ones(4, 3))


def test_what_all_share_cannot_take_what_each_has() -> None:
    shared = torch.zeros(3)
    with pytest.raises(RuntimeError, match="inplace arithmetic"):
        vmap(lambda x: shared.copy_(x))(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match=r"aten::embedding_renorm_\(self"):
        vmap(lambda i: torch.nn.functional.embedding_bag(i, torch.ones(5, 3), max_norm=1.0))(
            torch.ones(2, 1, 2, dtype=torch.long)
        )
    with pytest.raises(RuntimeError, match=r"Batching rule not implemented for aten::abs.out"):
        vmap(lambda x, y: torch.abs(x, out=y))(torch.ones(2, 3), torch.ones(2, 3))


# What depends on numbers.


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x.sum().item(), r"\.item\(\) on a Tensor"),
        (lambda x: torch.tensor(float(x.sum())), r"\.item\(\) on a Tensor"),
        (lambda x: x if x.sum() > 0 else -x, "data-dependent control flow"),
        (lambda x: x.tolist(), "Cannot access data pointer"),
        (lambda x: x.nonzero(), "dynamic shape. Attempted to vmap over aten::nonzero"),
        (lambda x: x[x > 0], "indexing with a boolean mask"),
        (lambda x: x.sum().backward(), "backward.. called inside a functorch transform"),
        (lambda x: x.requires_grad_(), "requires_grad_.. .or perhaps"),
    ],
)
def test_refused(function: Callable[..., Any], words: str) -> None:
    calls = []

    def counted(x: Any) -> Any:
        calls.append(x)
        return function(x)

    with pytest.raises(RuntimeError, match=words):
        vmap(counted)(torch.randn(4, 3))
    assert len(calls) == 1  # an error is no reason to try again with single examples


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: vmap(lambda x: x, out_dims=None)(torch.ones(2)), "can not return a BatchedTensor"),
        (lambda: vmap(lambda x: x, out_dims="last")(torch.ones(2)), "must be an int, None or a python collection"),
        (lambda: vmap(lambda x: x, [0])(torch.ones(2)), "expected `in_dims` to be int or a .potentially nested. tuple"),
        (lambda: vmap(lambda x, y: x, (0,))(torch.ones(2), torch.ones(2)), r"TreeSpec\(tuple, None, \[\*,\n  \*\]\)"),
        (lambda: vmap(lambda x: 3)(torch.ones(2)), "got type <class 'int'>"),
        (lambda: vmap(lambda x: x, (None,))(1), "at least one Tensor"),
    ],
)
def test_wrong_dimensions(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_what_is_no_batch_may_be_anything() -> None:
    result, word, shared = vmap(lambda x: (x, "word", torch.arange(2)), out_dims=(0, None, None))(torch.ones(3))
    assert (result.tolist(), word, shared.tolist()) == ([1.0] * 3, "word", [0, 1])


# Random numbers.


@pytest.mark.parametrize("draw", [lambda s: torch.rand(s), lambda s: torch.randn(s), lambda s: torch.randint(0, 9, s)])
def test_random_numbers_are_those_of_one_draw(draw: Callable[..., Any]) -> None:
    torch.manual_seed(1)
    different = vmap(lambda x: draw((5,)), randomness="different")(torch.ones(4))
    torch.manual_seed(1)
    assert torch.equal(different, draw((4, 5)))
    torch.manual_seed(1)
    same = vmap(lambda x: draw((5,)), randomness="same")(torch.ones(4))
    torch.manual_seed(1)
    assert torch.equal(same, draw((5,)).expand(4, 5))
    with pytest.raises(RuntimeError, match="randomness error mode"):
        vmap(lambda x: draw((5,)))(torch.ones(4))


def test_dropout_and_fills() -> None:
    x = torch.ones(4, 50)
    torch.manual_seed(1)
    found = vmap(lambda x: F.dropout(x), randomness="different")(x)
    torch.manual_seed(1)
    assert torch.equal(found, F.dropout(x))
    rows = vmap(lambda x: F.dropout(x), randomness="same")(x)
    assert torch.equal(rows[0], rows[3])
    torch.manual_seed(1)
    filled = vmap(torch.Tensor.normal_, randomness="different")(torch.zeros(4, 5))
    torch.manual_seed(1)
    assert torch.equal(filled, torch.zeros(4, 5).normal_())
    shared = torch.zeros(5)
    with pytest.raises(RuntimeError, match="different inplace randomness on an unbatched tensor"):
        vmap(lambda x: shared.normal_(), randomness="different")(x)


def test_each_level_has_its_own_randomness() -> None:
    numbers = vmap(vmap(lambda x: torch.rand(2), randomness="same"), randomness="different")(torch.ones(3, 4))
    assert torch.equal(numbers[:, 0], numbers[:, 3])
    assert not torch.equal(numbers[0], numbers[1])


# By index: the indices shared, or each its own, behind and between other dimensions.


@pytest.mark.parametrize(
    "function",
    [
        lambda x, i: x[i],
        lambda x, i: x[:, i],
        lambda x, i: x[:, :, i.view(2, 1)],
        lambda x, i: x[i, :, i],
        lambda x, i: x[1:, i, i],
        lambda x, i: x.take(i),
        lambda x, i: x.index_put((i, i), x[i, i] * 2),
        lambda x, i: F.embedding(i, x[0]),
        lambda x, i: x.gather(1, i.view(1, 2, 1).expand(3, 2, 3)),
        lambda x, i: torch.searchsorted(x[0, 0].sort()[0], x[:, i].double()).double() + x.sum(),
    ],
)
@pytest.mark.parametrize("shared", [False, True])
def test_subscripts(function: Callable[..., Any], shared: bool) -> None:
    x, own = double(4, 3, 3, 3), torch.tensor([[0, 2], [1, 1], [2, 0], [0, 1]])
    given = own[0] if shared else own
    rows = [own[0]] * 4 if shared else list(own)
    dims = (0, None if shared else 0)
    expected = torch.stack([function(row, i) for row, i in zip(x, rows, strict=True)])
    assert torch.allclose(vmap(function, dims)(x, given), expected)
    if expected.dtype is torch.float64:
        total = lambda x, i: (function(x, i) ** 2).sum()  # noqa: E731
        slopes = torch.stack([grad(total)(row, i) for row, i in zip(x, rows, strict=True)])
        assert torch.allclose(vmap(grad(total), dims)(x, given), slopes)


def test_norms_with_parameters_of_each_example() -> None:
    x, w = double(4, 5, 6), double(4, 6)
    for function in (
        lambda x, w: F.batch_norm(x, None, None, w, w, training=True),
        lambda x, w: F.group_norm(x, 3, w, w),
        lambda x, w: F.layer_norm(x, (6,), w, w),
    ):
        assert torch.allclose(vmap(function)(x, w), loop(function, x, w))
        slope = grad(lambda w, x, f=function: (f(x, w) ** 3).sum())
        assert torch.allclose(vmap(slope)(w, x), loop(slope, w, x))


def test_running_statistics() -> None:
    x, means, variances = double(3, 4, 2), torch.zeros(3, 2, dtype=torch.float64), torch.ones(3, 2, dtype=torch.float64)
    vmap(lambda x, m, v: F.batch_norm(x, m, v, training=True))(x, means, variances)
    mean, variance = torch.zeros(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
    F.batch_norm(x[1], mean, variance, training=True)
    assert torch.allclose(means[1], mean)
    assert torch.allclose(variances[1], variance)
    with pytest.raises(RuntimeError, match="updated in place, were not batched"):
        vmap(lambda x: F.batch_norm(x, mean, variance, training=True))(x)


# In parts, one level by hand, and the loop.


def test_in_parts() -> None:
    x = double(10, 3)
    function = lambda x: {"sin": x.sin(), "sum": x.sum()}  # noqa: E731
    whole = vmap(function)(x)
    seen: list[int] = []

    def watched(x: Any) -> Any:
        seen.append(len(debug_unwrap(x)))
        return function(x)

    for parts in (vmap(watched, chunk_size=4)(x), chunk_vmap(watched, chunks=3)(x)):
        assert torch.equal(parts["sin"], whole["sin"])
        assert torch.equal(parts["sum"], whole["sum"])
    assert seen == [4, 4, 2, 4, 4, 2]
    with pytest.raises(ValueError, match="chunk_size should be None or greater than 0"):
        vmap(function, chunk_size=0)


def test_results_with_their_dimensions() -> None:
    x, y = double(2, 3), double(4, 2)
    (total, shared, turned), dims = restore_vmap(lambda x, y, z: (x.sum() + y, z, y), (0, 1, None), 2, "error")(x, y, 5)
    assert torch.equal(total, x.sum(1).view(2, 1) + y.t())
    assert (shared, turned is y, dims) == (5, True, (0, None, 1))


def test_the_loop_can_be_made_to_warn_and_be_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(forms.rules, "tril")
    x = double(3, 2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = vmap(torch.tril)(x)
    _functorch._set_vmap_fallback_warning_enabled(True)
    try:
        with pytest.warns(UserWarning, match="performance drop because .* batching rule for aten::tril"):
            assert torch.equal(vmap(torch.tril)(x), expected)
    finally:
        _functorch._set_vmap_fallback_warning_enabled(False)
    _functorch._set_vmap_fallback_enabled(False)
    try:
        with pytest.raises(RuntimeError, match="fallback is disabled"):
            vmap(torch.tril)(x)
    finally:
        _functorch._set_vmap_fallback_enabled(True)


# With forward mode inside.


def test_tangents_of_examples_written_in_place() -> None:
    def write(x: Any, y: Any) -> Any:
        x = x.clone()
        first = x[0]
        x.copy_(y)
        first.mul_(3)
        return first, x

    x, y, t = double(4, 2, 3), double(4, 2, 3), double(4, 2, 3)
    value, slope = vmap(lambda x, y, t: jvp(lambda y: write(x, y), (y,), (t,)))(x, y, t)
    scale = torch.tensor([[3.0], [1.0]], dtype=torch.float64)
    assert torch.allclose(value[1], y * scale)
    assert torch.allclose(slope[1], t * scale)
    assert torch.allclose(slope[0], t[:, 0] * 3)


def test_as_strided_stays_within_an_example():
    batch = torch.arange(12.0).view(3, 4)
    found = torch.vmap(lambda row: row.as_strided((2, 2), (1, 2), 0))(batch)
    assert found[1].tolist() == [[4.0, 6.0], [5.0, 7.0]]
    for size, start in ((5, 0), (2, 3)):
        with pytest.raises(RuntimeError, match="can access memory outside of `tensor`"):
            torch.vmap(lambda row, size=size, start=start: row.as_strided((size,), (1,), start))(batch)


def test_an_example_is_of_no_use_once_vmap_has_ended() -> None:
    kept: list[Any] = []
    vmap(lambda x: kept.append(x) or x * 2)(torch.ones(2, 3))
    (example,) = kept
    for use, routine in (
        (example.sin, "gen_vmap_plumbing"),
        (example.sum, "boxed_reduction_batch_rule"),
        (example.sin_, "boxed_tensor_inputs_batch_rule"),
        (lambda: example[0], "gen_vmap_plumbing"),
        (lambda: example @ example, "gen_vmap_plumbing"),
        (example.detach, "gen_vmap_plumbing"),
    ):
        with pytest.raises(RuntimeError, match=f"your tensor may have escaped .* in `{routine}`"):
            use()
    assert example.shape == (3,) and len(example) == 3
    assert repr(example).startswith("BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[1., 1., 1.],")


def test_chunks_of_one_randomness_draw_the_same() -> None:
    def noisy(x: Any) -> Any:
        return x * 0 + torch.rand_like(x)

    for size in (1, 2, 3):
        found = vmap(noisy, randomness="same", chunk_size=size)(torch.ones(5, 2))
        assert (found == found[0]).all()


def test_numbers_different_at_each_of_two_levels() -> None:
    torch.manual_seed(0)
    found = vmap(vmap(lambda x: x + torch.randn(()), randomness="different"), randomness="different")(torch.ones(2, 3, 4))
    torch.manual_seed(0)
    assert torch.equal(found, torch.ones(2, 3, 4) + torch.randn(2, 3, 1))


def test_a_squeeze_of_nothing_is_a_view() -> None:
    x = torch.rand(2, 3, 5)
    for dim in (0, 1, (0, 1)):
        found = vmap(lambda one, dim=dim: one.squeeze(dim))(x)
        assert found._base is x and found.shape == x.shape


def test_factors_of_wrong_dimensions_are_named() -> None:
    for op, shapes in ((torch.mm, ((2, 3), (3,))), (torch.mv, ((3,), (3,))), (torch.bmm, ((2, 3), (3, 2)))):
        batches = [torch.ones(4, *shape) for shape in shapes]
        with pytest.raises(RuntimeError, match=f"Shape mismatch: Got incorrect dims for {op.__name__}"):
            vmap(op)(*batches)
    with pytest.raises(RuntimeError, match="Got wrong shapes for dot"):
        vmap(torch.dot)(torch.ones(4, 2, 2), torch.ones(4, 2))


def test_what_vmap_refuses_by_name() -> None:
    with pytest.raises(RuntimeError, match="Attempted to vmap over aten::where"):
        vmap(torch.where)(torch.ones(4, 3))
    with pytest.raises(RuntimeError, match="we do not yet support aten::rrelu"):
        vmap(F.rrelu, randomness="same")(torch.ones(4))


def test_strides_of_empty_examples_are_kept() -> None:
    found = vmap(lambda x: x.new_empty_strided([0, 2, 0], [12, 4, 1]))(torch.ones(7))
    assert found.stride() == (0, 12, 4, 1)


# Rules of single families: numbers among the examples, indices of each example's own, writes in order.

AXIS_OPS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda x, i: x.index_add(-1, i, x[..., :2]), (double(3, 4), [[0, 3], [2, 2], [1, 0]])),
    (lambda x, i: x.index_copy(0, i, x[:2]), (double(3, 4), [[0, 3], [2, 1], [1, 0]])),
    (lambda x, i: x.index_select(-1, i), (double(3, 4), [[0, 3], [2, 2], [1, 0]])),
    (lambda x, i: x.index_reduce(0, i, x[:2], "prod"), (double(3, 4), [[0, 3], [2, 2], [1, 0]])),
    (lambda x, i: x.index_fill(0, i, 7.0), (double(3, 4), [[0, -1], [2, 2], [1, 0]])),
    (lambda x, i: x.put(i, x[:2], accumulate=True), (double(3, 4), [[0, 3], [2, 2], [1, 0]])),
    (lambda x, i: x.gather(0, i), (double(3, 4), [[0, 3], [2, 2], [1, 0]])),
    (lambda x, i: x.median().gather(0, i * 0), (double(3, 4), [[0], [2], [1]])),
]


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("place", range(len(AXIS_OPS)))
def test_indices_of_each_example(place: int) -> None:
    call, (x, index) = AXIS_OPS[place]
    index = torch.tensor(index)
    by_one = torch.stack([call(one, i) for one, i in zip(x, index, strict=True)])
    level_ops = looped(lambda: vmap(call)(x, index))
    assert torch.equal(level_ops[0], by_one) and not level_ops[1]


def looped(run: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What ``run`` gives, and the ops that it ran example by example."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _functorch._set_vmap_fallback_warning_enabled(True)
        try:
            result = run()
        finally:
            _functorch._set_vmap_fallback_warning_enabled(False)
    return result, [str(one.message) for one in caught if "performance drop" in str(one.message)]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.quantile(x, 0.3, 0),
        lambda x: torch.nanquantile(torch.where(x > 1, x, torch.nan), 0.7),
        lambda x: torch.isin(x, x[0]),
        lambda x: torch.block_diag(x, x[0], x[0, 0]),
        lambda x: torch.linalg.matrix_rank(x @ x.mT),
        lambda x: torch.linalg.lu_factor(x[:, :3])[0],
        lambda x: torch.linalg.lstsq(x.mT, x.mT[:, :1]).solution,
        lambda x: torch.pdist(x, 1.5),
        lambda x: torch.dist(x, x[0], 3),
        lambda x: torch.renorm(x, 2, 1, 0.5),
        lambda x: torch.masked_scatter(x, x > 0, x.flip(0).contiguous()),
        lambda x: torch.cdist(x, x[None, :2]),
        lambda x: x.median(),
        lambda x: x.argmin(),
        lambda x: x.T.contiguous().flip(()),
        lambda x: x[0, 0].unsqueeze(0).max(0)[0],
        lambda x: F.multi_margin_loss(x, torch.tensor([0, 1, 2])),
        lambda x: F.hinge_embedding_loss(x, torch.ones_like(x)),
        lambda x: F.channel_shuffle(x.reshape(1, 2, 3, 2), 2),
        lambda x: F.embedding(torch.tensor([0, 2]), x, padding_idx=2),
        lambda x: F.embedding_bag(torch.tensor([0, 2, 1]), x, torch.tensor([0, 2]), mode="sum"),
        lambda x: F.bilinear(x, x, x[None, :, :1].expand(2, 3, 4).transpose(1, 2)[:, :, :1].expand(2, 4, 4)),
    ],
)
def test_rules_of_families(call: Callable[[Any], Any]) -> None:
    batch = double(5, 3, 4)
    found, loops = looped(lambda: vmap(call)(batch))
    assert not loops
    assert torch.allclose(found, torch.stack([call(one) for one in batch]), equal_nan=True)


def test_the_padding_row_of_each_table_gets_no_gradient() -> None:
    tables, places = double(2, 4, 3), torch.tensor([1, 3, 1])
    found = vmap(grad(lambda table: F.embedding(places, table, padding_idx=3).sum()))(tables)
    assert torch.equal(found, torch.tensor([0.0, 2.0, 0.0, 0.0], dtype=torch.float64)[:, None].expand(2, 4, 3))


def test_the_padding_row_has_a_tangent_all_the_same() -> None:
    tables, slopes, places = double(2, 4, 3), double(2, 4, 3), torch.tensor([1, 3, 1])
    found = vmap(lambda w, t: jvp(lambda w: F.embedding(places, w, padding_idx=3), (w,), (t,))[1])(tables, slopes)
    assert torch.equal(found, slopes[:, places])


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.index_reduce_(0, torch.tensor([0]), torch.full(x.shape[1:], 2.0, dtype=x.dtype)[None], "prod"),
        lambda x: x.index_fill_(-1, torch.tensor([0, 2]), 3.0),
        lambda x: x[0, 0].index_fill_(0, torch.tensor([0]), 3.0),
        lambda x: x[0, 0].scatter_(0, torch.tensor(0), 5.0),
        lambda x: x.renorm_(2, 0, 0.5),
        lambda x: x.cumprod_(1),
        lambda x: x.put_(torch.tensor([0, 5]), x.flatten()[:2].clone()),
    ],
)
def test_gradients_through_writes_into_examples(write: Callable[[Any], Any]) -> None:
    def loss(x: Any) -> Any:
        y = x.clone()
        write(y)
        return (y**2).sum()

    batch = double(4, 2, 3)
    assert torch.allclose(vmap(grad(loss))(batch), torch.stack([grad(loss)(one) for one in batch]))


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (2, 2, 3, 4)])
def test_attention_with_a_mask_that_all_examples_share(shape: tuple[int, ...]) -> None:
    batch, mask = double(5, *shape), double(3, 3)

    def attend(x: Any) -> Any:
        return F.scaled_dot_product_attention(x, x.sin(), x.cos(), attn_mask=mask)

    found, loops = looped(lambda: vmap(attend)(batch))
    assert not loops and torch.allclose(found, torch.stack([attend(one) for one in batch]))
