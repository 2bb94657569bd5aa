"""torch.Size, torch.device, attributes of tensors, and the modules people ask about."""

import torch

s = torch.Size([2, 3, 4])
print(s, s[0], s[-1], s[1:], s.numel(), len(s), list(s), tuple(s), s == (2, 3, 4))
print(s == torch.Size((2, 3, 4)), isinstance(s, tuple))
print(s + (5,), torch.Size([1]) + torch.Size([2]), s * 2, torch.Size())
print(torch.Size([]).numel(), type(s[:2]).__name__, hash(s) == hash((2, 3, 4)))
a, b, c = s
print(a, b, c, 3 in s, s.index(3), s.count(2), str(s), repr(s), f"{s}", "x".join(map(str, s)), max(s), sum(s))
x = torch.zeros(2, 3, 4)
print(x.shape, x.size(), x.size(0), x.size(dim=-1), x.shape == x.size(), x.shape[1:])
print(x.shape[:-1] + (7,), x.view(*x.shape[:-1], -1).shape)
print(x.reshape(x.shape[0], -1).shape, torch.zeros(x.shape).shape)
print(torch.zeros(x.shape[1:]).shape, torch.ones(*s).shape, x.shape.numel())
d = torch.device("cpu")
print(d, repr(d), d.type, d.index, d == torch.device("cpu"), str(d))
print(torch.device("cpu", 0), x.device, x.device == d, x.is_cpu, x.is_cuda)
print(x.cpu() is x, x.to("cpu") is x, x.to(d) is x, torch.zeros(1, device="cpu").device)
print(torch.zeros(1, device=d).device.type, x.get_device())
print(torch.cuda.is_available())
print(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
print(torch.zeros(1).to(d).device)
print(x.layout, x.layout == torch.strided, x.is_sparse, x.is_quantized)
print(x.is_leaf, x.requires_grad, x.grad, x.grad_fn, x.ndim)
print(x.dtype, x.itemsize, x.nbytes, x.numel(), x.element_size(), x.is_contiguous())
print(x.is_complex(), x.is_floating_point(), x.storage_offset())
print(torch.is_tensor(x), torch.is_tensor([1]), isinstance(x, torch.Tensor))
print(isinstance(x, torch.FloatTensor), torch.numel(x), type(x))
print(isinstance(torch.tensor([1]), torch.LongTensor), isinstance(torch.tensor([1]), torch.FloatTensor), x.type())
for f in (
    lambda: torch.device("gpu"),
    lambda: torch.device("cpu:x"),
    lambda: torch.Size([1, "a"]),
    lambda: torch.zeros(1, device="nowhere"),
    lambda: torch.Size(3),
):
    try:
        print(f())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, str(error))
print(torch.pi, torch.inf, torch.e, torch.nan != torch.nan, torch.newaxis)
print(torch.float32 in (torch.float32, torch.float64))
print(torch.get_num_threads() >= 1, torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_default_device())
print(torch.typename(x), torch.typename(torch.tensor([1])), torch.typename("text"))
print(torch.Tensor.__name__, torch.Tensor.__module__)
