"""What is kept, what is freed, and when: weak references to tensors, saved values, hooks on the way."""

import gc
import weakref

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
alive = weakref.ref(y)
z = (y * y).sum()
del y
gc.collect()
z.backward()
gc.collect()
print(alive() is None, x.grad is not None)

z = (x * 2).sum()
node = weakref.ref(z)
del z
gc.collect()
print(node() is None)

# backward under retain_graph keeps, without frees
a = torch.tensor([1.0], requires_grad=True)
b = a.sin()
c = b * b
c.backward(retain_graph=True)
print(c.grad_fn.next_functions[0][0].name())
c.backward()
try:
    c.backward()
except RuntimeError as error:
    print(type(error).__name__)
print(f"{a.grad.item():.4f}", c.grad_fn.name(), c.requires_grad)

# several roots, one call: what they share is run once
runs = []
s = torch.tensor([1.0, 2.0], requires_grad=True)
shared = s * 3
shared.register_hook(lambda g: runs.append(g.tolist()))
torch.autograd.backward([shared.sum(), (shared * shared).sum()], retain_graph=True)
print(runs, s.grad)
runs.clear()
torch.autograd.grad([shared.sum()], [s])
print(runs)

# a loop that keeps its history, and one that does not
w = torch.tensor(1.0, requires_grad=True)
state = torch.tensor(0.0)
for _ in range(3):
    state = state + w
    state = state.detach()
print(state.requires_grad, state)
state = torch.tensor(0.0)
total = 0.0
for _ in range(3):
    state = state * 0.5 + w
    total = total + state
total.backward()
print(w.grad, total.item())

# truncated: every two steps
w.grad = None
state = torch.tensor(0.0)
for step in range(4):
    state = state * 0.5 + w
    if step % 2:
        state.backward()
        print(step, state.item(), w.grad.item())
        state = state.detach()

# only the part that is asked for is computed
seen = []
p, q = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
p2, q2 = p * p, q * q
p2.register_hook(lambda g: seen.append("p"))
q2.register_hook(lambda g: seen.append("q"))
print(torch.autograd.grad(p2 * q2, p), seen)
