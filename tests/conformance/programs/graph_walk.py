"""Walking the graph: names, next_functions, AccumulateGrad, the variable at the end."""

import torch


def walk(node, depth=0):
    if node is None:
        print("  " * depth + "None")
        return
    shape = f" {tuple(node.variable.shape)}" if hasattr(node, "variable") else ""
    print("  " * depth + node.name() + shape)
    for child, _ in node.next_functions:
        walk(child, depth + 1)


x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
walk(out.grad_fn)
print(out.grad_fn.next_functions[0][0].name(), out.grad_fn.next_functions[0][1])

w = torch.zeros(3, 2, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
v = torch.ones(1, 2)
loss = torch.relu(v @ w.t() + b).sum()
walk(loss.grad_fn)

last = loss.grad_fn
while last.next_functions:
    last = last.next_functions[-1][0]
print(type(last).__name__, last.variable is b)

# one AccumulateGrad for one leaf, wherever it is used
a = torch.tensor([1.0], requires_grad=True)
p = a * 2
q = a + 1
print(p.grad_fn.next_functions[0][0] is q.grad_fn.next_functions[0][0])
print(p.grad_fn.next_functions[0][0].variable is a)
print(a.view(1).grad_fn.next_functions[0][0].variable is a, a.expand_as(a).grad_fn.next_functions[0][0].name())
print(p.grad_fn is p.grad_fn, p.grad_fn == q.grad_fn, p.detach().grad_fn)

# several outputs of one node
s = torch.arange(6.0).requires_grad_()
parts = (s * 1).split(2)
print([part.output_nr for part in parts], [part.grad_fn.name() for part in parts])
values, indices = (s * 1).max(0)
top = (s * 2).topk(2)
print(values.grad_fn.name(), top.values.grad_fn.name(), top.values.output_nr)
print([edge[1] for edge in (parts[2] * parts[1]).grad_fn.next_functions])

# plain tensors have no edge
print((s * 2).grad_fn.next_functions[1], (torch.ones(6) * s).grad_fn.next_functions[0])
walk(torch.stack([s.sum(), s.prod(), torch.tensor(0.0)]).grad_fn)
walk(torch.where(s > 0, s, s * 2).sum().grad_fn)
walk((s[1:3] @ s[2:4]).grad_fn)
