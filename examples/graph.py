"""What backward walks: the graph behind a value, hooks on the way, and a value rewritten in place."""

import torch


def show(node, indent=0):
    print("  " * indent + node.name())
    for child, _ in node.next_functions:
        if child is not None:
            show(child, indent + 1)


weight = torch.tensor([[1.0, -2.0], [0.5, 1.0]], requires_grad=True)
bias = torch.tensor([0.5, -1.0], requires_grad=True)
x = torch.tensor([1.0, 2.0])
layer = torch.relu(weight @ x + bias)
loss = layer.square().sum()
show(loss.grad_fn)

layer.retain_grad()
layer.register_hook(lambda gradient: print("arriving at the layer:", gradient))
loss.backward()
print("kept at the layer:", layer.grad)
print("weight:", weight.grad)
print("bias:", bias.grad)

# writing through a view rewrites the history of what it is a view of
values = bias * 2
first = values[0]
first *= 10
print(values, first)
show(values.grad_fn)
(gradient,) = torch.autograd.grad(values.sum(), bias)
print("through the view:", gradient)

# and a value that backward still needs may not be changed
square = bias**2
try:
    with torch.no_grad():
        bias += 1
    square.sum().backward()
except RuntimeError as error:
    print("refused:", str(error).split(":")[0])
