"""linalg: inverses, determinants, solves, norms and decompositions, printed where they are unique."""

import torch

a = torch.tensor([[4.0, 2.0], [2.0, 3.0]], dtype=torch.float64)
b = torch.tensor([[2.0, 0.0], [1.0, 4.0]], dtype=torch.float64)
v = torch.tensor([2.0, 1.0], dtype=torch.float64)


def digits(t):
    return [f"{round(x, 4) + 0.0:.4f}" for x in t.flatten().tolist()]


print(digits(torch.linalg.inv(a)), digits(a.inverse()), digits(torch.inverse(b)), digits(torch.linalg.pinv(a)))
print(digits(torch.linalg.det(a)), digits(a.det()), digits(a.logdet()), [digits(t) for t in torch.linalg.slogdet(-b)])
print(digits(torch.linalg.solve(a, v)), digits(torch.linalg.solve(a, b)), digits(torch.linalg.lstsq(b, a).solution))
print(digits(torch.linalg.cholesky(a)), digits(torch.cholesky_inverse(torch.linalg.cholesky(a))))
print(digits(torch.linalg.eigvalsh(a)), digits(torch.linalg.svdvals(b)))
print(torch.linalg.matrix_rank(a), torch.linalg.matrix_rank(torch.ones(2, 2)))
values, vectors = torch.linalg.eigh(a)
print(torch.allclose(vectors @ torch.diag(values) @ vectors.T, a))
print(torch.allclose(vectors.T @ vectors, torch.eye(2, dtype=a.dtype)))
u, s, vh = torch.linalg.svd(b)
print(torch.allclose(u @ torch.diag(s) @ vh, b), u.shape, s.shape, vh.shape, type(torch.linalg.svd(b)).__name__)
q, r = torch.linalg.qr(b)
print(torch.allclose(q @ r, b), digits(r.abs()), torch.linalg.svd(torch.ones(3, 2), full_matrices=False).U.shape)
w, vec = torch.linalg.eig(b)
print(sorted(digits(w.real)), w.dtype, torch.allclose(b.to(w.dtype) @ vec, vec * w))
print(digits(torch.linalg.matrix_power(b, 3)), digits(torch.linalg.matrix_power(b, -1)))
print(digits(torch.linalg.norm(b)), digits(torch.linalg.matrix_norm(b, "nuc")))
print(digits(torch.linalg.matrix_norm(b, 2)), digits(torch.linalg.cond(b)))
print(digits(torch.linalg.solve_triangular(b, v[:, None], upper=False)), torch.linalg.multi_dot([a, b, v]))
print(torch.trace(a), torch.linalg.cross(v.new_ones(3), v.new_tensor([1, 2, 3])))
batch = torch.stack([a, b])
print(digits(torch.linalg.det(batch)), torch.linalg.inv(batch).shape)
print(torch.linalg.solve(batch, torch.ones(2, 2, dtype=a.dtype)).shape)

functions = {
    "inv": torch.linalg.inv,
    "det": torch.linalg.det,
    "logdet": torch.logdet,
    "slogdet": lambda t: torch.linalg.slogdet(t).logabsdet,
    "solve": lambda t: torch.linalg.solve(t, v),
    "solve of transposed": lambda t: torch.linalg.solve(t.T, b),
    "cholesky": torch.linalg.cholesky,
    "eigvalsh": torch.linalg.eigvalsh,
    "eigh values": lambda t: torch.linalg.eigh(t).eigenvalues,
    "svdvals": torch.linalg.svdvals,
    "qr": lambda t: torch.linalg.qr(t).R.abs(),
    "norm": torch.linalg.norm,
    "nuclear": lambda t: torch.linalg.matrix_norm(t, "nuc"),
    "spectral": lambda t: torch.linalg.matrix_norm(t, 2),
    "pinv": torch.linalg.pinv,
    "power": lambda t: torch.linalg.matrix_power(t, 3),
    "trace of inverse": lambda t: torch.trace(torch.inverse(t)),
    "whitened": lambda t: torch.linalg.solve_triangular(torch.linalg.cholesky(t), v[:, None], upper=False),
}
for name, f in functions.items():
    t = (a / 4).requires_grad_()
    y = f(t)
    (g,) = torch.autograd.grad(y, t, torch.arange(1.0, 1 + y.numel(), dtype=t.dtype).reshape(y.shape))
    print(name, digits(y), digits(g))
for f in (
    lambda: torch.linalg.inv(torch.ones(2, 2)),
    lambda: torch.linalg.inv(torch.ones(2, 3)),
    lambda: torch.linalg.cholesky(-a),
    lambda: torch.linalg.solve(torch.zeros(2, 2), torch.ones(2)),
    lambda: torch.linalg.det(torch.ones(3)),
    lambda: torch.linalg.inv(torch.ones(2, 2).long()),
):
    try:
        print(f())
    except RuntimeError as error:
        print(type(error).__name__, str(error))
# Determinants that are zero, with their signs.
for rows in (
    [[1, 2], [2, 4]],
    [[0, 0], [1, 1]],
    [[0, 0], [1, -1]],
    [[0, 1], [0, 0]],
    [[-1, 0, 0], [0, 0, 0], [0, 0, 1]],
    [[0]],
):
    for dtype in (torch.float32, torch.float64, torch.complex64):
        singular = torch.tensor(rows, dtype=dtype)
        print(torch.det(singular), torch.slogdet(singular))
# Equal rows, and rows that are not finite.
for number in (0.3, -0.7568024953079282, 0.1):
    print(torch.logdet(torch.full((3, 3), number)), torch.det(torch.full((2, 2), number, dtype=torch.float64)))
for rows in (
    [[torch.inf, 1], [torch.inf, 1]],
    [[torch.inf, 1], [1, torch.inf]],
    [[0, torch.inf], [0, 1]],
    [[1, torch.nan], [1, 1]],
):
    print(torch.det(torch.tensor(rows)), torch.slogdet(torch.tensor(rows)).logabsdet)
print(torch.det(torch.tensor([[[1.0, 2], [2, 4]], [[1, 2], [3, 4]], [[0, 0], [1, 1]]])))
one = torch.tensor([[2.0]], requires_grad=True)
print(torch.autograd.grad(torch.det(one * one), one, create_graph=True))
