"""std, var and norms in every form, with numbers whose roots are whole."""

import torch

x = torch.tensor([[3.0, 4.0], [6.0, 8.0]])
v = torch.tensor([1.0, 3.0, 5.0, 7.0])
print(x.norm(), x.norm(dim=1), x.norm(2, 1), x.norm(1), x.norm(float("inf")))
print(x.norm(-float("inf")), x.norm(0), x.norm(p="fro"))
print(x.norm(dim=0, keepdim=True), x.norm(p=1, dim=(0, 1)))
print(torch.norm(x, 2, 1, True), x.norm(dtype=torch.float64).dtype)
print(torch.linalg.norm(x), torch.linalg.vector_norm(x, 1))
print(torch.linalg.vector_norm(x, dim=1), torch.linalg.matrix_norm(x))
print(torch.linalg.norm(x, 1), torch.linalg.norm(x, float("inf")), torch.linalg.norm(v, 3), torch.linalg.norm(x, dim=1))
print(v.var(), v.var(unbiased=False), v.var(correction=0), v.std(correction=0))
print(v.var(0), torch.var(x, 0), torch.var(x, 1, True))
print(torch.var_mean(v, correction=0), torch.std_mean(v, correction=0))
print(x.var(dim=(0, 1), correction=0), x.std(1, unbiased=False))
print(x.std(0), x.std(dim=1), torch.tensor([1.0]).var())
print(torch.tensor([1.0, 1.0]).std(), torch.std(v, dim=0, keepdim=True))
print(torch.dist(x[0], x[1]), torch.dist(x, torch.zeros(2, 2), 1), torch.cdist(torch.zeros(1, 2), x))
print(torch.nn.functional.normalize(x), torch.nn.functional.pairwise_distance(x[:1], x[1:], eps=0.0))


def gradient(f, t):
    t = t.clone().requires_grad_()
    f(t).sum().backward()
    return [round(g, 4) for g in t.grad.flatten().tolist()]


print(gradient(lambda t: t.norm(), x[0]), gradient(lambda t: t.norm(1), -x[0]))
print(gradient(lambda t: t.norm(float("inf")), x[0]))
print(gradient(lambda t: t.norm(dim=1), x), gradient(lambda t: t.norm(3), v))
print(gradient(lambda t: t.norm(), torch.zeros(2)))
print(gradient(lambda t: t.var(), v), gradient(lambda t: t.std(), v), gradient(lambda t: t.var(0), x))
print(gradient(lambda t: t.var(1, correction=0), x), gradient(lambda t: t.std(correction=0), v))
print(gradient(lambda t: t.norm(1), torch.tensor([0.0, -2.0])), gradient(lambda t: t.norm(2) ** 2, v))
print(gradient(lambda t: torch.linalg.matrix_norm(t), x), gradient(lambda t: torch.dist(t, torch.zeros(2)), x[1]))
a = torch.tensor([3.0, 4.0], requires_grad=True)
(g,) = torch.autograd.grad(a.norm(), a, create_graph=True)
(h,) = torch.autograd.grad(g[0], a)
print([round(n, 4) for n in g.tolist()], [round(n, 4) for n in h.tolist()])
y = torch.tensor([0.5, -1.25, 2.0]) * 256
print(y.data.norm().item() < 1000, f"{y.norm():.3f}", y.abs().max().item())
for f in (lambda: torch.tensor([1, 2]).norm(), lambda: torch.tensor([1, 2]).std(), lambda: torch.tensor([]).std()):
    try:
        print(f())
    except RuntimeError as error:
        print(type(error).__name__, str(error))
