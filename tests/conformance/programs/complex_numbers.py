"""Complex tensors: making, arithmetic, parts, conversions, printing, linear algebra."""

import cmath

import torch

z = torch.tensor([1 + 2j, 2 - 3j, 4 + 1j])
w = torch.tensor([0.5 - 1j, 2 + 0.5j, -1 + 1j])
print(z, z.dtype, z.real, z.imag, z.conj(), z.abs(), torch.angle(torch.tensor([1.0, 1j, -1.0])))
print(z + w, z - w, z * w, z / w, -z, z * 2, 1j * z, z + 1, z == w, z != w, z**2)
print(torch.complex(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])))
print(torch.view_as_real(z), torch.view_as_complex(torch.ones(2, 2)))
print(z.is_complex(), torch.is_complex(z.real), z.to(torch.complex128).dtype)
print(z.real.dtype, (z.real * 1j).dtype, (torch.tensor([1]) * 1j).dtype)
print(torch.polar(torch.tensor([2.0]), torch.tensor([0.0])), z.sum())
print(z.mean(), z.prod(), z.cumsum(0), z.norm(), z.sgn())
print(torch.exp(torch.tensor([0j])), torch.sqrt(torch.tensor([-4 + 0j])))
print(torch.tensor([3 + 4j]).abs(), z.isnan(), z.isreal())
m = torch.tensor([[1 + 1j, 2 - 1j], [0.5 + 2j, 1 - 1j]])
print(m @ m, m.mH, m.adjoint(), m.H, m.t(), torch.dot(z, w), torch.vdot(z, w))
print(f"{torch.linalg.det(m).item():.3f}", m @ torch.tensor([1 + 1j, 1 - 2j]))
print(z[0], z[0].item(), z.tolist(), complex(z[1]), z.conj().is_conj())
print(z.conj().resolve_conj().is_conj(), z.conj().conj() is z)
c = torch.zeros(2, dtype=torch.complex64)
c.real[0] = 5
c.imag.fill_(2)
c[1] += 1 - 1j
print(c, c.real.data_ptr() == c.data_ptr(), torch.view_as_real(c).shape)
print(torch.zeros(1, dtype=torch.cfloat), torch.ones(2, dtype=torch.cdouble))
print(torch.eye(2, dtype=torch.complex64), torch.full((1,), 2 - 1j))
print(torch.tensor([1 + 1j]).to(torch.complex128))
print(torch.tensor([2.0]).to(torch.complex64), torch.zeros(2).cfloat())
print((z * z.conj()).real)
print(torch.allclose(z, z + 1e-8), torch.equal(z, z.clone()), z.numpy())
print(torch.from_numpy(z.numpy()) is not z, z.element_size())
roots = torch.exp(torch.arange(4) * (cmath.pi / 2) * 1j)
print(roots.real.round().int(), roots.imag.round().int(), f"{abs(roots.sum().item()):.5f}")
for f in (
    lambda: z > w,
    lambda: z.max(),
    lambda: float(z[0]),
    lambda: torch.tensor([1.0]).imag,
    lambda: z.floor(),
    lambda: torch.zeros(1).add_(1j),
    lambda: z % 2,
    lambda: torch.complex(torch.ones(1), torch.ones(1).double()),
):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error))
