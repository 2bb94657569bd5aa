"""Hooks on tensors and nodes: when each is called, what each may change, how each goes away."""

import torch

calls = []


def note(name, factor=None):
    def hook(grad):
        calls.append(f"{name} {grad.tolist()}")
        return None if factor is None else grad * factor

    return hook


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
z = y * 2
x.register_hook(note("x"))
y.register_hook(note("y, doubled", 2))
y.register_hook(note("y again"))
z.register_hook(note("z"))
z.sum().backward()
print(*calls, sep="\n")
print(x.grad)

# a removed hook is silent
calls.clear()
x = torch.tensor([1.0, 2.0], requires_grad=True)
handle = x.register_hook(note("removed", 100))
kept = x.register_hook(note("kept"))
(x * 2).sum().backward()
handle.remove()
(x * 2).sum().backward()
kept.remove()
(x * 2).sum().backward()
print(*calls, sep="\n")
print(x.grad)

# hooks see the whole gradient, added up from every use
calls.clear()
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
y.register_hook(note("sum of uses"))
(y * 2 + y * 3).sum().backward()
print(*calls, sep="\n")

# with retain_grad: the gradient after the hooks
y = x * 1
y.retain_grad()
y.register_hook(lambda g: g * 10)
y.sum().backward()
print(y.grad)

# after accumulation into a leaf
x = torch.tensor([1.0], requires_grad=True)
x.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
x.register_hook(lambda g: print("before", g))
for _ in range(2):
    (x * 5).backward()

# on nodes
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 4
y.grad_fn.register_prehook(lambda grads: (grads[0] * 3,))
y.grad_fn.register_hook(lambda inputs, outputs: print("node", inputs[0], outputs[0]))
y.register_hook(lambda g: print("tensor", g))
y.sum().backward()
print(x.grad)

# with autograd.grad, the hook on the input runs as well
x = torch.tensor([2.0], requires_grad=True)
x.register_hook(lambda g: g + 0.5)
print(torch.autograd.grad(x * x, x))
for bad in (torch.zeros(2),):
    try:
        bad.register_hook(print)
    except RuntimeError as error:
        print(type(error).__name__, str(error))

# a root that leads to nothing asked for: alone it is looked at all the same, one of several is not
for roots in (1, 2):
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: print("leaf", g))
    y = (x * x).sum()
    y.retain_grad()
    y.register_hook(lambda g: print("root", g))
    y.grad_fn.register_prehook(lambda g: print("not seen", g))
    z = y * 2
    print(torch.autograd.grad([y] * roots, [z], allow_unused=True), y.grad)
    torch.autograd.backward([x.exp().sum(), y][-roots:], inputs=[z])
    print(torch.autograd.grad([y, y.detach() * x.sum()][:roots], [z], allow_unused=True), y.grad, x.grad)
