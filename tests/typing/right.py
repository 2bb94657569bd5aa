"""What type checkers must accept, and what they must know: `assert_type` fails where a type is another."""

from typing import Any, assert_type

import rushlight as torch
import rushlight.nn as nn
import rushlight.nn.functional as F
from rushlight import Tensor, optim
from rushlight.utils.checkpoint import checkpoint
from rushlight.utils.data import DataLoader, TensorDataset, random_split

x = torch.ones(2, 3, requires_grad=True)
assert_type(x, Tensor)
assert_type(x.sum(), Tensor)
assert_type(torch.sin(x) + 1, Tensor)
assert_type(2 * x**2 - x / 3.0, Tensor)
assert_type(x @ x.T, Tensor)
assert_type(x == 1, Tensor)
assert_type(x[0, :1], Tensor)
assert_type(x.shape, torch.Size)
assert_type(x.size(0), int)
assert_type(x.size(), torch.Size)
assert_type(x.dtype, torch.dtype)
assert_type(x.requires_grad, bool)
assert_type(x.grad, Tensor | None)
assert_type(x.numel(), int)
assert_type(torch.max(x), Tensor)
assert_type(torch.max(x, dim=1), torch.return_types.max)
assert_type(x.max(1).indices, Tensor)
assert_type(torch.sort(x).values, Tensor)
assert_type(torch.linalg.svd(x), torch.return_types.linalg_svd)
assert_type(torch.linalg.eigh(x @ x.T).eigenvalues, Tensor)
assert_type(torch.where(x > 0, x, 0.0), Tensor)
assert_type(torch.stack([x, x]), Tensor)
assert_type(torch.cat((x, x), dim=0), Tensor)
assert_type(torch.split(x, 1), tuple[Tensor, ...])
assert_type(x.unique(return_counts=True), tuple[Tensor, Tensor])
assert_type(torch.fft.fft(x), Tensor)
assert_type(torch.special.erf(x), Tensor)
assert_type(torch.einsum("ij,kj->ik", x, x), Tensor)
assert_type(x.add_(1).mul_(2), Tensor)
assert_type(torch.float32, torch.dtype)
assert_type(torch.randn(2, 3, dtype=torch.float64, device="cpu"), Tensor)
assert_type(torch.is_tensor(x), bool)
values, indices = x.sort(dim=1, descending=True)
assert_type(indices, Tensor)
x.sum().backward()
for row in x:
    assert_type(row, Tensor)

assert_type(F.softmax(x, dim=1), Tensor)
assert_type(F.cross_entropy(x, torch.tensor([0, 1])), Tensor)
assert_type(F.max_pool2d(torch.ones(1, 1, 4, 4), 2), Tensor)

linear = nn.Linear(2, 3)
assert_type(linear(torch.ones(1, 2)), Tensor)
assert_type(nn.CrossEntropyLoss()(x, torch.tensor([0, 1])), Tensor)
assert_type(linear.in_features, int)
assert_type(linear.weight, Tensor)
output, (h, c) = nn.LSTM(2, 3)(torch.ones(4, 1, 2))
assert_type(c, Tensor)


class Net(nn.Module):
    """A module of a program, whose calls are typed as its forward is."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, input: Tensor, twice: bool = False) -> tuple[Tensor, bool]:
        hidden = self.layers(input) * self.scale
        return hidden, twice


net = Net().train()
assert_type(net, Net)
assert_type(net(x), tuple[Tensor, bool])
assert_type(net(x, twice=True), tuple[Tensor, bool])
for _, parameter in net.named_parameters():
    assert_type(parameter, nn.Parameter)

optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
optimizer.zero_grad()
assert_type(optimizer.step(), None)
assert_type(optimizer.step(lambda: 1.5), float)
optim.lr_scheduler.StepLR(optimizer, step_size=2).step()
for batch in DataLoader(TensorDataset(x, x), batch_size=2):
    print(batch)

with torch.no_grad():
    assert_type(x * 2, Tensor)


@torch.no_grad()
def evaluate(model: nn.Module) -> float:
    return 0.0


assert_type(evaluate(net), float)
(gradient,) = torch.autograd.grad((x * x).sum(), [x])
assert_type(gradient, Tensor)


def cube(y: Tensor) -> Tensor:
    return y**3


torch.func.grad(cube)(torch.tensor(2.0))
torch.func.vmap(cube)(x)
state: dict[str, Any] = net.state_dict()
net.load_state_dict(state)
torch.save(state, "state.pt")
torch.manual_seed(0)

assert_type(checkpoint(cube, x, use_reentrant=False), Tensor)
assert_type(torch.amp.GradScaler("cpu").scale(x.sum()), Tensor)
assert_type(x.as_subclass(nn.Parameter), nn.Parameter)
assert_type(net.load_state_dict(state).missing_keys, list[str])
normal = torch.distributions.Normal(0.0, 1.0)
assert_type(normal.expand((2,)), torch.distributions.Normal)
assert_type(normal.sample(), Tensor)
assert_type(torch.distributions.constraints.positive.check(x), Tensor)
for _, module in nn.ModuleDict({"a": nn.ReLU()}).items():
    assert_type(module, nn.Module)

loader = DataLoader(TensorDataset(x, x), batch_size=2)
assert_type(loader, DataLoader[tuple[Tensor, ...]])
train, test = random_split(TensorDataset(x, x), [1, 1])
assert_type((train[0], test[0]), tuple[tuple[Tensor, ...], tuple[Tensor, ...]])
net = torch.compile(net)
assert_type(net(x), tuple[Tensor, bool])


@torch.compile(fullgraph=True)
def twice(y: Tensor) -> Tensor:
    return y * 2


assert_type(twice(x), Tensor)
assert_type(nn.init.kaiming_uniform(x), Tensor)
assert_type(torch.multiprocessing.cpu_count(), int)
assert_type(torch.finfo(torch.float32).eps, float)
assert_type(torch.iinfo(torch.int8).max, int)
optim.AdamW([{"params": linear.parameters(), "lr": 0.1}], lr=torch.tensor(0.1))
optim.SGD(linear.named_parameters(), lr=1)


def two(y: Tensor) -> tuple[Tensor, Tensor]:
    return y, y * 2


pair = (x, x)
assert_type(torch.autograd.functional.jacobian(cube, x), Tensor)
assert_type(torch.autograd.functional.jacobian(cube, pair), tuple[Tensor, ...])
assert_type(torch.autograd.functional.jacobian(two, x), tuple[Tensor, ...])
assert_type(torch.autograd.functional.jacobian(two, pair), tuple[tuple[Tensor, ...], ...])
assert_type(torch.autograd.functional.hessian(cube, x), Tensor)
assert_type(torch.autograd.functional.vjp(two, x), tuple[tuple[Tensor, ...], Tensor])
assert_type(torch.autograd.functional.jvp(cube, pair)[1], Tensor)
assert_type(torch.autograd.functional.hvp(cube, pair), tuple[Tensor, tuple[Tensor, ...]])
value, pull = torch.func.vjp(cube, x)
assert_type(value, Tensor)
assert_type(torch.func.jvp(cube, (x,), (x,)), tuple[Tensor, Tensor])
assert_type(torch.compiler.disable(cube)(x), Tensor)
assert_type(nn.utils.skip_init(nn.Linear, 2, 3), nn.Linear)
assert_type(net.layers[0].anything, Tensor | nn.Module)
future: torch.futures.Future[int] = torch.futures.Future()
assert_type(future.wait(), int)
assert_type(torch.jit.trace(net, x)(x), tuple[Tensor, bool])
assert_type(torch.distributions.transform_to(torch.distributions.constraints.positive)(x), Tensor)
assert_type(x.untyped_storage()[0], int)
assert_type(torch.sym_max(1, 2), int)
assert_type(loader.multiprocessing_context is None, bool)
loader.multiprocessing_context = "spawn"


@torch.compiler.disable
def plain(y: Tensor) -> Tensor:
    return y


@torch.library.register_fake("mine::op")
def fake(y: Tensor) -> Tensor:
    return torch.empty_like(y)


assert_type(plain(fake(x)), Tensor)


class Lazy:
    """An attribute that is computed when it is asked for."""

    @torch.distributions.utils.lazy_property
    def scale(self) -> Tensor:
        return x


assert_type(Lazy().scale, Tensor)


class Cube(torch.autograd.Function):
    """A program's own derivative."""

    @staticmethod
    def forward(y: Tensor) -> Tensor:
        return y**3

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        y: Tensor = ctx.saved_tensors[0]
        return 3 * y**2 * grad


Cube.apply(x)
