"""bfloat16: making, printing, arithmetic, promotion, a gradient."""

import torch

x = torch.tensor([1.0, 2.5, -3.0], dtype=torch.bfloat16)
print(x, x.dtype, x.bfloat16() is x, x.float(), torch.tensor([1.0, 2.0]).bfloat16())
print(x + 1, x * x, x / 2, -x, x.sum(), x.mean(), x.max(), x @ x, x > 0)
print(torch.tensor([0.1, 1 / 3, 257.0], dtype=torch.bfloat16), torch.tensor([0.1], dtype=torch.bfloat16).item())
print(
    (x + torch.ones(3)).dtype,
    (x + torch.ones(3, dtype=torch.float16)).dtype,
    (x + torch.arange(3)).dtype,
    (x * 2.5).dtype,
)
print(torch.promote_types(torch.bfloat16, torch.float16), torch.promote_types(torch.bfloat16, torch.int64))
print(torch.finfo(torch.bfloat16).max, torch.finfo(torch.bfloat16).eps, torch.finfo(torch.bfloat16).bits)
print(
    torch.zeros(2, dtype=torch.bfloat16),
    torch.arange(4, dtype=torch.bfloat16),
    torch.full((1,), 2.0, dtype=torch.bfloat16),
)
print(x.tolist(), x[0].item(), x.element_size(), x.is_floating_point(), x[1:], x.view(3, 1).shape, x.abs(), x.exp() > 1)
w = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
(w * w * 3).sum().backward()
print(w, w.grad, w.grad.dtype, (w.float() * 2).dtype)
w.grad = None
(w.float() * 2).sum().backward()
print(w.grad)
