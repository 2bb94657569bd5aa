"""What libraries name around tensors: autocast, compilers that pass through, processes, futures, comparisons, downloads."""

from __future__ import annotations

import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.distributed.optim import ZeroRedundancyOptimizer
from rushlight.nn.attention import SDPBackend, sdpa_kernel

low, full, double = torch.bfloat16, torch.float32, torch.float64


def test_autocast_by_function() -> None:
    x, conv = torch.randn(2, 3, 3), torch.randn(3, 3, 2)
    with torch.autocast("cpu"):
        results = {
            low: [x @ x, torch.mm(x[0], x[0]), F.linear(x, x[0]), F.conv1d(x, conv), torch.einsum("bij,bjk", x, x)],
            full: [
                x + x,
                x.softmax(-1),
                F.mse_loss(x.to(low), x.to(low)),
                torch.cat([x, x.to(low)]),
                x.to(low).prod(),
                x.sum(),
            ],
            double: [x.double() @ x.double()],
        }
        assert torch.is_autocast_enabled("cpu")
        with torch.autocast("cpu", enabled=False):
            assert (x @ x).dtype is full
        with torch.autocast("cpu", dtype=torch.float16):
            assert (x @ x).dtype is torch.float16
        assert (x @ x).dtype is low
    for dtype, tensors in results.items():
        assert {tensor.dtype for tensor in tensors} == {dtype}
    assert (x @ x).dtype is full
    assert not torch.is_autocast_enabled("cpu")


def test_autocast_trains_in_float32() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    x = torch.randn(5, 3)
    with torch.amp.autocast("cpu"):
        out = model(x)
        loss = F.cross_entropy(out, torch.zeros(5, dtype=torch.int64))
    assert (out.dtype, loss.dtype) == (low, full)
    loss.backward()
    exact = torch.autograd.grad(F.cross_entropy(model(x), torch.zeros(5, dtype=torch.int64)), list(model.parameters()))
    for parameter, gradient in zip(model.parameters(), exact, strict=True):
        assert parameter.grad.dtype is full
        assert torch.allclose(parameter.grad, gradient, atol=2e-2)


def test_autocast_of_one_thread_and_as_a_decorator() -> None:
    x = torch.ones(2, 2)
    seen: list[Any] = []

    @torch.autocast("cpu")
    def product() -> Any:
        other = threading.Thread(target=lambda: seen.append((x @ x).dtype))
        other.start()
        other.join()
        return x @ x

    assert product().dtype is low
    assert seen == [full]


def test_devices_that_are_not_there() -> None:
    x = torch.ones(2, 2)
    with pytest.warns(UserWarning, match="CUDA is not available"), torch.autocast("cuda"):
        assert (x @ x).dtype is full
    with pytest.warns(UserWarning, match="target dtype is not supported"):
        torch.autocast("cpu", dtype=torch.float32)
    with pytest.raises(ValueError, match=r"^Expected `device_type` of type `str`"):
        torch.autocast(3)
    with pytest.warns(UserWarning, match="GradScaler is enabled, but CUDA is not available"):
        assert not torch.amp.GradScaler("cuda").is_enabled()
    for old in (torch.cuda.amp.autocast, torch.cpu.amp.autocast, torch.cpu.amp.GradScaler):
        with pytest.warns(FutureWarning, match=r"is deprecated\. Please use `torch\.amp\."):
            old(enabled=False)
    with warnings.catch_warnings(action="ignore"):
        assert torch.cuda.amp.GradScaler().scale(x) is x
        with torch.cuda.amp.autocast():
            assert (x @ x).dtype is full
    assert not isinstance(x, torch.cuda.FloatTensor)
    for refused, said in (
        (torch.cuda.Event, "dummy base class Event"),
        (torch.cuda.Stream, "requires CUDA support"),
        (torch.cuda.CUDAGraph, "dummy base class CUDAGraph"),
        (torch.cuda.FloatTensor, "not compiled with CUDA"),
    ):
        with pytest.raises((AssertionError, RuntimeError), match=said):
            refused()


def test_grad_scaler_leaves_out_bad_steps() -> None:
    x = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.5)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    for step, factor in enumerate((1.0, float("inf"), 1.0, 1.0)):
        optimizer.zero_grad()
        scaler.scale((x * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        assert scaler.get_scale() == (8.0, 4.0, 4.0, 8.0)[step]
    assert x.tolist() == [-0.5, -0.5]
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    assert other.state_dict() == scaler.state_dict()
    with pytest.raises(AssertionError, match="No inf checks were recorded"):
        scaler.update()
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match=r"^unscale_\(\) has already been called"):
        scaler.unscale_(optimizer)


def test_compilers_pass_through() -> None:
    def double(x: Any) -> Any:
        return x + x

    model = torch.nn.Linear(2, 2)
    marks = (torch.jit.script, torch.jit.ignore, torch.jit.unused, torch.jit.export, torch.compiler.disable)
    for mark in (
        *marks,
        torch.compile(backend="eager"),
        torch.compiler.disable(recursive=False),
        torch.jit.ignore(drop=True),
    ):
        assert mark(double) is double
    assert torch.compile(mode="max-autotune")(double)._torchdynamo_orig_callable is double
    assert torch.jit.trace(model, torch.ones(1, 2)) is torch.jit.freeze(model) is torch.compile(model)._orig_mod is model
    with pytest.raises(RuntimeError):
        torch.jit.trace(model, torch.ones(1, 3))
    with pytest.raises(AssertionError, match=r"^A callable function is expected"):
        torch.compile(3)
    with pytest.raises(RuntimeError, match="TorchScript"):
        torch.jit.load("model.pt")
    assert not (torch.jit.is_scripting() or torch.jit.is_tracing() or torch.compiler.is_compiling())
    assert torch.jit.isinstance({"a": torch.ones(1)}, dict[str, torch.Tensor])
    assert not torch.jit.isinstance((1, "a"), tuple[int, int])
    assert torch.jit.wait(torch.jit.fork(double, 2)) == 4


def test_futures() -> None:
    futures = [torch.futures.Future() for _ in range(2)]
    every = torch.futures.collect_all(futures)
    later = futures[0].then(lambda done: 1 / done.value())
    threads = [threading.Timer(0.01, future.set_result, (0,)) for future in futures]
    for thread in threads:
        thread.start()
    assert torch.futures.wait_all(futures) == [0, 0]
    assert every.wait() is futures
    with pytest.raises(ZeroDivisionError):
        later.wait()
    with pytest.raises(RuntimeError, match="finished already"):
        futures[0].set_result(1)


def test_one_process() -> None:
    assert not torch.distributed.is_available()
    assert not torch.distributed.is_initialized()
    with pytest.raises(ValueError, match=r"^Default process group has not been initialized"):
        torch.distributed.get_rank()
    with pytest.raises(RuntimeError, match="one process"):
        torch.distributed.init_process_group("gloo")
    model = torch.nn.DataParallel(torch.nn.Linear(2, 1))
    assert model(torch.ones(3, 2)).shape == (3, 1)
    assert list(model.state_dict()) == ["module.weight", "module.bias"]
    with pytest.raises(ValueError, match=r"^Default process group"):
        torch.nn.parallel.DistributedDataParallel(model)
    with pytest.raises(ValueError, match=r"^Default process group"):
        ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    with pytest.raises(TypeError, match="SDPBackend"), sdpa_kernel("math"):
        pass
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]):
        assert F.scaled_dot_product_attention(*[torch.ones(1, 1, 2, 2)] * 3).shape == (1, 1, 2, 2)


def save_index(index: int, folder: str, weights: Any) -> None:
    if index == 7:
        raise KeyError("seven")
    torch.save(weights * index, f"{folder}/{index}.pt")


def test_processes_that_are_spawned(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(save_index, (str(tmp_path), torch.ones(2)), nprocs=2)
    assert torch.load(tmp_path / "1.pt").tolist() == [1, 1]


def failing(index: int) -> None:
    save_index(7, "", None)


def test_a_process_that_fails() -> None:
    with pytest.raises(torch.multiprocessing.ProcessRaisedException, match="KeyError: 'seven'"):
        torch.multiprocessing.spawn(failing, nprocs=1)


def test_foreach() -> None:
    tensors = [torch.tensor([1.0, 4.0]), torch.tensor([9.0])]
    assert [one.tolist() for one in torch._foreach_sqrt(tensors)] == [[1, 2], [3]]
    assert [one.tolist() for one in torch._foreach_add(tensors, [1.0, 2.0])] == [[2, 5], [11]]
    assert [one.tolist() for one in torch._foreach_maximum(tensors, 3.0)] == [[3, 4], [9]]
    assert [one.item() for one in torch._foreach_norm(tensors, 1)] == [5, 9]
    torch._foreach_mul_(tensors, 2.0)
    torch._foreach_lerp_(tensors, [torch.zeros(2), torch.zeros(1)], 0.5)
    torch._foreach_addcdiv_(tensors, tensors, tensors, value=-1)
    assert [one.tolist() for one in tensors] == [[0, 3], [8]]
    torch._foreach_zero_(tensors)
    assert not any(one.any() for one in tensors)
    with pytest.raises(RuntimeError, match=r"^Tensor list must have same number of elements"):
        torch._foreach_add(tensors, [1.0])
    for bound in (1.0, [1j]):
        with pytest.raises(NotImplementedError, match=r"^clamp is not supported for complex types$"):
            torch._foreach_maximum([torch.ones(2, dtype=torch.complex64)], bound)
    assert torch._foreach_maximum([torch.ones(2, dtype=torch.int64)], 2.5)[0].tolist() == [2.5, 2.5]
    assert torch._foreach_minimum([torch.ones(2, dtype=torch.bfloat16)], [0.5])[0].tolist() == [0.5, 0.5]


def test_the_results_of_foreach_have_one_node() -> None:
    x, y = torch.ones(2, requires_grad=True), torch.ones(3)
    half = torch.ones(1, dtype=torch.complex32)  # while there is such a tensor, every op is looked at
    scaled, other = torch._foreach_mul([x, y], 2.0)
    assert scaled.grad_fn is other.grad_fn
    assert scaled.grad_fn.name() == "ForeachMulBackward1Scalar" and half.is_complex()
    seen: list[object] = []
    other.register_hook(seen.append)
    scaled.sum().backward()
    assert x.grad.tolist() == [2, 2] and seen == [None]
    with pytest.raises(RuntimeError, match=r"^Trying to backward through the graph a second time"):
        other.sum().backward()
    z = x * 1
    copies = torch._foreach_add([x, z], 1.0)
    with torch.no_grad():
        z.zero_()
    with pytest.raises(RuntimeError, match=r"which is output 0 of Mul, is at version 1; expected version 0"):
        copies[0].sum().backward()
    (grown,) = torch._foreach_exp([x])
    (slope,) = torch.autograd.grad(grown.square().sum(), x, create_graph=True)
    slope.sum().backward(inputs=[x])
    torch.testing.assert_close(x.grad - 2, 4 * grown.detach() ** 2)
    with pytest.raises(RuntimeError, match=r"^Autograd not support dtype: Long$"):
        torch._foreach_neg([x, torch.ones(2, dtype=torch.int64)])


def test_writes_of_foreach_have_the_nodes_that_pytorch_gives_them() -> None:
    x = torch.ones(2, requires_grad=True)
    y, z = x * 1, x * 1
    torch._foreach_add_([y], 2.0)
    assert y.grad_fn.name() == "AddBackward1"
    torch._foreach_copy_([y], [z])
    with pytest.raises(RuntimeError, match=r"^derivative for _foreach_copy_ is not implemented$"):
        y.sum().backward()
    with pytest.raises(RuntimeError, match=r"^output with shape \[1\] doesn't match the broadcast shape \[1, 2\]$"):
        torch._foreach_add_([z, torch.ones(1)], [x, torch.ones(1, 2)])
    assert z.grad_fn.name() == "MulBackward0"


@pytest.mark.parametrize(
    ("actual", "expected", "sentence"),
    [
        (torch.ones(2), torch.ones(3), "The values for attribute 'shape' do not match"),
        (torch.ones(2), torch.ones(2).double(), "The values for attribute 'dtype' do not match"),
        (torch.ones(2, 3), torch.zeros(2, 3), "Tensor-likes are not close!\n\nMismatched elements: 6 / 6 (100.0%)"),
        (torch.tensor(float("nan")), torch.tensor(float("nan")), "Scalars are not close!"),
        ([1, 2], [1, 3], "Scalars are not equal!"),
        ([1], [1, 2], "The length of the sequences mismatch: 1 != 2"),
        ({"a": 1}, {"b": 1}, "The keys of the mappings do not match"),
        (None, 1, "None mismatch"),
    ],
)
def test_assert_close_says_where(actual: Any, expected: Any, sentence: str) -> None:
    with pytest.raises(AssertionError) as error:
        torch.testing.assert_close(actual, expected)
    assert str(error.value).startswith(sentence)
    with pytest.raises(AssertionError, match=r"^mine$"):
        torch.testing.assert_close(actual, expected, msg="mine")


def test_assert_close_accepts() -> None:
    nan = torch.tensor([1.0, float("nan")])
    torch.testing.assert_close(nan, nan.clone(), equal_nan=True)
    torch.testing.assert_close({"a": [torch.ones(2), 1.0]}, {"a": [torch.ones(2) + 1e-7, 1.0 + 1e-9]})
    torch.testing.assert_close(torch.ones(2), torch.ones(2).double(), check_dtype=False)
    with pytest.raises(ValueError, match="must be either specified or omitted"):
        torch.testing.assert_close(1.0, 1.0, rtol=1e-3)
    made = torch.testing.make_tensor(3, 4, dtype=torch.int8, device="cpu", low=1, high=3)
    assert set(made.flatten().tolist()) <= {1, 2}


def test_hub_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.hub.set_dir(tmp_path / "hub")
    torch.save({"weight": torch.ones(2)}, tmp_path / "model.pt")
    url = (tmp_path / "model.pt").as_uri()
    assert torch.hub.load_state_dict_from_url(url)["weight"].tolist() == [1, 1]
    assert "Downloading" in capsys.readouterr().err
    torch.hub.load_state_dict_from_url(url)
    assert capsys.readouterr().err == ""
    with pytest.raises(RuntimeError, match=r"^invalid hash value"):
        torch.hub.download_url_to_file(url, str(tmp_path / "copy.pt"), hash_prefix="0" * 9)
    assert not (tmp_path / "copy.pt").exists()
    (tmp_path / "hubconf.py").write_text("def net(size):\n    'A net.'\n    return [size]\n")
    assert torch.hub.load(str(tmp_path), "net", 3, source="local") == [3]
    assert torch.hub.list(str(tmp_path), source="local") == ["net"]
    assert torch.hub.help(str(tmp_path), "net", source="local") == "A net."
    with pytest.raises(RuntimeError, match="downloads no code"):
        torch.hub.load("someone/repository", "net")


def test_older_orders_of_arguments() -> None:
    x, a = torch.ones(2), torch.tensor([2.0, 4.0])
    assert torch.add(x, 0.5, a).tolist() == x.clone().add_(0.5, a).tolist() == [2, 3]
    assert x.sub(0.5, a).tolist() == x.clone().sub_(0.5, a).tolist() == [0, -1]
    with pytest.warns(UserWarning, match="This overload of addcmul is deprecated"):
        assert torch.addcmul(x, 0.5, a, a).tolist() == x.clone().addcmul_(0.5, a, a).tolist() == [3, 9]
    with pytest.warns(UserWarning, match="This overload of addcdiv is deprecated"):
        assert x.clone().addcdiv_(0.5, a, a).tolist() == [1.5, 1.5]


def test_switches_of_libraries_can_be_set() -> None:
    mkldnn = torch.backends.mkldnn
    assert mkldnn.is_available() and mkldnn.enabled
    with mkldnn.flags(enabled=False):
        assert not mkldnn.enabled
    assert mkldnn.enabled and torch.ones(2).to_mkldnn().to_dense().tolist() == [1.0, 1.0]
    assert torch.backends.xnnpack.enabled is False and torch.backends.flags_frozen() is False
    capabilities = torch.cpu.get_capabilities()
    assert capabilities["num_logical_cores"] > 0 and capabilities["avx2"] is torch.cpu._is_avx2_supported()


def test_the_library_that_linear_algebra_on_a_gpu_prefers() -> None:
    prefer = torch.backends.cuda.preferred_linalg_library
    assert repr(prefer()) == repr(prefer("default")) == repr(prefer(prefer())) == "<_LinalgBackend.Default: 0>"
    for name, library in (("magma", "MAGMA"), ("cusolver", "cuSOLVER")):
        with pytest.raises(RuntimeError, match=f"^Cannot set preferred backend to {library} if PyTorch has not been compiled"):
            prefer(name)
    with pytest.raises(RuntimeError, match=r"^Unknown input value\. Choose from: default, cusolver, magma\.$"):
        prefer("lapack")
    with pytest.raises(RuntimeError, match=r"^Unknown input value type\.$"):
        prefer(1)


def test_random_numbers_of_tests_are_not_the_programs() -> None:
    from rushlight.testing._utils import wrapper_set_seed

    torch.manual_seed(0)
    first = wrapper_set_seed(torch.rand, 2)
    assert torch.equal(first, wrapper_set_seed(torch.rand, 2))
    after = torch.rand(2)
    torch.manual_seed(0)
    assert torch.equal(after, torch.rand(2))


def test_foreach_in_place_gives_its_list_back_and_lists_are_of_one_length() -> None:
    tensors = [torch.ones(2), torch.ones(1)]
    assert torch._foreach_add_(tensors, 1) is tensors and tensors[1].item() == 2
    with pytest.raises(RuntimeError, match=r"^Tensor lists must have the same number of tensors, got 2 and 1$"):
        torch._foreach_mul(tensors, tensors[:1])
    with pytest.raises(RuntimeError, match=r"^Tensor list must have same number of elements as scalar list\.$"):
        torch._foreach_mul(tensors, [1])
    with pytest.raises(RuntimeError, match=r"^Tensor list must have at least one tensor\.$"):
        torch._foreach_abs([])


def test_no_rounding_of_quotients_may_be_said() -> None:
    x = torch.tensor([3.0])
    assert torch.divide(x, 2, rounding_mode=None).item() == x.div_(2, rounding_mode=None).item() == 1.5


def test_computation_dtypes_by_promotion_kind() -> None:
    from rushlight._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND as kinds
    from rushlight._prims_common import elementwise_dtypes

    half = torch.ones(2, dtype=torch.complex32)
    assert elementwise_dtypes(half, type_promotion_kind=kinds.COMPLEX_TO_FLOAT) == (torch.complex64, torch.float16)
    assert elementwise_dtypes(True, type_promotion_kind=kinds.BOOL_TO_LONG) == (torch.int64, torch.int64)
    with torch._prims.context.TorchRefsMode(strict=True):
        assert (torch.ones(2) + 1).tolist() == [2, 2]
