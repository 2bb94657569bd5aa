"""What classes and modes with __torch_dispatch__ are asked."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map


class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, inner, requires_grad=False):
        made = torch.Tensor._make_wrapper_subclass(
            cls, inner.size(), strides=inner.stride(), dtype=inner.dtype, requires_grad=requires_grad
        )
        made.inner = inner.detach()
        return made

    def __repr__(self):
        return super().__repr__(tensor_contents=f"{self.inner}")

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        out = func(*tree_map(lambda one: one.inner if isinstance(one, cls) else one, args), **(kwargs or {}))
        shown = tree_map(lambda one: "wrapper" if isinstance(one, cls) else one, args)
        print(func, *(shown if torch._C._current_autograd_node() is None else ()))
        return tree_map(lambda one: cls(one) if isinstance(one, torch.Tensor) else one, out)


x = Wrapper(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), requires_grad=True)
y = (x * x).sin() @ x
print(type(y).__name__, y.shape, y.grad_fn.name(), y.requires_grad)
print(y[0], x.t(), x.sum(0), x > 2, x + 1, x.double().dtype, x.long().dtype, (x > 2).int().requires_grad)
y.sum().backward()
print(x.grad)

plain = Wrapper(torch.ones(2, 2))
plain.add_(2)
plain.mul_(plain)
print(plain, plain._version)
print((plain.sum() / 4).item(), bool((plain > 8)[0, 1]))


class Names(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(type(self).__name__, func)
        return func(*args, **(kwargs or {}))


class Outer(Names):
    pass


class Inner(Names):
    pass


z = torch.tensor([1.0, 2.0])
with Outer(), Inner():
    print((z.sin() * 3 + z).sum(0, keepdim=True).view(1, 1))
    z.neg_()
print(z, torch.ops.aten.mul.Tensor, torch.ops.aten.mul, torch.ops.aten.sin.default(z))
