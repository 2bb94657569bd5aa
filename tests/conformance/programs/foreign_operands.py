"""Objects that are no tensors but take calls over: which function they are told of, and who answers where they decline."""

import torch

known = {}
for name in "add matmul mul __rsub__ __floordiv__ sum __getitem__ add_ where expand_as copy_ addmm".split():
    known[getattr(torch.Tensor, name)] = f"Tensor.{name}"
for name in "add matmul mul sum where stack".split():
    known[getattr(torch, name)] = f"torch.{name}"
for name in "shape T grad requires_grad".split():
    known[getattr(torch.Tensor, name).__get__] = f"reading {name}"


class Told:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return known.get(func, "unknown"), [type(one).__name__ for one in args]


x, told = torch.ones(2, 2), Told()
calls = {
    "x + t": lambda: x + told,
    "t - x": lambda: x.__rsub__(told),
    "x @ t": lambda: x @ told,
    "x // t": lambda: x // told,
    "x[t]": lambda: x[told],
    "x.add": lambda: x.add(told),
    "x.add_": lambda: x.add_(told),
    "x += t": lambda: x.__iadd__(told),
    "x.matmul": lambda: x.matmul(told),
    "x.copy_": lambda: x.copy_(told),
    "x.expand_as": lambda: x.expand_as(told),
    "x.addmm": lambda: x.addmm(x, told),
    "torch.matmul": lambda: torch.matmul(x, told),
    "torch.sum": lambda: torch.sum(told),
    "torch.where": lambda: torch.where(x > 0, x, told),
    "torch.stack": lambda: torch.stack([x, told]),
    "is_tensor": lambda: torch.is_tensor(told),
}


def show_calls():
    for name, call in calls.items():
        print(name, call())


show_calls()


class Sub(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("  ", known.get(func, "unknown"))
        return super().__torch_function__(func, types, args, kwargs or {})


# Nothing changes once there are subclasses: the functions are the same ones.
sub = torch.ones(2, 2).as_subclass(Sub)
show_calls()
for call in (lambda: sub + x, lambda: x @ sub, lambda: 1 - sub, lambda: sub[0], lambda: sub.T, lambda: sub.requires_grad):
    call()
print(Sub.add is torch.Tensor.add, torch.Tensor.add in known, torch.Tensor.matmul is torch.matmul)


class Both:
    """Declines some, refuses others, has operators of its own."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in (torch.Tensor.matmul, torch.Tensor.__rsub__):
            return NotImplemented
        if func is torch.Tensor.mul:
            raise TypeError("no")
        return "asked"

    def __rmatmul__(self, other):
        return "own @"

    def __rmul__(self, other):
        return "own *"

    def __radd__(self, other):
        return "own +"


class Own:
    def __rmatmul__(self, other):
        return "own @"

    def __rpow__(self, other):
        return "own **"


class Nothing:
    pass


class Disabled:
    __torch_function__ = torch._C._disabled_torch_function_impl


for kind in (Both, Own, Nothing, Disabled):
    one = kind()
    for name, call in {
        "@": lambda: x @ one,
        "*": lambda: x * one,
        "+": lambda: x + one,
        "**": lambda: x**one,
        "%": lambda: x % one,
        "-": lambda: one - x,
        "==": lambda: x == one,
        "+=": lambda: x.__iadd__(one),
        "mm": lambda: x.mm(one),
    }.items():
        try:
            print(kind.__name__, name, call())
        except TypeError as error:
            print(kind.__name__, name, str(error))


def mine(self):
    return "mine"


# Methods that a program sets are the program's own, and what it puts back is what there was.
torch.Tensor.my_method = mine
print(torch.ones(1).my_method(), torch.Tensor.my_method is mine)
old = torch.Tensor.add
torch.Tensor.add = mine
print(torch.ones(1).add(), torch.Tensor.add is mine, torch.Tensor.add is old)
torch.Tensor.add = old
print(torch.ones(1).add(1), torch.Tensor.add is old)


class Inherits(torch.Tensor):
    pass


one = torch.ones(1).as_subclass(Inherits)
print(one.add(1), Inherits.add is old, one.my_method())
