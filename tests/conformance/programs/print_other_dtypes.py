"""Integers, booleans, complex numbers and half precision, printed."""

import torch

for dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8):
    print(torch.tensor([1, 2, 100], dtype=dtype), torch.tensor(7, dtype=dtype), torch.tensor([], dtype=dtype))
print(torch.tensor([-1, 10, -100]), torch.tensor([[1, 200], [-3000, 4]]), torch.tensor(-5))
print(torch.tensor([2**62, -(2**63)]))
print(torch.tensor([True, False]), torch.tensor(True))
print(torch.tensor([[True], [False]]), torch.tensor([], dtype=torch.bool))
for dtype in (torch.float16, torch.float32, torch.float64):
    print(torch.tensor([1.0, 2.5], dtype=dtype), torch.tensor([], dtype=dtype), torch.zeros(2, 0, dtype=dtype))
print(torch.tensor([1 + 2j, 3 - 4j]), torch.tensor(1j), torch.tensor([0.5 + 0.25j, -1e-3j]))
print(torch.tensor([1 + 2j], dtype=torch.complex128), torch.tensor([[1 + 1j, 2], [3, 4j]]))
print(torch.tensor([complex("inf"), complex("nan"), 1 - 1j]))
print(torch.tensor([1e10 + 1j, 1e-5 - 2j]), torch.tensor([], dtype=torch.complex64))
print(torch.tensor([-1.5 - 0j, complex(0.0, -0.0)]))
x = torch.tensor([1 + 1j], requires_grad=True)
print(x, x * 2, x.real, x.imag)
torch.set_default_dtype(torch.float64)
print(torch.tensor([1.0]), torch.tensor([1.0], dtype=torch.float32), torch.tensor([1j]), torch.zeros(2))
print(torch.tensor([1j], dtype=torch.complex64), torch.tensor([], dtype=torch.float32), torch.tensor([]))
torch.set_default_dtype(torch.float16)
print(torch.tensor([1.0]), torch.tensor([1.0], dtype=torch.float32))
torch.set_default_dtype(torch.float32)
print(torch.tensor([1.0]).half(), torch.tensor([1]).bool(), torch.tensor([3.7]).int(), torch.tensor([True]).float())
for dtype in (torch.float32, torch.float64, torch.float16, torch.int64, torch.bool, torch.complex64, torch.uint8):
    print(dtype, repr(dtype), str(dtype).split(".")[1], f"{dtype}")
print(torch.float, torch.double, torch.half, torch.int, torch.long, torch.short, torch.cfloat, torch.cdouble)
print(torch.zeros(3, dtype=torch.long), torch.ones(2, 2, dtype=torch.int16), torch.eye(2, dtype=torch.bool))
