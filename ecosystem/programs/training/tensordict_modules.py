"""tensordict: tensors by name, modules that read and write them, weights swapped, and kept in files."""

import tempfile

import torch
from tensordict import MemoryMappedTensor, TensorDict, tensorclass
from tensordict.nn import TensorDictModule, TensorDictSequential

torch.manual_seed(0)
rows = TensorDict({"a": torch.randn(4, 3), "inner": {"b": torch.arange(4.0)}}, batch_size=[4])
print(rows[1:3]["inner", "b"], rows.reshape(2, 2).shape, torch.stack([rows, rows * 2], 0)["inner", "b"].sum(1))
print(sorted(map(str, rows.keys(True, True))), torch.cat([rows, rows]).shape, rows.split(2)[1]["a"].sum(), rows.numel())
net = TensorDictSequential(
    TensorDictModule(torch.nn.Linear(3, 4), ["a"], ["hidden"]),
    TensorDictModule(lambda h: (h[..., :2], torch.nn.functional.softplus(h[..., 2:])), ["hidden"], ["loc", "scale"]),
)
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    out = net(rows.clone())
    loss = -torch.distributions.Normal(out["loc"], out["scale"]).log_prob(rows["a"][:, :2]).mean()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}")
weights = TensorDict.from_module(net)
with weights.apply(torch.zeros_like).to_module(net):
    print(net(rows.clone())["loc"].abs().sum())
stacked = torch.stack([weights, weights * 2]).contiguous()


def predicted(parameters, inputs):
    with parameters.to_module(net):
        return net(inputs)["loc"]


print(torch.vmap(predicted, (0, None))(stacked, rows.clone()).sum((1, 2)))


@tensorclass
class Step:
    state: torch.Tensor
    reward: torch.Tensor


steps = Step(torch.randn(5, 2), torch.arange(5.0), batch_size=[5])
print(steps[2:].reward, (steps + 1).reward.sum(), steps.to_tensordict().batch_size)
folder = tempfile.mkdtemp()
rows.memmap(folder)
print(TensorDict.load_memmap(folder)["inner", "b"], MemoryMappedTensor.from_tensor(torch.ones(2)).sum())
