"""The erf family and its neighbours: values and gradients to four digits."""

import torch

x = torch.tensor([-1.5, -0.5, 0.25, 0.75], dtype=torch.float64)
u = torch.tensor([0.1, 0.4, 0.6, 0.9], dtype=torch.float64)
p = torch.tensor([0.5, 1.5, 3.0, 6.5], dtype=torch.float64)
cases = {
    "erf": (torch.erf, x),
    "erfc": (torch.erfc, x),
    "erfinv": (torch.erfinv, x / 2),
    "special.erf": (torch.special.erf, x),
    "special.expit": (torch.special.expit, x),
    "special.logit": (torch.special.logit, u),
    "special.ndtr": (torch.special.ndtr, x),
    "special.xlogy": (lambda t: torch.special.xlogy(t, t + 1), u),
    "lgamma": (torch.lgamma, p),
    "digamma": (torch.digamma, p),
    "special.gammaln": (torch.special.gammaln, p),
    "special.psi": (torch.special.psi, p),
    "special.expm1": (torch.special.expm1, x),
    "special.log1p": (torch.special.log1p, u),
    "special.exp2": (torch.special.exp2, x),
    "special.sinc": (torch.special.sinc, x),
    "special.logsumexp": (lambda t: torch.special.logsumexp(t, 0), x),
    "special.softmax": (lambda t: torch.special.softmax(t, 0)[:2], x),
    "gelu": (torch.nn.functional.gelu, x),
    "logaddexp": (lambda t: torch.logaddexp(t, -t), x),
}
for name, (f, t) in cases.items():
    t = t.clone().requires_grad_()
    y = f(t)
    y.sum().backward()
    print(name, [f"{v + 0.0:.4f}" for v in y.flatten().tolist()], [f"{v + 0.0:.4f}" for v in t.grad.tolist()])
print(torch.erf(torch.tensor([0.0, float("inf"), -float("inf"), float("nan")])))
print(torch.erfinv(torch.tensor([-1.0, 0.0, 1.0, 2.0])))
print(torch.erf(torch.tensor([1, 2])))
print(torch.lgamma(torch.tensor([1.0, 2.0, 0.0])))
print(torch.erfc(torch.tensor([0.0, 30.0])))
t = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
y = torch.erf(t)
for order in range(4):
    print(order, f"{y.item():.5f}")
    (y,) = torch.autograd.grad(y, t, create_graph=True)
# the normal density is the derivative of ndtr
z = torch.linspace(-2, 2, 5, dtype=torch.float64, requires_grad=True)
(density,) = torch.autograd.grad(torch.special.ndtr(z).sum(), z)
print([f"{v:.4f}" for v in density.tolist()])
print(torch.zeros(2).erf_(), torch.tensor([0.5]).erfinv_().item() > 0.47)
print(torch.full((2,), 2.0).lgamma_(), torch.ones(1).digamma_())
