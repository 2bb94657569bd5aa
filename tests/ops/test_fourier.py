"""Fourier transforms: against their sums, derivatives against differences, sizes, layouts, errors; stft and back."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from differences import slopes, weighted

import rushlight as torch

fft = torch.fft
GENERATOR = torch.Generator().manual_seed(0)
REAL = torch.randn(3, 4, 5, dtype=torch.float64, generator=GENERATOR)
COMPLEX = torch.complex(REAL, torch.randn(3, 4, 5, dtype=torch.float64, generator=GENERATOR))
WINDOW = torch.hann_window(8, dtype=torch.float64) + 0.1
SIGNAL = torch.randn(2, 20, dtype=torch.float64, generator=GENERATOR)


def sums(x: Any, sign: int) -> Any:
    """The transform of the last dimension, as the matrix product that it is."""
    n = x.shape[-1]
    index = torch.arange(n, dtype=torch.float64)
    angle = index[:, None] * index * (sign * 2 * torch.pi / n)
    return x.to(torch.complex128) @ torch.complex(angle.cos(), angle.sin())


def close(value: Any, expected: Any) -> bool:
    return bool(value.dtype == expected.dtype and value.shape == expected.shape and (value - expected).abs().max() < 1e-12)


FROM_COMPLEX: dict[str, Callable[[Any], Any]] = {
    "fft": lambda x: fft.fft(x),
    "fft ortho": lambda x: fft.fft(x, 3, 1, "ortho"),
    "ifft": lambda x: fft.ifft(x, 7, 0, "forward"),
    "fftn": lambda x: fft.fftn(x),
    "ifft2": lambda x: fft.ifft2(x, (2, 6)),
    "irfft even": lambda x: fft.irfft(x, 8),
    "irfft odd": lambda x: fft.irfft(x, 7, norm="ortho"),
    "irfft one": lambda x: fft.irfft(x, 1),
    "irfftn": lambda x: fft.irfftn(x, (3, 4), (2, 0)),
    "hfft": lambda x: fft.hfft(x, 5),
    "hfft2": lambda x: fft.hfft2(x),
    "shifted": lambda x: fft.fftshift(fft.ifftshift(x, 1), (0, 2)),
    "stft": lambda x: torch.stft(x.reshape(3, 20), 8, window=WINDOW, return_complex=True),
}
FROM_REAL: dict[str, Callable[[Any], Any]] = {
    "fft of real": lambda x: fft.fft(x),
    "ifft of real": lambda x: fft.ifft(x, dim=1),
    "rfft even": lambda x: fft.rfft(x, 4),
    "rfft odd": lambda x: fft.rfft(x, norm="forward"),
    "rfft one": lambda x: fft.rfft(x, 1),
    "rfftn": lambda x: fft.rfftn(x, dim=(2, 0)),
    "ihfft": lambda x: fft.ihfft(x),
    "ihfftn": lambda x: fft.ihfftn(x, (2, 3)),
    "irfft of real": lambda x: fft.irfft(x),
    "stft": lambda x: torch.stft(x.reshape(3, 20), 8, 3, 6, WINDOW[:6], return_complex=True),
    "both ways": lambda x: torch.istft(
        torch.stft(x.reshape(3, 20), 8, window=WINDOW, return_complex=True), 8, window=WINDOW, length=17
    ),
}
ALL = [(f, COMPLEX) for f in FROM_COMPLEX.values()] + [(f, REAL) for f in FROM_REAL.values()]
NAMES = [f"{name}, complex" for name in FROM_COMPLEX] + [f"{name}, real" for name in FROM_REAL]


@pytest.mark.parametrize(("f", "point"), ALL, ids=NAMES)
def test_gradient_of_first_and_second_order(f: Callable[[Any], Any], point: Any) -> None:
    x = point.clone().requires_grad_()
    (grad,) = torch.autograd.grad(weighted(f(x)), x)
    assert np.allclose(grad.numpy(), slopes(lambda x: weighted(f(x)), point, step=1e-3)[0], rtol=1e-7, atol=1e-7)

    def squared(value: Any) -> Any:
        out = f(value)
        return weighted(out * out)

    x = point.clone().requires_grad_()
    (grad,) = torch.autograd.grad(squared(x), x, create_graph=True)
    direction = torch.cos(torch.arange(60, dtype=torch.float64)).reshape(point.shape)
    (second,) = torch.autograd.grad((grad * direction).real.sum(), x)
    ends = []
    for step in (1e-3, -1e-3):  # what is quadratic has a linear gradient
        moved = (point + step * direction).requires_grad_()
        ends.append(torch.autograd.grad(squared(moved), moved)[0])
    assert torch.allclose(second, (ends[0] - ends[1]) / 2e-3, rtol=1e-7, atol=1e-7)


def test_transforms_are_the_sums_that_define_them() -> None:
    assert close(fft.fft(COMPLEX), sums(COMPLEX, -1))
    assert close(fft.fft(REAL), sums(REAL, -1))
    assert close(fft.ifft(COMPLEX), sums(COMPLEX, 1) / 5)
    assert close(fft.ifft(COMPLEX, norm="ortho"), sums(COMPLEX, 1) / 5**0.5)
    assert close(fft.rfft(REAL), sums(REAL, -1)[..., :3])
    assert close(fft.ihfft(REAL), sums(REAL, 1)[..., :3] / 5)
    assert close(fft.fftn(COMPLEX), fft.fft(fft.fft(fft.fft(COMPLEX, dim=0), dim=1), dim=2))
    assert close(fft.hfft(fft.ihfft(REAL), 5), REAL)
    assert close(fft.irfftn(fft.rfftn(REAL), REAL.shape), REAL)
    assert close(fft.hfftn(fft.ihfftn(REAL), REAL.shape), REAL)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "ihfft", "irfft", "hfft", "fft2", "rfftn", "irfftn", "hfft2"])
def test_integers_become_floats_and_halves_are_refused(name: str) -> None:
    transform = getattr(fft, name)
    numbers = torch.arange(12).reshape(3, 4)
    assert transform(numbers).dtype == transform(numbers.to(torch.float32)).dtype
    assert transform(numbers).dtype in (torch.float32, torch.complex64)
    assert transform(numbers.double()).dtype in (torch.float64, torch.complex128)
    with pytest.raises(RuntimeError, match="Unsupported dtype Half"):
        transform(numbers.half())


def test_transformed_dimensions_lie_innermost() -> None:
    assert fft.fft(COMPLEX).stride() == (20, 5, 1)
    assert fft.fft(COMPLEX, dim=0).stride() == (1, 15, 3)
    assert fft.fftn(COMPLEX, dim=(1, 0)).stride() == (4, 1, 12)
    assert fft.rfftn(REAL, dim=(-1, 0)).stride() == (1, 10, 2)
    assert fft.irfftn(COMPLEX, dim=(1, 0)).stride() == (1, 4, 16)


def test_nodes_are_named_as_in_pytorch() -> None:
    x, c = REAL.clone().requires_grad_(), COMPLEX.clone().requires_grad_()

    def names(value: Any) -> list[str]:
        found, node = [], value.grad_fn
        while node is not None:
            found.append(type(node).__name__)
            node = node.next_functions[0][0] if node.next_functions else None
        return found[:-1]

    assert names(fft.fft(x)) == ["FftR2CBackward0"]
    assert names(fft.ifft(x)) == ["ConjBackward0", "FftR2CBackward0"]
    assert names(fft.fft2(c, (2, 8))) == ["FftC2CBackward0", "ConstantPadNdBackward0", "SliceBackward0"]
    assert names(fft.hfft2(c)) == ["FftC2RBackward0", "ConjBackward0", "FftC2CBackward0"]
    assert names(fft.ihfft2(x)) == ["FftC2CBackward0", "ConjPhysicalBackward0", "FftR2CBackward0"]
    assert names(torch.stft(x[0], 4, window=torch.ones(4), center=False, return_complex=True))[:3] == [
        "TransposeBackward1", "FftR2CBackward0", "MulBackward0",
    ]  # fmt: skip


ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: fft.fft(REAL, norm="other"), RuntimeError, 'Invalid normalization mode: "other"'),
    (lambda: fft.fft(REAL, 0), RuntimeError, r"Invalid number of data points \(0\) specified"),
    (lambda: fft.irfft(COMPLEX[..., :1]), RuntimeError, r"Invalid number of data points \(0\) specified"),
    (lambda: fft.fft(REAL, dim=3), IndexError, r"Dimension out of range \(expected to be in range of \[-3, 2\]"),
    (lambda: fft.fft(torch.tensor(1.0)), IndexError, "Dimension specified as -1 but tensor has no dimensions"),
    (lambda: fft.fft(REAL, 2.5), TypeError, r"fft_fft\(\): argument 'n' \(position 2\) must be int, not float"),
    (lambda: fft.fft([1.0]), TypeError, r"fft_fft\(\): argument 'input' \(position 1\) must be Tensor, not list"),
    (lambda: fft.rfft(COMPLEX), RuntimeError, "rfft expects a real input tensor, but got ComplexDouble"),
    (lambda: fft.rfft2(COMPLEX), RuntimeError, "rfftn expects a real-valued input tensor, but got ComplexDouble"),
    (lambda: fft.ihfft2(COMPLEX), RuntimeError, "Only supports floating-point dtypes, but found: ComplexDouble"),
    (lambda: fft.fftn(REAL, dim=(1, 1)), RuntimeError, "FFT dims must be unique"),
    (lambda: fft.fftn(REAL, (2,), (0, 1)), RuntimeError, "dim and shape arguments must have the same length"),
    (lambda: fft.fftn(REAL, (1, 1, 1, 1)), RuntimeError, "Got shape with 4 values but input tensor only has 3"),
    (lambda: fft.rfftn(REAL, dim=()), RuntimeError, "rfftn must transform at least one axis"),
    (lambda: fft.fftfreq(4, dtype=torch.int64), RuntimeError, "fftfreq requires a floating point or complex dtype"),
    (lambda: torch.stft(SIGNAL, 8), RuntimeError, "stft requires the return_complex parameter be given"),
    (lambda: torch.stft(SIGNAL, 30, center=False, return_complex=True), RuntimeError,
     r"stft\(torch.DoubleTensor\[2, 20\], n_fft=30, .*: expected 0 < n_fft < 20, but got n_fft=30"),
    (lambda: torch.stft(SIGNAL, 8, window=WINDOW[:5], return_complex=True), RuntimeError,
     "expected a 1D window tensor of size equal to win_length=8, but got window with size"),
    (lambda: torch.istft(SIGNAL, 8, window=WINDOW), RuntimeError, "istft requires a complex-valued input tensor"),
    (lambda: torch.istft(COMPLEX, 9, window=torch.zeros(9)), RuntimeError, "expected the frequency dimension"),
    (lambda: torch.istft(COMPLEX, 6, window=torch.zeros(6)), RuntimeError, "window overlap add min: 1"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=[text[:40] for _, _, text in ERRORS])
def test_errors_are_pytorchs(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(kind, match=text):
            call()


def test_frequencies() -> None:
    assert fft.fftfreq(5).tolist() == pytest.approx([0, 0.2, 0.4, -0.4, -0.2])
    assert fft.fftfreq(4, 0.5).tolist() == [0, 0.5, -1, -0.5]
    assert fft.rfftfreq(5).tolist() == pytest.approx([0, 0.2, 0.4])
    assert fft.fftfreq(0).shape == (0,)
    assert fft.fftfreq(3, dtype=torch.float64).dtype == torch.float64
    assert fft.fftfreq(3, out=torch.empty(0, dtype=torch.float64)).dtype == torch.float64


@pytest.mark.parametrize("options", [{}, {"normalized": True}, {"onesided": False}, {"hop_length": 3}, {"win_length": 6}])
def test_a_signal_comes_back_from_its_pieces(options: dict[str, Any]) -> None:
    window = WINDOW[: options.get("win_length", 8)]
    pieces = torch.stft(SIGNAL, 8, window=window, return_complex=True, **options)
    back = torch.istft(pieces, 8, window=window, length=20, **options)
    assert torch.allclose(back[:, :18], SIGNAL[:, :18], rtol=0, atol=1e-12)
    assert close(torch.istft(pieces[0], 8, window=window, length=18, **options), back[0, :18])


def test_pieces_of_a_signal_are_transforms_of_its_parts() -> None:
    pieces = SIGNAL.stft(8, 5, window=WINDOW, center=False, return_complex=True)
    assert close(pieces, fft.rfft(SIGNAL.unfold(1, 8, 5) * WINDOW).transpose(1, 2))
    complex_pieces = torch.stft(torch.complex(SIGNAL, SIGNAL), 8, 5, window=WINDOW, center=False)
    assert close(complex_pieces[:, :5], pieces * (1 + 1j))


def test_a_window_passes_a_gradient() -> None:
    window = WINDOW.clone().requires_grad_()
    pieces = torch.stft(SIGNAL, 10, win_length=8, window=window, return_complex=True)
    (grad,) = torch.autograd.grad(weighted(pieces), window)
    assert np.allclose(
        grad.numpy(),
        slopes(lambda w: weighted(torch.stft(SIGNAL, 10, win_length=8, window=w, return_complex=True)), WINDOW, step=1e-3)[0],
        rtol=1e-7, atol=1e-7,
    )  # fmt: skip
