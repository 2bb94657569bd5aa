"""copy, deepcopy and pickle: what is shared, what is not, what cannot be."""

import copy
import io
import pickle

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
y = copy.deepcopy(x)
print(y, y.grad, y.is_leaf, y.data_ptr() != x.data_ptr(), y.grad is not x.grad)
with torch.no_grad():
    y[0] = 100
print(x, y)
s = copy.copy(x)
print(s is x, s.data_ptr() == x.data_ptr(), s.requires_grad)
model = {"w": x, "b": torch.zeros(2), "tied": x}
twin = copy.deepcopy(model)
print(twin["w"] is twin["tied"], twin["w"] is not x, twin)
base = torch.arange(6.0)
pair = [base, base[2:4]]
other = copy.deepcopy(pair)
other[0][2] = -1
print(other[1], base[2], copy.deepcopy(base.view(2, 3).t()).stride())
try:
    copy.deepcopy(x * 2)
except RuntimeError as error:
    print(type(error).__name__, str(error))

for t in (
    torch.tensor([1.5, -2.0]),
    torch.arange(6).reshape(2, 3),
    torch.tensor(True),
    torch.tensor([1 + 2j]),
    torch.zeros(0, 3, dtype=torch.float16),
    torch.arange(6.0).reshape(2, 3).t(),
    torch.tensor([1, 2], dtype=torch.uint8),
    x,
):
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        back = pickle.loads(pickle.dumps(t, protocol))
        print(back, back.dtype, tuple(back.shape), back.requires_grad, back.stride(), torch.equal(back, t))
for thing in (torch.float32, torch.int64, torch.Size([1, 2]), torch.device("cpu"), torch.strided):
    back = pickle.loads(pickle.dumps(thing))
    print(back, back == thing, type(back).__name__)
buffer = io.BytesIO()
pickle.dump({"step": 3, "w": x}, buffer)
buffer.seek(0)
state = pickle.load(buffer)
print(state["step"], state["w"], state["w"].grad)
first, second = pickle.loads(pickle.dumps((base, base)))
print(first is second)
c = base.clone()
c[0] = 9
print(base[0], base.clone().detach().requires_grad_().is_leaf, torch.empty_like(base).copy_(base))
print(hash(x) == hash(x), {x: "found"}[x], x in {x}, len({x, x, y}))
