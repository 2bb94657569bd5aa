"""Sparse tensors that are written to: by functions in place and by `out=`."""

import torch


def said(function):
    try:
        print(function())
    except RuntimeError as error:
        print(type(error).__name__, str(error)[:100])


coo = torch.tensor([[0.0, 0.5], [0.25, 0.0]]).to_sparse()
names = (
    "abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac log1p neg rad2deg round sgn sign sin sinh sqrt tan tanh trunc"
).split()
for like in (coo, coo.to_sparse_csr()):
    for name in names:
        target = like.clone()
        print(name, getattr(target, name + "_")() is target, target)
        out = like.clone()
        print(getattr(torch, name)(like, out=out) is out, out)
    said(lambda like=like: torch.sin(like, out=torch.zeros(2, 2).to_sparse(layout=like.layout)))
said(lambda: torch.eye(2).int().to_sparse().sin_())
said(lambda: torch.sin(coo, out=torch.eye(2).int().to_sparse()))
said(lambda: torch.sin(coo, out=torch.zeros(3, 3).to_sparse()))
said(lambda: torch.signbit(coo, out=torch.zeros(2, 2, dtype=torch.bool).to_sparse()))
for name, values in (("add", (coo, coo)), ("mul", (coo, coo)), ("sub", (coo, coo)), ("div", (coo, 2.0))):
    out = torch.zeros(2, 2).to_sparse()
    print(name, getattr(torch, name)(*values, out=out) is out, out)
apart = torch.sparse_coo_tensor([[0, 0]], [0.25, 0.25], (2,), check_invariants=False)
for name in ("sin_", "absolute_", "fix_", "arctan_", "neg_"):
    said(lambda name=name: getattr(apart.clone(), name)())
