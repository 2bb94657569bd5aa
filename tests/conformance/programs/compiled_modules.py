"""What torch.compile makes of a module: a module around it, whose attributes are the inner one's."""

import copy

import torch
from torch._dynamo import OptimizedModule


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        self.scale = 4

    def forward(self, x):
        return self.layer(x) * self.scale

    def doubled(self):
        return 2 * self.scale

    def __len__(self):
        return 7


torch.manual_seed(0)
net = Net()
compiled = torch.compile(net, backend="eager")
print(compiled, type(compiled), isinstance(compiled, OptimizedModule), isinstance(compiled, Net))
print(list(compiled.state_dict()), [name for name, _ in compiled.named_modules()], compiled._orig_mod is net)
print(
    len(compiled), compiled.doubled(), compiled.training, compiled.eval() is compiled, net.training, compiled.train().training
)
compiled.scale = 5
compiled.extra = torch.nn.Parameter(torch.ones(1))
print(net.scale, compiled.doubled(), "scale" in vars(compiled), [name for name, _ in compiled.named_parameters()])
del compiled.extra
for name in ("extra", "nothing"):
    try:
        getattr(compiled, name)
    except AttributeError as error:
        print(error)
print("layer" in dir(compiled), compiled.layer, compiled.get_submodule("_orig_mod") is net, bool(compiled))
try:
    net.load_state_dict(compiled.state_dict())
except RuntimeError as error:
    print(error)
net.load_state_dict({name.removeprefix("_orig_mod."): value for name, value in compiled.state_dict().items()})
print(compiled.load_state_dict(compiled.state_dict()))

optimizer = torch.optim.SGD(compiled.parameters(), lr=0.1)
compiled.register_forward_hook(lambda module, args, out: print("outside", type(module).__name__))
net.register_forward_hook(lambda module, args, out: print("inside", type(module).__name__))
loss = (net(torch.ones(3, 2)) ** 2).mean()
loss.backward()
optimizer.step()
print(loss, net.layer.weight)
copied = copy.deepcopy(compiled)
print(type(copied), copied._orig_mod is net, torch.equal(copied.layer.weight, net.layer.weight))
print(torch.nn.Sequential(compiled, torch.compile(torch.nn.ReLU(), backend="eager")))
compiled.apply(lambda module: print(type(module).__name__))
compiled.forward = lambda x: "another way"
print(compiled(torch.ones(2)), compiled.to(torch.float64) is compiled, net.layer.weight.dtype)
try:
    compiled[0]
except TypeError as error:
    print(error)
net.compile(backend="eager")
print(net)


@torch.compile(backend="eager")
def double(x):
    """Twice as much."""
    return 2 * x


print(double.__name__, double.__doc__)
