"""Gradients against finite differences, for functions of several steps."""

import torch

torch.manual_seed(0)


def numerical(f, x, step=1e-6):
    out = torch.zeros_like(x)
    flat, view = x.view(-1), out.view(-1)
    for i in range(flat.numel()):
        keep = flat[i].item()
        flat[i] = keep + step
        high = f(x).item()
        flat[i] = keep - step
        low = f(x).item()
        flat[i] = keep
        view[i] = (high - low) / (2 * step)
    return out


a = torch.rand(3, 3, dtype=torch.float64) + torch.eye(3, dtype=torch.float64) * 2
functions = {
    "sum of squares": lambda x: (x * x).sum(),
    "chain": lambda x: (x.sin() * x.exp()).tanh().sum(),
    "logdet": lambda x: (x @ x.t() + torch.eye(3, dtype=x.dtype)).logdet(),
    "softmax": lambda x: (x.softmax(1) * torch.arange(9.0, dtype=x.dtype).view(3, 3)).sum(),
    "normalised": lambda x: ((x - x.mean(0)) / x.std(0)).pow(3).sum(),
    "inverse": lambda x: torch.linalg.inv(x).sum(),
    "norms": lambda x: x.norm() * x.norm(1) + x.norm(dim=0).prod(),
    "indexed": lambda x: (x[[0, 2, 0]] * x[:, 1:2]).sum() + x.diagonal().prod(),
    "cumulative": lambda x: x.cumprod(1).cumsum(0).sum(),
    "sorted": lambda x: (x.sort(1)[0] * torch.arange(3.0, dtype=x.dtype)).sum(),
    "extremes": lambda x: x.max() * x.min() + x.max(0)[0].sum() + x.median(),
    "reshaped": lambda x: (x.view(-1)[2:8].reshape(2, 3).t() @ x[:2]).pow(2).sum(),
    "lerp": lambda x: torch.lerp(x, x.t(), x.sigmoid()).logsumexp(0).sum(),
    "where": lambda x: torch.where(x > 1, x.log(), x**2).sum(),
    "division": lambda x: (x / (1 + x.abs())).var(),
    "unrolled": lambda x: (x @ (x @ (x @ torch.ones(3, dtype=x.dtype)).tanh()).tanh()).sum(),
}
for name, f in functions.items():
    x = a.clone().requires_grad_()
    (exact,) = torch.autograd.grad(f(x), x)
    near = numerical(f, a.clone())
    print(name, f"{f(a).item():.4f}", f"{exact.abs().sum().item():.4f}")
    print(torch.allclose(exact, near, rtol=1e-5, atol=1e-6))
