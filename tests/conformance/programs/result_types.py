"""result_type, can_cast, finfo, iinfo, default dtypes, conversions between dtypes."""

import torch

i, f, b, z = torch.tensor([1, 2]), torch.tensor([1.0]), torch.tensor([True]), torch.tensor(1.0, dtype=torch.float64)
print(torch.result_type(i, f), torch.result_type(i, 1.0), torch.result_type(i, z), torch.result_type(f, z))
print(torch.result_type(1, 2), torch.result_type(1, 2.0), torch.result_type(b, 1), torch.result_type(b, 1.5))
print(torch.result_type(f, 1j), torch.result_type(torch.tensor([1], dtype=torch.uint8), torch.tensor(300)))
print(torch.result_type(torch.tensor(1, dtype=torch.int8), torch.tensor(1)))
for pair in (
    (torch.double, torch.float),
    (torch.float, torch.int),
    (torch.int, torch.float),
    (torch.bool, torch.uint8),
):
    print(pair, torch.can_cast(*pair))
print(torch.can_cast(torch.uint8, torch.int8))
print(torch.can_cast(torch.int8, torch.uint8))
print(torch.can_cast(torch.cfloat, torch.float))
for dtype in (torch.float16, torch.float32, torch.float64, torch.complex64):
    info = torch.finfo(dtype)
    print(info)
    print(info.bits, info.eps, info.max, info.min, info.tiny, info.smallest_normal, info.resolution, info.dtype)
for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
    info = torch.iinfo(dtype)
    print(info, info.bits, info.max, info.min, info.dtype)
print(torch.get_default_dtype(), torch.finfo().eps)
torch.set_default_dtype(torch.float64)
print(torch.tensor(1.0).dtype, torch.zeros(1).dtype, torch.arange(3).dtype)
print(torch.arange(3.0).dtype, torch.tensor(1j).dtype)
print((torch.tensor([1]) / 2).dtype, (torch.tensor([1]) + 1.5).dtype, torch.randn(1).dtype, torch.Tensor([1]).dtype)
torch.set_default_dtype(torch.float32)
x = torch.tensor([1.7, -1.7, 300.0])
print(x.int(), x.long(), x.short(), x.bool(), x.half(), x.double(), x.to(torch.int16), x.type(torch.int32))
print(x.to(torch.float64).dtype, x.to(i).dtype, x.type_as(i), x.to("cpu").dtype)
print(x.to(dtype=torch.cfloat), x.cfloat().dtype)
print(torch.tensor([0.0, 0.5, float("nan")]).bool())
print(torch.tensor([255, 256, -1]).to(torch.uint8), torch.tensor([200]).char())
print(x.dtype.is_floating_point, i.dtype.is_complex, i.dtype.is_signed, torch.uint8.is_signed, x.is_floating_point())
print(torch.is_floating_point(x), torch.is_complex(x), x.is_signed(), torch.float64.itemsize, torch.complex64.to_real())
print(torch.float32.to_complex(), x.dtype == torch.float, torch.float is torch.float32, torch.long is torch.int64)
g = torch.tensor([1.5], requires_grad=True)
(g.double() * 2).sum().backward()
print(g.grad, g.to(torch.float64).grad_fn.name())
for wrong in (torch.bool, torch.int32):
    try:
        torch.set_default_dtype(wrong)
    except TypeError as error:
        print(type(error).__name__, str(error))
for wrong in (lambda: torch.finfo(torch.int32), lambda: torch.iinfo(torch.float32)):
    try:
        wrong()
    except TypeError as error:
        print(type(error).__name__, str(error))
