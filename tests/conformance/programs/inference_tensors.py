"""Tensors made in inference mode, in it and outside of it."""

import torch

with torch.inference_mode():
    x = torch.ones(2, 3)
    r = torch.ones(2, 3, requires_grad=True)
normal = torch.ones(2, 3)
leaf = torch.ones(2, 3, requires_grad=True)


def attempt(label, function):
    try:
        print(label, function())
    except RuntimeError as error:
        print(label, str(error))


for label, one in (
    ("view", x.view(-1)),
    ("row", x[0]),
    ("t", x.t()),
    ("detach", x.detach()),
    ("clone", x.clone()),
    ("sum", x + 1),
):
    print(label, one.is_inference(), one._is_view(), one.requires_grad, one.is_leaf)
attempt("version", lambda: x._version)
attempt("version of a view", lambda: x.view(-1)._version)
attempt("add_", lambda: x.add_(1))
attempt("out", lambda: torch.mul(normal, normal, out=x))
attempt("zero_", lambda: x.zero_())
attempt("copy_", lambda: x.copy_(normal))
attempt("resize_", lambda: x.resize_(7))
attempt("set_", lambda: x.set_(normal))
attempt("requires_grad_", lambda: x.requires_grad_())
attempt("saved", lambda: x * leaf)
attempt("added", lambda: (x + leaf).requires_grad)
attempt("alone", lambda: (r * r).requires_grad)
attempt("with a number", lambda: (r * 2).requires_grad)
attempt("view of a leaf", lambda: r.view(-1).requires_grad)
(r + leaf).sum().backward()
print(r.grad, leaf.grad)
base = leaf.clone()
with torch.inference_mode():
    view = base.view(-1)
    print(view._is_view(), view.requires_grad, view.is_inference(), view.is_leaf)
    x.view(-1).add_(1)
    print(x, x.view(-1)._is_view(), r.view(-1).requires_grad)
attempt("write through", lambda: view.add_(1))
print((view * view).requires_grad)
base.add_(1)
attempt("after a write", lambda: view.grad_fn)

x = torch.ones(2, requires_grad=True)
with torch.inference_mode(), torch.enable_grad():
    y, v = x * 2, x.view(-1)
    print(torch.is_grad_enabled(), y.requires_grad, y.grad_fn, y.is_inference(), v.requires_grad, v.grad_fn, v.is_inference())
    print(torch.cat([x, x]).requires_grad, (x @ x).requires_grad, x.add_(1))
    with torch.no_grad():
        print(torch.is_grad_enabled())
for setting in (lambda: y.requires_grad_(), lambda: torch.nn.Parameter(y), lambda: torch.nn.Parameter(y, requires_grad=False)):
    try:
        print(setting())
    except RuntimeError as error:
        print(str(error))
