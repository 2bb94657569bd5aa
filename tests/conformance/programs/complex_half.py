"""Complex numbers of two halves: made, moved, computed with where PyTorch has a kernel, and refused where not."""

import copy
import io
import warnings

import torch

warnings.simplefilter("ignore")


def said(function):
    try:
        print(function())
    except (RuntimeError, TypeError, IndexError) as error:
        print(type(error).__name__, str(error).split("\n")[0])


x = torch.tensor([1 + 2j, 3 - 1j, 0j, 8j]).to(torch.complex32)
h = torch.tensor([1.5, -2.0, 0.0, 4.0]).half()
print(x, x.dtype, x.type(), x.element_size(), x.is_complex(), x.tolist(), x[1].item(), copy.deepcopy(x))
print(torch.tensor([1j]).chalf(), torch.ones(2).to(torch.complex32), torch.tensor([1 + 70000j], dtype=torch.complex32))
print(
    torch.zeros(2, dtype=torch.complex32), torch.full((2,), 1j, dtype=torch.complex32), x.new_tensor([2j]), torch.ones_like(x)
)
print(x.real, x.imag, x.conj(), x.conj().is_conj(), torch.view_as_real(x), x.abs(), -x, x.sgn(), x.bool(), x.float())
print(torch.complex(h, h), torch.view_as_complex(torch.ones(2, 2).half()), h * 1j, h + 1j, x * h, x * torch.ones(4), x * 2j)
print(x + x, x - 1, x * x, x == x, x != h, torch.cat([x, x]), torch.stack([x, x]), torch.where(x == x, x, 0), x.isnan())
print(x[torch.tensor([True, False, True, True])], x.index_select(0, torch.tensor([1])), x.masked_fill(x == x, 1j), x.nonzero())
print(
    torch.result_type(h, 1j),
    torch.promote_types(torch.bfloat16, torch.complex32),
    torch.float16.to_complex(),
    x.norm(),
    x.var(),
)
print(torch.allclose(x, x), torch.isclose(x, x), torch.any(x), x.to(torch.complex128), torch.conj_physical(x))
torch.testing.assert_close(x, x)
for function in (
    lambda: x.sum(), lambda: x.exp(), lambda: x / x, lambda: x**2, lambda: x @ x, lambda: torch.ones(2, 2, dtype=x.dtype) @ x[:2],
    lambda: x < x, lambda: x.angle(), lambda: x.cumsum(0), lambda: x.flip(0), lambda: x.reciprocal(), lambda: x.round(),
    lambda: x.sum(3), lambda: torch.exp(x, x), lambda: torch.eye(2, dtype=torch.complex32), lambda: h.mul_(1j), lambda: x.max(),
):  # fmt: skip
    said(function)
y = x.clone()
print(y.add_(1), y.mul_(y), torch.add(x, x, out=torch.empty(4, dtype=torch.complex32)))
y.real = h
y[0] = 2j
print(y, y.fill_(1j))
a = x.clone().requires_grad_()
(a * a).real.mul(h).backward(torch.ones(4).half())
print(a.grad)
file = io.BytesIO()
torch.save(x, file)
file.seek(0)
print(torch.load(file))
