"""einsum as people write it."""

import torch

v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
m = torch.arange(6.0).reshape(2, 3).requires_grad_()
s = torch.arange(9.0).reshape(3, 3).requires_grad_()
b = torch.arange(12.0).reshape(2, 2, 3).requires_grad_()
cases = [
    ("i,i->", (v, v)),
    ("i,i", (v, v)),
    ("i,j->ij", (v, v)),
    ("i,j", (v, v)),
    ("ij,j->i", (m, v)),
    ("ij,jk->ik", (m, s)),
    ("ij,jk", (m, s)),
    ("ij->ji", (m,)),
    ("ij->j", (m,)),
    ("ij->", (m,)),
    ("ii->i", (s,)),
    ("ii", (s,)),
    ("ij,ij->ij", (m, m)),
    ("bij,kj->bik", (b, m)),
    ("bij,bkj->bik", (b, b)),
    ("bij,bij->b", (b, b)),
    ("...j,j->...", (b, v)),
    ("...ij->...ji", (b,)),
    ("ij,jk,k->i", (m, s, v)),
    ("bi,ij,bj->b", (m, s, m)),
    ("i,ij,j", (v, s, v)),
    (" i j , j k -> i k ", (m, s)),
    ("Aa,aB->AB", (m, s)),
    ("ba", (m,)),
    ("bij,bik->jk", (b, b)),
    ("i->", (v,)),
    ("ij,kj->ik", (m, m)),
]
for text, operands in cases:
    y = torch.einsum(text, *operands)
    unique = list(dict.fromkeys(operands))
    grads = torch.autograd.grad(y, unique, torch.arange(1.0, 1 + y.numel()).reshape(y.shape))
    print(text, y.tolist(), [g.tolist() for g in grads])
print(torch.einsum("ij,jk->ik", [m, s]).shape, torch.einsum(m, [0, 1], s, [1, 2], [0, 2]).shape)
q = torch.arange(16.0).reshape(1, 2, 2, 4) / 8
scores = torch.einsum("bhqd,bhkd->bhqk", q, q)
print(scores, torch.einsum("bhqk,bhkd->bqhd", scores, q).shape)
print(torch.einsum("i,i->i", torch.arange(3), torch.arange(3)))
for text, operands in (
    ("ij,jk->ik", (m, m)),
    ("ij->ik", (m,)),
    ("i,j", (v,)),
    ("ij", (v,)),
    ("i1", (m,)),
    ("ij->ii", (m,)),
):
    try:
        print(torch.einsum(text, *operands))
    except RuntimeError as error:
        print(str(error))
