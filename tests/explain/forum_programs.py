"""Programs as they are asked about in forums: whose `.grad` is None, 0, not finite or too much.

Behind the line that is the reason stands `#:` with a name and the code of the reason; on a line of its own where there is none.
"""

FORUM = {
    "detach in the middle": """\
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = net[0](x)
h = torch.relu(h).detach()  #: x cut_off, net[0].weight cut_off, h detached
out = net[2](h)
out.sum().backward()
#: net[2].weight accumulated
""",
    "item loss sum": """\
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
total = 0
for i in range(3):
    loss = net(torch.ones(3) * i).sum()
    total += loss.item()  #: net[0].weight cut_off
total = torch.tensor(total, requires_grad=True)
total.backward()
#: total accumulated
""",
    "numpy round trip": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
import numpy as np
y = np.sin(x.detach().numpy())  #: x cut_off
y = torch.tensor(y, requires_grad=True)
loss = y.sum()
loss.backward()
#: y accumulated
""",
    "requires too late": """\
x = torch.tensor([1.0, 2.0])
y = x ** 2
x.requires_grad = True
z = (y * x).sum()
z.backward()
v = torch.tensor([1.0, 2.0])
u = v * y
v.requires_grad_(True)  #: v asked_late
(u * x).sum().backward()
#: x accumulated_again
""",
    "zero_grad between": """\
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.ones(3)).sum()
loss.backward()
opt.zero_grad()  #: net[0].weight reset
opt.step()
""",
    "hook that returns": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
def clip(g):  #: x accumulated_zero
    return torch.zeros_like(g)
y = x * 2
y.register_hook(clip)
y.sum().backward()
""",
    "frozen then unfrozen late": """\
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
for p in net[0].parameters():
    p.requires_grad = False
loss = net(torch.ones(3)).sum()
for p in net[0].parameters():
    p.requires_grad = True  #: net[0].weight asked_late
loss.backward()
""",
    "inference mode": """\
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
with torch.inference_mode():
    feats = net[0](torch.ones(3))  #: net[0].weight cut_off, feats inference_mode
w = torch.ones(4, requires_grad=True)
loss = (feats.clone() * w).sum()
loss.backward()
""",
    "argmax": """\
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
w = torch.ones(1, requires_grad=True)
logits = net[0](torch.ones(3))
pred = logits.argmax()  #: net[0].weight cut_off, pred not_differentiable
loss = (pred.float() - 1.0) ** 2 * w
loss.backward()
""",
    "where with nan": """\
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = torch.where(x > 0, torch.log(x), torch.zeros(2))  #: x accumulated_infinite
y.sum().backward()
""",
    "sqrt of zero": """\
x = torch.tensor([0.0, 1.0], requires_grad=True)
n = torch.sqrt((x * 0).pow(2).sum())  #: x accumulated_infinite
n.backward()
""",
    "clone order": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
a = x.clone().detach()  #: a detached
b = x.detach().clone().requires_grad_()
c = x.clone()  #: c not_leaf
(b * 2 + c).sum().backward()
#: b accumulated, x accumulated
""",
    "DataLoader": """\
from torch.utils.data import DataLoader, TensorDataset
w = torch.ones(3, requires_grad=True)
X = torch.ones(4, 3, requires_grad=True)
for (xb,) in DataLoader(TensorDataset(X), batch_size=2):  #: xb not_leaf
    loss = (xb * w).sum()  #: loss not_leaf
    loss.backward()
#: X accumulated_again
""",
    "multiple losses": """\
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
x = torch.ones(3)
loss1 = net(x).sum()
loss2 = (net(x) ** 2).sum()  #: loss2 not_leaf_unused
loss1.backward()
#: net[0].weight accumulated
""",
    "if on value": """\
x = torch.tensor([1.0, -2.0], requires_grad=True)
w = torch.ones(2, requires_grad=True)
if x.sum() > 0:  #: x decided
    loss = (w * 2).sum()
else:
    loss = (w * 3).sum()
loss.backward()
""",
    "w.data step": """\
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(2):
    loss = (w ** 2).sum()
    loss.backward()
    w.data -= 0.1 * w.grad
    w.grad.zero_()  #: w assigned
""",
    "parameter of module assigned": """\
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(3, requires_grad=True)
        self.p = torch.nn.Parameter(torch.ones(3))
    def forward(self, x):
        return (x * self.w.detach() * self.p).sum()  #: net.w cut_off
net = Net()
net(torch.ones(3)).backward()
#: net.p accumulated
""",
    "Parameter of a Parameter": """\
a = torch.nn.Parameter(torch.ones(2))
b = torch.nn.Parameter(a * 2)  #: a cut_off
(b ** 2).sum().backward()
#: b accumulated
""",
    "stack of items": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
ys = []
for i in range(3):
    ys.append((x[i] ** 2).item())  #: x cut_off
loss = torch.tensor(ys, requires_grad=True).sum()
loss.backward()
""",
    "detached target right": """\
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
loss = torch.nn.functional.mse_loss(a * 2, (b * 3).detach())  #: b cut_off
loss.backward()
#: a accumulated
""",
    "accuracy as loss": """\
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
x, y = torch.eye(3), torch.tensor([[0.0], [1.0], [1.0]])
out = net(x)
acc = ((out > 0).float() == y).float().mean()  #: net[0].weight cut_off
acc.requires_grad_()
acc.backward()
#: acc accumulated
""",
    "gan: generator frozen by detach": """\
G = torch.nn.Linear(2, 2)
D = torch.nn.Linear(2, 1)
fake = G(torch.ones(2))  #: fake not_leaf_unused
d_loss = D(fake.detach()).sum()  #: G.weight cut_off
d_loss.backward()
#: D.weight accumulated
""",
    "as_tensor of list of parameters": """\
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
v = torch.tensor([a, b], requires_grad=True)  #: a cut_off, b cut_off
(v ** 2).sum().backward()
""",
    "math.sin": """\
import math
x = torch.tensor(1.0, requires_grad=True)
w = torch.tensor(1.0, requires_grad=True)
y = w * math.sin(x)  #: x cut_off
y.backward()
""",
    "int index by float": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
k = int(x.sum())  #: x cut_off
table = torch.ones(10, requires_grad=True)
table[k].backward()
""",
    "while on value": """\
x = torch.tensor(10.0, requires_grad=True)
y = torch.tensor(1.0, requires_grad=True)
n = 0
while x > 2 * n:  #: x decided
    n += 1
(y * n).backward()
""",
    "range of value": """\
n = torch.tensor(3.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(1.0)
for i in range(int(n)):  #: n decided
    y = y * w
y.backward()
""",
    "ternary": """\
x = torch.tensor(-1.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
y = w * 2 if x > 0 else w * 3  #: x decided
y.backward()
""",
    "max builtin": """\
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
m = max(a, b)  #: a decided
m.backward()
#: m accumulated
""",
    "lr schedule float": """\
w = torch.tensor(1.0, requires_grad=True)
lr = torch.tensor(0.1, requires_grad=True)
loss = (w - 3) ** 2
loss.backward()
with torch.no_grad():
    w -= lr * w.grad  #: lr cut_off
w.grad = None
loss = (w - 3) ** 2
loss.backward()
#: w accumulated
""",
    "maml without create_graph": """\
w = torch.tensor(1.0, requires_grad=True)
lr = torch.tensor(0.1, requires_grad=True)
(g,) = torch.autograd.grad((w - 3) ** 2, w)  #: g no_requires_grad
fast = w - lr * g  #: fast not_leaf
loss = (fast - 3) ** 2
loss.backward()
#: w accumulated
""",
    "lstm hidden detached": """\
torch.manual_seed(0)
cell = torch.nn.RNNCell(1, 2)
h0 = torch.zeros(1, 2, requires_grad=True)
h = h0
for t in range(3):
    h = cell(torch.ones(1, 1), h)
    h = h.detach()  #: h0 cut_off, cell.weight_ih cut_off
w = torch.ones(2, requires_grad=True)
(h * w).sum().backward()
""",
    "scatter index": """\
idx = torch.tensor([0.0, 1.0], requires_grad=True)
src = torch.ones(2, requires_grad=True)
out = torch.zeros(2).index_add(0, idx.long(), src)  #: idx cut_off
out.sum().backward()
#: src accumulated
""",
    "a function's number": """\
def half(pred):
    return torch.tensor(pred.mean().item() / 2, requires_grad=True)  #: x cut_off
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
loss = half(x * 2)
loss.backward()
""",
    "printed alone": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)  #: x not_reached
w = torch.ones(3, requires_grad=True)
if x.sum() > 0:
    print('positive')
print(x.max().item())
w.sum().backward()
""",
    "a step after the only pass": """\
w = torch.tensor(1.0, requires_grad=True)
lr = torch.tensor(0.1, requires_grad=True)  #: lr not_reached
loss = (w - 3) ** 2
loss.backward()
with torch.no_grad():
    w -= lr * w.grad
""",
    "bound anew between": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)  #: x not_reached
w = torch.ones(3, requires_grad=True)
k = x.sum().item()
print(k)
k = 2.0
(w * k).sum().backward()
""",
    "an assertion": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)  #: x not_reached
w = torch.ones(3, requires_grad=True)
assert x.sum() > 0
(w * 2).sum().backward()
""",
    "an array of a Parameter": """\
import numpy as np
w = torch.nn.Parameter(torch.ones(2))
v = torch.ones(2, requires_grad=True)
scale = np.linalg.norm(w.detach())  #: w cut_off
(v * float(scale)).sum().backward()
""",
    "item in a list comprehension": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = torch.ones(3, requires_grad=True)
ks = [k.item() for k in x]  #: x cut_off
(w * torch.tensor(ks)).sum().backward()
""",
    "best so far": """\
net = torch.nn.Linear(1, 1)
best = 1e9
for step in range(2):
    net.zero_grad()
    loss = net(torch.ones(1)).sum()
    loss.backward()
    best = min(best, loss.item())
#: net.weight accumulated
""",
    "early stopping": """\
net = torch.nn.Linear(1, 1)
val = torch.nn.Linear(1, 1)  #: val.weight not_reached
for step in range(3):
    loss = net(torch.ones(1)).sum()
    loss.backward()
    if val(torch.ones(1)).item() > 1e9:
        break
""",
    "a global in a function": """\
scale = torch.tensor(2.0, requires_grad=True)
w = torch.ones(2, requires_grad=True)
def loss_of(w):
    return (w * scale.item()).sum()  #: scale cut_off
loss_of(w).backward()
""",
    "dying relu": """\
torch.manual_seed(0)
layer = torch.nn.Linear(2, 3)
layer.bias.data.fill_(-100.0)
out = torch.relu(layer(torch.ones(2)))  #: layer.weight accumulated_zero
out.sum().backward()
""",
    "norm of zero": """\
x = torch.zeros(2, requires_grad=True)
d = (x - 0.0).norm()
(1 / d).backward()  #: x accumulated_infinite
""",
    "straight through": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.round()  #: y not_leaf_unused
z = x + (y - x).detach()
z.sum().backward()
#: x accumulated
""",
    "mask by comparison": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
t = torch.tensor(1.5, requires_grad=True)
mask = (x > t).float()  #: t cut_off
(x * mask).sum().backward()
#: x accumulated
""",
    "loop over epochs without zero": """\
w = torch.tensor(1.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for epoch in range(3):
    loss = w ** 2
    loss.backward()
    opt.step()
#: w accumulated_again
""",
    "data of a parameter copied": """\
a = torch.nn.Linear(2, 1)
b = torch.nn.Linear(2, 1)
b.weight.data = a.weight.data.clone()  #: a.weight cut_off
b(torch.ones(2)).sum().backward()
""",
    "numpy optimizer": """\
import numpy as np
w = torch.tensor([1.0], requires_grad=True)
a = w.detach().numpy() - 0.1
w = torch.tensor(a, requires_grad=True)
(w ** 2).sum().backward()
#: w accumulated
""",
    "sorted by values": """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
order = sorted(range(3), key=lambda i: x[i].item())  #: x cut_off
w = torch.ones(3, requires_grad=True)
w[order[0]].backward()
""",
}
