"""Making and converting tensors: what follows from the data, what is shared, what is refused. Without PyTorch."""

from __future__ import annotations

import re
import threading
import warnings

import numpy as np
import pytest

import rushlight as torch


def test_dtype_follows_from_data():
    for data, dtype in (
        ([1, 2], torch.int64), ([1, 2.0], torch.float32), ([True, 2], torch.int64), ([True], torch.bool),
        ([1, 2j], torch.complex64), ([], torch.float32), ([[], [1]], torch.float32), (np.float64(1), torch.float64),
        ([np.int8(1), np.int32(2)], torch.int32), ([np.float64(1), 2], torch.float64), (np.uint16(3), torch.uint16),
        ([torch.tensor(1.0, dtype=torch.float64), 2], torch.float64), (bytearray(b"ab"), torch.int64),
    ):  # fmt: skip
        assert torch.tensor(data).dtype is dtype, data


def test_shape_follows_from_first_items():
    assert torch.tensor([[1, 2], (3, 4)]).shape == (2, 2)
    assert torch.tensor([[[]], [[]]]).shape == (2, 1, 0)
    assert torch.tensor([np.zeros((2, 3)), np.ones((2, 3))]).shape == (2, 2, 3)
    assert torch.tensor([[torch.tensor(1), 2], [3, torch.tensor([4])]]).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("data", "error", "text"),
    [
        ([[1, 2], [1, 2, 3]], ValueError, "expected sequence of length 2 at dim 1 (got 3)"),
        ([[1, 2], 3], TypeError, "not a sequence"),
        ([1, [2, 3]], TypeError, "'list' object cannot be interpreted as an integer"),
        ([1.5, [2, 3]], TypeError, "must be real number, not list"),
        ([1, None], RuntimeError, "Could not infer dtype of NoneType"),
        ("text", TypeError, "new(): invalid data type 'str'"),
        (["text"], ValueError, "too many dimensions 'str'"),
        ({1: 2}, RuntimeError, "Could not infer dtype of dict"),
        (2**63, ValueError, "Overflow when unpacking long long"),
        ([torch.ones(2)], ValueError, "only one element tensors can be converted to Python scalars"),
        (np.ones((2, 2))[::-1], ValueError, "At least one stride in the given numpy array is negative"),
        (np.array(["text"]), TypeError, "can't convert np.ndarray of type numpy.str_"),
    ],
)
def test_data_that_makes_no_tensor(data, error, text):
    with pytest.raises(error) as caught:
        torch.tensor(data)
    assert str(caught.value).startswith(text)


def test_integers_must_fit():
    assert torch.tensor([-1, 255], dtype=torch.uint8).tolist() == [255, 255]
    for data, dtype in (
        ([256], torch.uint8),
        (-129, torch.int8),
        ([2**31], torch.int32),
        ([float("nan")], torch.int64),
    ):
        with pytest.raises(RuntimeError, match=r"value cannot be converted to type .* without overflow"):
            torch.tensor(data, dtype=dtype)
    assert torch.tensor([1e39, -1e39]).tolist() == [float("inf"), -float("inf")]
    with pytest.raises(RuntimeError, match="value cannot be converted to type float without overflow"):
        torch.full((2,), 1e39)


def test_only_floating_and_complex_need_gradients():
    assert torch.tensor([1.0], requires_grad=True).is_leaf
    assert torch.zeros(1, dtype=torch.complex64, requires_grad=True).requires_grad
    text = "Only Tensors of floating point and complex dtype can require gradients"
    for make in (
        lambda: torch.tensor([1], requires_grad=True),
        lambda: torch.zeros(1, dtype=torch.bool, requires_grad=True),
        lambda: torch.arange(3, requires_grad=True),
        lambda: torch.randint(3, (2,), requires_grad=True),
        lambda: torch.autograd.Variable(torch.tensor([1]), requires_grad=True),
        lambda: torch.zeros_like(torch.tensor([1]), requires_grad=True),
    ):
        with pytest.raises(RuntimeError, match=text):
            make()


def test_sizes():
    for make in (torch.zeros, torch.ones, torch.empty, torch.rand, torch.randn):
        for sizes in ((2, 3), ((2, 3),), ([2, 3],), (torch.Size([2, 3]),), (np.int64(2), torch.tensor(3))):
            assert make(*sizes).shape == (2, 3)
        assert make(()).shape == () and make(size=(1,)).shape == (1,) and make(0, 2).numel() == 0
        for sizes in ((-1,), (2, -1)):
            with pytest.raises(RuntimeError):
                make(*sizes)
        for sizes in ((2.0,), ("2",), (2, 2.5), (None,), (2**70,), ((1,), (2,))):
            with pytest.raises(TypeError):
                make(*sizes)
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        torch.empty(2**40, 2**40)


def test_out_takes_shape_and_keeps_dtype():
    out = torch.zeros(3, dtype=torch.float64)
    assert torch.ones(2, 2, out=out) is out
    assert out.shape == (2, 2) and out.dtype is torch.float64 and out.sum() == 4
    with pytest.raises(RuntimeError, match="dtype Long does not match dtype of out parameter"):
        torch.ones(2, out=out, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.zeros(2, out=torch.ones(2, requires_grad=True))


def test_like_keeps_the_order_of_dimensions():
    x = torch.zeros(2, 3, 4).permute(2, 0, 1)
    for make in (torch.zeros_like, torch.ones_like, torch.empty_like, torch.rand_like, torch.randn_like):
        assert make(x).stride() == x.stride()
        assert make(x, memory_format=torch.contiguous_format).is_contiguous()
    assert torch.zeros_like(torch.zeros(1, 3).expand(2, 3)).stride() == (3, 1)
    assert torch.zeros_like(torch.zeros(2, 6)[:, ::2]).stride() == (3, 1)
    assert torch.empty(1, 2, 3, 4, memory_format=torch.channels_last).stride() == (24, 1, 8, 2)


def test_new_methods_take_the_dtype_of_their_tensor():
    x = torch.tensor([1, 2], dtype=torch.int16)
    for made in (
        x.new_zeros(2),
        x.new_ones((2,)),
        x.new_full((2,), 3),
        x.new_tensor([1.7, 2]),
        x.new_empty(2),
        x.new(2),
    ):
        assert made.dtype is torch.int16 and made.shape == (2,)
    assert x.new_zeros(1, dtype=torch.float64).dtype is torch.float64
    assert not torch.ones(1, requires_grad=True).new_ones(1).requires_grad


def test_ranges():
    assert torch.arange(5, 1, -2).tolist() == [5, 3]
    assert torch.arange(0, 1, 0.25).tolist() == [0, 0.25, 0.5, 0.75]
    assert torch.arange(0.5, 3, dtype=torch.int64).tolist() == [0, 1, 2]
    assert torch.arange(3, 3).numel() == 0
    assert torch.linspace(0, 1, 3, dtype=torch.float64).tolist() == [0, 0.5, 1]
    assert torch.linspace(3, 1, 5, dtype=torch.int32).tolist() == [3, 2, 2, 1, 1]
    assert torch.linspace(0, 10, 1).tolist() == [0] and torch.linspace(0, 1, 0).numel() == 0
    assert torch.logspace(0, 3, 4, base=2).tolist() == [1, 2, 4, 8]
    for bad in ((5, 1), (1, 5, -1), (0, 1, 0), (0, float("inf"))):
        with pytest.raises(RuntimeError):
            torch.arange(*bad)


def test_whole_steps_add_no_error():
    # The values of a long range are as exact as those of a short one.
    long = torch.arange(0, 3000, 0.1, dtype=torch.float64).numpy()
    assert np.abs(long - np.arange(30000) / 10).max() < 1e-12
    assert abs(torch.linspace(-1, 1, 100001, dtype=torch.float64)[50000]) < 1e-15


def test_conversion_returns_self_when_nothing_changes():
    x = torch.ones(2, requires_grad=True)
    for same in (x.to(torch.float32), x.to("cpu"), x.to(x), x.to(), x.float(), x.cpu(), x.type(torch.FloatTensor)):
        assert same is x
    assert x.to(torch.float32, copy=True) is not x
    assert x.type_as(torch.ones(1, dtype=torch.float64)).dtype is torch.float64


def test_conversion_is_differentiable():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.double().half().to(torch.complex64)
    assert [type(node).__name__ for node in (y.grad_fn, y.grad_fn.next_functions[0][0])] == ["ToCopyBackward0"] * 2
    (g,) = torch.autograd.grad(y, x, torch.tensor([1 + 2j, 3 - 1j]))
    assert g.tolist() == [1, 3] and g.dtype is torch.float32
    assert not x.int().requires_grad and x.long().is_leaf and not x.bool().requires_grad
    (g,) = torch.autograd.grad(x.double().pow(3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    assert h.tolist() == [6, 12]


def test_refused_conversions():
    x = torch.ones(2)
    for bad, error in (
        (lambda: x.cuda(), AssertionError), (lambda: x.to("cuda"), AssertionError),
        (lambda: x.to("nowhere"), RuntimeError), (lambda: x.to("float64"), RuntimeError),
        (lambda: x.to(torch.float32, "cpu"), TypeError),
        (lambda: x.to(other=x), TypeError), (lambda: x.type("FloatTensor"), ValueError), (lambda: x.type(3), TypeError),
    ):  # fmt: skip
        with pytest.raises(error):
            bad()


def test_classes_of_dtypes():
    assert isinstance(torch.ones(1), torch.FloatTensor) and not isinstance(torch.ones(1), torch.LongTensor)
    assert isinstance(torch.LongTensor([1]), torch.LongTensor) and torch.LongTensor([1, 2.7]).tolist() == [1, 2]
    assert torch.Tensor(2, 3).shape == (2, 3) and torch.Tensor([2, 3]).tolist() == [2, 3]
    assert torch.Tensor().shape == (0,) and torch.ByteTensor([1]).type() == "torch.ByteTensor"
    with pytest.raises(TypeError, match="expected TensorOptions"):
        torch.LongTensor(torch.ones(2))
    assert isinstance(torch.ones(1), torch.autograd.Variable) and not isinstance(1, torch.autograd.Variable)


def test_default_dtype():
    torch.set_default_dtype(torch.float64)
    try:
        for made in (
            torch.tensor(1.5),
            torch.zeros(1),
            torch.arange(1.0),
            torch.rand(1),
            torch.Tensor([1]),
            torch.eye(1),
        ):
            assert made.dtype is torch.float64
        assert torch.tensor(1j).dtype is torch.complex128
    finally:
        torch.set_default_dtype(torch.float32)


def test_device_blocks_are_of_a_thread():
    made = []
    with torch.device("cuda"):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            torch.zeros(1)
        worker = threading.Thread(target=lambda: made.append(torch.zeros(1)))
        worker.start()
        worker.join()
    assert len(made) == 1 and torch.zeros(1).device == torch.device("cpu")


def test_inference_mode_marks_new_tensors():
    with torch.inference_mode():
        made = [torch.zeros(1), torch.tensor(1.0), torch.rand(1), torch.arange(2), torch.ones(1).double()]
    assert all(each.is_inference() for each in made) and not torch.zeros(1).is_inference()


def test_copying_a_tensor_warns_at_the_callers_line():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.tensor(torch.ones(1))
    assert caught[0].filename == __file__ and "sourceTensor.detach().clone()" in str(caught[0].message)


@pytest.mark.parametrize("fill", ["uniform_()", "normal_()", "exponential_()", "bernoulli_(0.5)", "random_(5)", "cauchy_()"])
def test_random_fills(fill):
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    whole = torch.zeros(4, 6)
    torch.manual_seed(0)
    eval(f"whole[:, ::2].{fill}")
    assert (whole[:, 1::2] == 0).all()
    version = y._version
    eval(f"y.{fill}")
    assert y._version == version + 1
    y.sum().backward()
    assert x.grad.tolist() == [0, 0, 0]  # nothing of x is left in y
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        eval(f"x.{fill}")
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        eval(f"torch.zeros(1).expand(2).{fill}")


def test_sampling():
    torch.manual_seed(1)
    assert sorted(torch.randperm(50).tolist()) == list(range(50))
    drawn = torch.randint(-3, 4, (1000,))
    assert drawn.min() == -3 and drawn.max() == 3 and drawn.dtype is torch.int64
    weights = torch.tensor([0.0, 1.0, 3.0])
    counts = torch.bincount(torch.multinomial(weights, 4000, replacement=True), minlength=3) / 4000
    assert counts[0] == 0 and abs(float(counts[2]) - 0.75) < 0.05
    assert sorted(torch.multinomial(weights + 1, 3).tolist()) == [0, 1, 2]
    mean = torch.zeros(2, 1, requires_grad=True)
    made = torch.normal(mean, torch.ones(3))
    made.sum().backward()
    assert made.shape == (2, 3) and mean.grad.tolist() == [[0], [0]]
    assert abs(float(torch.poisson(torch.full((4000,), 2.5)).mean()) - 2.5) < 0.15
    for bad in (
        lambda: torch.bernoulli(torch.tensor([1.5])), lambda: torch.multinomial(torch.ones(2), 3),
        lambda: torch.normal(0.0, -1.0, (2,)), lambda: torch.randint(3, 3, (1,)), lambda: torch.zeros(1).uniform_(2, 1),
    ):  # fmt: skip
        with pytest.raises(RuntimeError):
            bad()
    for bad in (lambda: torch.rand(2, dtype=torch.int64), lambda: torch.zeros(1, dtype=torch.int32).normal_()):
        with pytest.raises(NotImplementedError):
            bad()


def test_windows():
    assert torch.hann_window(4).tolist() == pytest.approx([0, 0.5, 1, 0.5])
    assert torch.bartlett_window(5, periodic=False).tolist() == [0, 0.5, 1, 0.5, 0]
    assert torch.hamming_window(3, periodic=False, dtype=torch.float64).tolist() == pytest.approx([0.08, 1, 0.08])
    assert torch.kaiser_window(5, False).tolist() == pytest.approx(np.kaiser(5, 12).tolist(), rel=1e-5)
    assert torch.blackman_window(7, False).tolist() == pytest.approx(np.blackman(7).tolist(), abs=1e-7)


def test_unset_memory_is_filled_by_deterministic_algorithms() -> None:
    torch.use_deterministic_algorithms(True)
    try:
        x = torch.ones(2, 3).t()
        for made in (torch.empty(2), torch.empty_like(x), x.new_empty(2), torch.empty_strided((2,), (3,)), torch.Tensor(2),
                     torch.empty_permuted((2, 3), (1, 0)), torch.empty(2, out=torch.empty(0))):  # fmt: skip
            assert made.isnan().all()
        assert torch.empty(2, dtype=torch.int16).tolist() == [32767, 32767]
        assert torch.empty(1, dtype=torch.bool).item() is True
        assert torch.ones(2).resize_(3).isnan().tolist() == [False, False, True]
        torch.utils.deterministic.fill_uninitialized_memory = False
        torch.empty(2).fill_(0.0)
        assert torch.ones(2).resize_(3).isnan().any().item() is False
        with pytest.raises(RuntimeError, match="expected a bool, but got int"):
            torch.utils.deterministic.fill_uninitialized_memory = 1
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = True
        torch.use_deterministic_algorithms(False)


class Wrapped:
    """A sequence by its methods alone."""

    def __init__(self, items: list[float], error: type[Exception] | None = None) -> None:
        self.items, self.error = items, error

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> float:
        if self.error is not None:
            raise self.error
        return self.items[index]


def test_sequences_by_their_methods() -> None:
    assert torch.tensor(Wrapped([1.0, 2.0])).tolist() == [1, 2]
    with pytest.raises(ValueError, match="could not determine the shape of object type 'Wrapped'"):
        torch.tensor(Wrapped([1.0, 2.0], TypeError))


def test_bounds_of_whole_numbers() -> None:
    def warnings_of(low: int, high: int, dtype: torch.dtype) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            torch.empty(2, dtype=dtype).random_(low, high)
        assert all(one.filename == __file__ for one in caught)
        return [str(one.message).split(". ")[0] for one in caught]

    assert warnings_of(0, 2**62, torch.float32) == ["to - 1 is out of bounds [-(2^24), 2^24]"]
    assert warnings_of(-(2**53), 2**53, torch.float64) == []
    with pytest.raises(RuntimeError, match="from is out of bounds for c10::Half"):
        torch.empty(2, dtype=torch.float16).random_(-(2**62), 0)
    with pytest.raises(RuntimeError, match=r"casted to dtype .* from=-4611686018427387905 >= to=-4611686568183201792"):
        torch.empty(2).random_(-(2**62) - 1, -(2**62))
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        torch.empty(2).random_(2**63)


def test_triangles_of_repeated_matrices() -> None:
    repeated = torch.ones(2, 2).expand(3, 2, 2)
    assert repeated.triu_().tolist() == [[[1, 1], [0, 1]]] * 3
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.ones(3, 1, 2, 2).expand(3, 3, 2, 2).triu_()


def test_joined_tensors_keep_channels_last() -> None:
    x = torch.arange(24.0).view(2, 2, 3, 2).to(memory_format=torch.channels_last)
    joined = torch.cat((x[:, :, :2], x[:, :, 1:]), -1)
    assert joined.is_contiguous(memory_format=torch.channels_last) and joined.shape == (2, 2, 2, 4)
    assert torch.cat((x, x.contiguous())).is_contiguous()
    assert torch.cat([torch.ones(0), torch.ones(0)], 1).shape == (0,)
    empty = torch.zeros(0)
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        torch.cat([empty, x.flatten()], out=empty)


def test_arrays_that_lie_between_bytes_of_others() -> None:
    records = np.zeros(3, dtype=[("a", "i1"), ("b", "f4")])
    for make in (torch.from_numpy, torch.tensor, torch.as_tensor):
        with pytest.raises(ValueError, match="strides not a multiple of the element byte size"):
            make(records["b"])
    assert torch.from_numpy(np.zeros(3, dtype=[("a", "i4"), ("b", "f4")])["b"]).stride() == (2,)


def test_capsules_of_memory() -> None:
    from rushlight.utils.dlpack import DLDeviceType, from_dlpack, to_dlpack

    x = torch.ones(2, requires_grad=True)
    capsule = to_dlpack(x)
    assert from_dlpack(capsule).data_ptr() == x.data_ptr()
    for spent in (capsule, 3):
        with pytest.raises(RuntimeError, match=r"capsules can be consumed only once"):
            from_dlpack(spent)
    assert x.__dlpack_device__() == (DLDeviceType.kDLCPU, 0) == (1, 0)
    with pytest.raises(AssertionError, match="stream should be None on cpu"):
        torch.ones(2).__dlpack__(stream=3)
    with pytest.raises(BufferError, match=r"layout other than torch\.strided"):
        torch.eye(2).to_sparse().__dlpack__()


def test_ranges_fill_a_tensor_in_its_own_shape() -> None:
    for fill in (lambda out: torch.arange(0, 4, out=out), lambda out: torch.linspace(0, 3, 4, out=out)):
        wide = torch.zeros(2, 3)
        fill(wide[:, 1:])
        assert wide.tolist() == [[0, 0, 1], [0, 2, 3]]
    with pytest.warns(UserWarning, match="torch.range is deprecated"):
        assert torch.range(0, 3, out=torch.zeros(2, 2)).tolist() == [[0, 1], [2, 3]]
    square = torch.zeros(2, 2)
    assert torch.logspace(0, 3, 4, out=square) is square and square.tolist() == [[1, 10], [100, 1000]]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.arange(4, out=torch.empty(1).expand(4))


FAR = [
    ((0, 2**63), RuntimeError, "value cannot be converted to type int64_t without overflow"),
    ((-(2**63), 0, 2**61), RuntimeError, "invalid size, possible overflow?"),
    ((0, 1, 1e-30), RuntimeError, "invalid size, possible overflow?"),
]


@pytest.mark.parametrize(("bounds", "error", "text"), FAR)
def test_ranges_too_far(bounds: tuple[float, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=re.escape(text)):
        torch.arange(*bounds)


def test_complex_ends_need_a_complex_dtype() -> None:
    assert torch.linspace(0, 1j, 3).dtype is torch.complex64
    text = "inferred dtype c10::complex<float> can't be safely cast to passed dtype Long"
    with pytest.raises(RuntimeError, match=re.escape(text)):
        torch.logspace(0, 1j, 3, dtype=torch.int64)


def test_storages_and_older_constructors() -> None:
    assert torch.Storage is torch.FloatStorage
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.Storage is torch.DoubleStorage
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.Storage is torch.FloatStorage
    whole = torch.tensor([1])
    for call, form in (
        (lambda: torch.Tensor(whole, device="cpu"), "torch.Tensor"),
        (lambda: whole.new(whole, device="cpu"), "new"),
    ):
        with pytest.raises(RuntimeError, match=rf"{form}.*tensor, device=device\) is not supported"):
            call()


def test_lists_that_hold_themselves() -> None:
    ring: list[object] = [0]
    ring.append(ring)
    with pytest.raises(TypeError, match="self-referential lists are incompatible"):
        torch.tensor(ring)
    with pytest.raises(TypeError, match="invalid data type 'bytes'"):
        torch.tensor([b"a"])


def test_windows_and_strides_refused() -> None:
    with pytest.raises(RuntimeError, match="hann_window is not implemented for sparse types"):
        torch.hann_window(3, layout=torch.sparse_coo)
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed with sizes"):
        torch.empty_strided([8, 8], [2**61, 1], dtype=torch.float64)


def test_capsules_as_arrays() -> None:
    source = torch.ones(2, 3)
    shared = torch.asarray(torch.utils.dlpack.to_dlpack(source), copy=False)
    shared[0, 0] = 5
    assert source[0, 0].item() == 5
    assert torch.asarray(torch.utils.dlpack.to_dlpack(source), dtype=torch.float64).dtype is torch.float64
    taken = torch.utils.dlpack.to_dlpack(source)
    torch.from_dlpack(taken)
    with pytest.raises(RuntimeError, match="Could not infer dtype of PyCapsule"):
        torch.asarray(taken)


def test_asarray_sets_the_flag_of_the_tensor_itself() -> None:
    x = torch.ones(3)
    assert torch.asarray(x, requires_grad=True) is x and x.requires_grad
    assert torch.asarray(x, requires_grad=False) is x and not x.requires_grad
    y = x.requires_grad_() * 2
    assert torch.asarray(y, requires_grad=True) is y
    detached = torch.asarray(y, requires_grad=False)
    assert not detached.requires_grad and y.requires_grad and detached.data_ptr() == y.data_ptr()
    copied = torch.asarray(x, copy=True, requires_grad=True)
    assert copied is not x and not copied.is_leaf


def test_bfloat16_goes_through_dlpack() -> None:
    class Exporter:
        def __init__(self, tensor: torch.Tensor) -> None:
            self.tensor = tensor

        def __dlpack__(self, **options: object) -> object:
            return self.tensor.__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return self.tensor.__dlpack_device__()

    x = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3)
    for take in (
        torch.from_dlpack,
        lambda one: torch.from_dlpack(torch.to_dlpack(one)),
        lambda one: torch.asarray(torch.to_dlpack(one)),
        lambda one: torch.asarray(Exporter(one)),
        lambda one: torch.from_dlpack(Exporter(one)),
    ):
        same = take(x.t())
        assert same.dtype is torch.bfloat16 and same.stride() == (1, 3) and same.data_ptr() == x.data_ptr()
        same[0, 1] += 1
    assert x[1, 0].item() == 8
    capsule = torch.to_dlpack(x)
    torch.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match="consumed only once"):
        torch.from_dlpack(capsule)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int64, torch.bool])
def test_no_normal_numbers_are_of_any_dtype(dtype: torch.dtype) -> None:
    empty, full = torch.zeros(5, 0, dtype=dtype), torch.zeros(2, dtype=dtype)
    for draw in (
        lambda x: torch.randn(x.shape, dtype=dtype),
        torch.randn_like,
        lambda x: torch.normal(0.0, 1.0, x.shape, dtype=dtype),
        lambda x: x.normal_(),
    ):
        found = draw(empty)
        assert found.shape == (5, 0) and found.dtype is dtype
        with pytest.raises(NotImplementedError, match='"normal_kernel_cpu" not implemented'):
            draw(full)


@pytest.mark.parametrize(
    ("shapes", "dim", "text"),
    [
        ([(2, 3), (2, 3)], 2, r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 2\)"),
        (
            [(2, 3), (3, 3)],
            1,
            "Sizes of tensors must match except in dimension 1. Expected size 2 but got size 3 for tensor number 1",
        ),
        ([(2, 3), (2,)], 1, "Tensors must have same number of dimensions: got 2 and 1"),
        ([(2,), ()], 0, r"zero-dimensional tensor \(at position 1\) cannot be concatenated"),
        ([(), ()], 0, r"zero-dimensional tensor \(at position 0\) cannot be concatenated"),
    ],
)
def test_what_cannot_be_joined(shapes: list[tuple[int, ...]], dim: int, text: str) -> None:
    with pytest.raises((RuntimeError, IndexError), match=text):
        torch.cat([torch.ones(shape) for shape in shapes], dim)


def test_what_differs_along_the_dimension_is_joined() -> None:
    parts = [torch.ones(2, 1), torch.zeros(0), torch.full((2, 3), 2.0)]
    assert torch.cat(parts, -1).tolist() == [[1.0, 2.0, 2.0, 2.0]] * 2
    assert torch.stack([parts[0].t(), parts[0].t()]).stride() == (2, 2, 1)
