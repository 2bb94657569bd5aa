"""Programs as who learns `backward` writes them: small, whole, and some with the errors that everybody makes once."""

PROGRAMS = {
    "line": """\
import torch

torch.manual_seed(0)
x = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
t = 2 * x + 1
w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)

for step in range(20):
    y = x @ w + b
    loss = ((y - t) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
        b -= 0.05 * b.grad
    w.grad = None
    b.grad = None

print(w, b, loss.item())
""",
    "xor": """\
import torch
import torch.nn as nn

torch.manual_seed(1)
x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1), nn.Sigmoid())
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
loss_function = nn.BCELoss()
for epoch in range(3):
    optimizer.zero_grad()
    output = net(x)
    loss = loss_function(output, y)
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
""",
    "steps_too_long": """\
import torch

w = torch.tensor([1.0], requires_grad=True)
x = torch.tensor([3.0, -2.0])
for step in range(100):
    loss = ((w * x - 1) ** 2).sum()
    loss.backward()
    w.data -= 10.0 * w.grad
    w.grad.zero_()
print(w, loss)
""",
    "leaf_written": """\
import torch

x = torch.ones(3, requires_grad=True)
y = x * 2
x += 1
y.sum().backward()
print(x.grad)
""",
    "nones": """\
import torch

w = torch.randn(3, requires_grad=True) * 0.1
a = torch.ones(3)
b = torch.ones(3, requires_grad=True)
c = torch.ones(3, requires_grad=True)
d = torch.ones(3, requires_grad=True)
with torch.no_grad():
    e = b * 2
f = (b * 3).detach()
h = b * c + a + w + e + f
h.sum().backward()
c.grad = None
for name in "abcdefhw":
    print(name, globals()[name].grad)
""",
    "second": """\
import torch

x = torch.tensor(3.0, requires_grad=True)
y = x ** 3 + torch.sin(x)
(dy,) = torch.autograd.grad(y, x, create_graph=True)
print("first:", dy)
dy.backward()
print("second:", x.grad)
""",
    "recurrent": """\
import torch

torch.manual_seed(0)
W = (torch.randn(3, 3) * 0.5).requires_grad_()
U = torch.randn(3, 2, requires_grad=True)
xs = torch.randn(6, 2)
h = torch.zeros(3)
for x in xs:
    h = torch.tanh(W @ h + U @ x)
loss = (h * h).sum()
loss.backward()
print(W.grad)
""",
    "hooks": """\
import torch

x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
y = x * x
y.register_hook(lambda grad: grad.clamp(max=1.0))
x.register_hook(lambda grad: print("arrived at x:", grad))
y.retain_grad()
z = (y * torch.tensor([1.0, 2.0, 3.0])).sum()
z.backward()
print(y.grad, x.grad)
""",
    "no_grad": """\
import torch

x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    y = x * 2
z = y.sum()
z.backward()
""",
    "own_function": """\
import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x ** 2


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Cube.apply(x)
y.sum().backward()
print(x.grad)
""",
    "two_results": """\
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        doubled = x.exp()
        return doubled * factor, x + 1

    @staticmethod
    def backward(ctx, grad, other):
        return grad * ctx.factor + other, None


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -grad


x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = Scaled.apply(x, 3)
c = Same.apply(a)
d = (c * b).sum()
d.backward()
print(x.grad)
""",
    "pictures": """\
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3)
        self.conv2 = nn.Conv2d(4, 8, 3)
        self.fc = nn.Linear(8 * 5 * 5, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(x, 2)
        x = F.relu(self.conv2(x))
        x = x.flatten(1)
        return self.fc(x)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters())
images, labels = torch.randn(4, 1, 16, 16), torch.tensor([3, 1, 4, 1])
for epoch in range(3):
    loss = F.cross_entropy(net(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
""",
    "attention": """\
import torch

torch.manual_seed(0)
d = 4
x = torch.randn(3, d)
Wq, Wk, Wv, Wo = (torch.randn(d, d, requires_grad=True) for _ in range(4))
q, k, v = x @ Wq, x @ Wk, x @ Wv
scores = q @ k.T / d ** 0.5
weights = torch.softmax(scores, dim=-1)
out = (weights @ v) @ Wo
loss = (out - x).pow(2).mean()
loss.backward()
print(Wq.grad)
""",
    "blocks": """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.up = nn.Linear(d, 2 * d)
        self.down = nn.Linear(2 * d, d)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


torch.manual_seed(0)
net = nn.Sequential(*(Block(4) for _ in range(6)), nn.Linear(4, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1])
for step in range(3):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
""",
}
ERRORS = {"leaf_written": "x += 1", "no_grad": "z.backward()"}  # the line that each stops at
