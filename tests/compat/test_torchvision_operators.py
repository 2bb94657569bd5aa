"""torchvision's operators, by the names that its C++ library gives them; numbers are those of its kernels."""

from __future__ import annotations

import platform
from types import SimpleNamespace

import pytest

import rushlight as torch
from rushlight import kernels

DEFORM = (1, 1, 0, 0, 1, 1, 1, 1, True)


@pytest.fixture(scope="module", autouse=True)
def operators(tmp_path_factory):
    file = tmp_path_factory.mktemp("site") / "torchvision" / "_C.so"
    file.parent.mkdir()
    file.touch()
    torch.ops.load_library(str(file))
    assert str(file) in torch.ops.loaded_libraries


@pytest.fixture
def picture():
    return (torch.arange(64.0, dtype=torch.float64).reshape(1, 4, 4, 4) * 1.7).sin()


ROIS = [[0, 0.5, -0.5, 3.2, 2.6], [0, 1.0, 1.0, 5.0, 5.0]]
ALIGNED = [0.5985, -0.1517, -0.1321, -0.484, -0.4726, 0.6128, 0.5824, -0.0998]
POOLED = [0.9917, -0.149, 0.8793, 0.9856, 0.5522, 0.9806, 0.9989, -0.1761]
PS_ALIGNED = [0.6039, -0.4976, -0.4857, -0.0908, -0.1115, 0.7152, 0.4802, -0.2585]
PS_POOLED = [0.5711, -0.6296, -0.5504, 0.257, -0.1165, 0.0, 0.5891, 0.0]
OF_ALIGNED = [0.2547, 0.75, 0.914, 0.3489, 0.3435, 1.7496, 1.906, 2.2959]
OF_POOLED = [0.0, 1.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0]
OF_PS_ALIGNED = [0.2212, 0.2788, 0.0, 0.0, 0.321, 1.2015, 0.6562, 0.0]
OF_PS_POOLED = [0.25, 0.25, 0.0, 0.0, 0.25, 1.0833, 0.8333, 0.0]


@pytest.mark.parametrize(
    ("name", "numbers", "values", "gradient"),
    [
        ("roi_align", (-1, True), ALIGNED, OF_ALIGNED),
        ("roi_pool", (), POOLED, OF_POOLED),
        ("ps_roi_align", (2,), PS_ALIGNED, OF_PS_ALIGNED),
        ("ps_roi_pool", (), PS_POOLED, OF_PS_POOLED),
    ],
)
def test_regions(picture, name, numbers, values, gradient):
    rois = torch.tensor(ROIS, dtype=torch.float64)
    vision = torch.ops.torchvision
    pooled, *kept = (
        [getattr(vision, name)(picture, rois, 0.9, 1, 2, *numbers)]
        if numbers[1:]
        else getattr(vision, name)(picture, rois, 0.9, 1, 2, *numbers)
    )
    assert pooled.flatten()[:8].tolist() == pytest.approx(values, abs=1e-4)
    g = torch.arange(1.0, pooled.numel() + 1, dtype=torch.float64).reshape(pooled.shape)
    shape = tuple(picture.shape)
    back = getattr(vision, f"_{name}_backward")
    found = {
        "roi_align": lambda: back(g, rois, 0.9, 1, 2, *shape, *numbers),
        "ps_roi_align": lambda: back(g, rois, *kept, 0.9, 1, 2, *numbers, *shape),
    }.get(name, lambda: back(g, rois, *kept, 0.9, 1, 2, *shape))()
    assert found.flatten()[:8].tolist() == pytest.approx(gradient, abs=1e-4)


def test_boxes_that_cover_better_ones_go():
    boxes = torch.tensor([[0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30], [0, 0, 9, 10.0]])
    assert torch.ops.torchvision.nms(boxes, torch.tensor([0.5, 0.6, 0.7, 0.6]), 0.5).tolist() == [2, 1]
    assert torch.ops.torchvision.nms(torch.zeros(0, 4), torch.zeros(0), 0.5).dtype == torch.int64


def test_a_convolution_with_moved_taps(picture):
    weight = torch.arange(16.0, dtype=torch.float64).reshape(2, 4, 2, 1).cos()
    offset = (torch.arange(48.0, dtype=torch.float64) * 0.9).sin().reshape(1, 4, 3, 4) * 2
    mask = (torch.arange(24.0, dtype=torch.float64) * 0.3).cos().reshape(1, 2, 3, 4)
    inputs = (picture, weight, offset, mask, torch.tensor([1.0, 2.0], dtype=torch.float64))
    out = torch.ops.torchvision.deform_conv2d(*inputs, *DEFORM)
    assert out.flatten()[:4].tolist() == pytest.approx([1.0653, 3.0483, -0.8607, 0.9174], abs=1e-4)
    g = torch.arange(24.0, dtype=torch.float64).reshape(out.shape)
    found = [one.flatten()[:4].tolist() for one in torch.ops.torchvision._deform_conv2d_backward(g, *inputs, *DEFORM)]
    expected = [
        [0.0, -0.2484, 2.5883, 7.3222],
        [-5.5539, -2.593, 0.787, -18.3502],
        [0.0, 3.3265, -7.754, 0.0],
        [0.0, -5.4408, 0.6665, 0.0],
        [66.0, 210.0],
    ]
    assert found == [pytest.approx(one, abs=1e-4) for one in expected]


def test_what_is_refused():
    vision, x, rois = torch.ops.torchvision, torch.zeros(1, 3, 4, 4), torch.zeros(1, 5)
    weight, offset, mask, bias = torch.zeros(3, 3, 2, 1), torch.zeros(1, 4, 3, 4), torch.zeros(1, 2, 3, 4), torch.zeros(3)
    for call, message in (
        (lambda: vision.nms(torch.zeros(3), torch.zeros(3), 0.5), "boxes should be a 2d tensor, got 1D"),
        (lambda: vision.nms(torch.zeros(3, 5), torch.zeros(3), 0.5), "boxes should have 4 elements in dimension 1, got 5"),
        (lambda: vision.nms(torch.zeros(3, 4), torch.zeros(3, 1), 0.5), "scores should be a 1d tensor, got 2D"),
        (
            lambda: vision.nms(torch.zeros(3, 4), torch.zeros(2), 0.5),
            "boxes and scores should have same number of elements in dimension 0, got 3 and 2",
        ),
        (lambda: vision.nms(torch.zeros(3, 4), torch.zeros(3).double(), 0.5), "dets should have the same type as scores"),
        (lambda: vision.nms(torch.zeros(3, 4).long(), torch.zeros(3).long(), 0.5), "\"nms_kernel\" not implemented for 'Long'"),
        (lambda: vision.roi_align(x, rois[:, :4], 1.0, 2, 2, 2, False), "rois must have shape as Tensor[K, 5]"),
        (
            lambda: vision.roi_pool(x, rois.double(), 1.0, 2, 2),
            "Expected tensor for argument #1 'input' to have the same type as tensor for argument #2 'rois'; but type "
            "torch.FloatTensor does not equal torch.DoubleTensor (while checking arguments for roi_pool_forward_kernel)",
        ),
        (
            lambda: vision.ps_roi_pool(x, rois, 1.0, 2, 2),
            "input channels must be a multiple of pooling height * pooling width",
        ),
        (
            lambda: vision.deform_conv2d(x, weight, offset[:, :3], mask, bias, *DEFORM),
            "offset.shape[1] is not valid: got: 3 expected: 4",
        ),
        (
            lambda: vision.deform_conv2d(x, weight, offset, mask[:, :1], bias, *DEFORM),
            "mask.shape[1] is not valid: got: 1 expected: 2",
        ),
    ):
        with pytest.raises((RuntimeError, NotImplementedError)) as caught:
            call()
        assert str(caught.value) == message


def test_other_libraries_do_not_load():
    with pytest.raises(OSError, match=r"^Could not load this library: /no/where\.so$"):
        torch.ops.load_library("/no/where.so")


@pytest.mark.parametrize("kind", ["x86_64", "AMD64"])
def test_processors_of_intels_kind_resize_in_whole_numbers(monkeypatch, kind):
    """torchvision asks for the capability; without compiled kernels the pictures are those that PyTorch gives nearly everywhere."""
    monkeypatch.setattr(kernels, "native", None)
    monkeypatch.setattr(platform, "machine", lambda: kind)
    assert torch.backends.cpu.get_cpu_capability() == "AVX2"
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert torch.backends.cpu.get_cpu_capability() == "DEFAULT"


@pytest.mark.parametrize(
    ("instructions", "capability"), [("x86-64-v4", "AVX512"), ("x86-64-v3", "AVX2"), ("x86-64", "DEFAULT")]
)
def test_the_capability_is_that_of_the_compiled_kernels(monkeypatch, instructions, capability):
    monkeypatch.setattr(kernels, "native", SimpleNamespace(instruction_set=lambda: instructions))
    assert torch.backends.cpu.get_cpu_capability() == capability
