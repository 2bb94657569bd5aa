"""matmul in all its ranks, mm, bmm, mv, dot, outer, addmm and company; the gradients of each."""

import torch

v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = torch.tensor([4.0, 5.0], requires_grad=True)
m = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
n = torch.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]], requires_grad=True)
s = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
t = torch.arange(12.0).reshape(2, 2, 3).requires_grad_()
leaves = {"v": v, "w": w, "m": m, "n": n, "s": s, "t": t}
forms = """
v @ v; m @ v; w @ m; m @ n; n @ m; t @ n; t @ v; s @ t; w @ t; t @ t.mT; m.mm(n); m.mv(v); v.dot(v); torch.outer(w, v)
torch.matmul(m, n); torch.mm(s, m); torch.bmm(t, t.transpose(1, 2)); torch.addmm(s, m, n); torch.addmm(w, m, n, beta=2, alpha=3)
torch.addmv(w, m, v); torch.addr(m, w, v); torch.baddbmm(s, t, t.mT); torch.addbmm(s, t, t.mT); torch.inner(v, v); torch.inner(m, v)
torch.vdot(v, v); v.ger(w); torch.chain_matmul(s, m, n); torch.linalg.multi_dot([s, m, n]); torch.tensordot(m, n, 1); w.inner(w)
torch.tensordot(t, m, dims=([2], [1])); torch.tensordot(t, t, dims=3); torch.linalg.vecdot(m, m); torch.kron(s, w); torch.cross(v, v * 2, dim=0)
s.matrix_power(2); s.matrix_power(3); m.t() @ s @ m; torch.nn.functional.linear(m, s.new_ones(2, 3), w); torch.linalg.matmul(s, m); s @ s
torch.cross(m, m.flip(1), dim=1)
"""
for line in forms.strip().splitlines():
    for form in line.split("; "):
        y = eval(form)
        for leaf in leaves.values():
            leaf.grad = None
        y.backward(torch.arange(1.0, 1 + y.numel()).reshape(y.shape))
        grads = {name: leaf.grad.tolist() for name, leaf in leaves.items() if leaf.grad is not None}
        print(f"{form}: {y.tolist()} {grads}")
i = torch.arange(6).reshape(2, 3)
print(i @ i.t(), i @ torch.arange(3), torch.arange(3) @ torch.arange(3))
print(torch.zeros(2, 0) @ torch.zeros(0, 3), torch.zeros(0, 2) @ s)
print((torch.ones(5, 1, 2, 3) @ torch.ones(4, 3, 2)).shape)
print((torch.ones(3) @ torch.ones(5, 3, 2)).shape, torch.ones(2, 3).double() @ n.double())
for f in (
    lambda: m @ m,
    lambda: m @ w,
    lambda: v @ w,
    lambda: m.mm(v),
    lambda: m.mv(w),
    lambda: v.dot(w),
    lambda: torch.bmm(m, n),
    lambda: torch.bmm(t, t),
    lambda: torch.tensor(1.0) @ v,
    lambda: m @ n.double(),
    lambda: m.dot(m),
    lambda: torch.ones(2, 3, 4) @ torch.ones(5, 4, 3),
    lambda: torch.addmm(v, m, n),
    lambda: torch.nn.functional.linear(m, n),
):
    try:
        print(f())
    except RuntimeError as error:
        print(str(error))
for product in (torch.bmm, torch.matmul):
    try:
        print(product(torch.ones(2, 3, 2), torch.ones(2, 2, 0, dtype=torch.int64)).dtype)
        product(torch.ones(2, 3, 2, requires_grad=True), torch.ones(2, 2, 0, dtype=torch.int64))
    except RuntimeError as error:
        print(error)
