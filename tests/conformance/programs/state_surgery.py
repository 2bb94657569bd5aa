"""State dictionaries taken apart: renamed keys, missing and unexpected ones, other sizes, hooks, buffers, optimizers, files, freezing."""

import io
from collections import OrderedDict

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    _version = 2

    def __init__(self, classes=3):
        super().__init__()
        self.body = nn.Sequential(OrderedDict(first=nn.Linear(4, 6), norm=nn.BatchNorm1d(6), act=nn.ReLU()))
        self.head = nn.Linear(6, classes)
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("cache", torch.ones(2), persistent=False)

    def forward(self, x):
        return self.head(self.body(x - self.mean))

    def _load_from_state_dict(self, state, prefix, metadata, strict, missing, unexpected, errors):
        if metadata.get("version", 1) < 2 and prefix + "shift" in state:
            state[prefix + "mean"] = -state.pop(prefix + "shift")
        super()._load_from_state_dict(state, prefix, metadata, strict, missing, unexpected, errors)

    def get_extra_state(self):
        return {"classes": self.head.out_features}

    def set_extra_state(self, state):
        print("extra", state)


model = Net()
state = model.state_dict()
print({key: tuple(value.shape) if torch.is_tensor(value) else value for key, value in state.items()})
print(state._metadata[""], state._metadata["body.norm"])
old = OrderedDict((f"module.{key}", value) for key, value in state.items() if key != "mean")
old["module.shift"] = torch.full((4,), 2.0)
nn.modules.utils.consume_prefix_in_state_dict_if_present(old, "module.")
print(model.load_state_dict(old), model.mean)
print(Net(5).load_state_dict({key: value for key, value in state.items() if "head" not in key}, strict=False))
for wrong in ({**state, "head.weight": torch.zeros(3, 5), "other": torch.zeros(1)}, {"head.bias": 3}):
    try:
        model.load_state_dict(wrong)
    except RuntimeError as error:
        print(error)
bigger = Net(5)
with torch.no_grad():
    bigger.head.weight[:3].copy_(state["head.weight"])
    bigger.head.bias[:3].copy_(state["head.bias"]).add_(1)
print(torch.equal(bigger.head.weight[:3], model.head.weight), bigger.head.bias.requires_grad)
for name, p in bigger.named_parameters():
    p.requires_grad_(name.startswith("head"))
bigger.body.eval()
optimizer = torch.optim.Adam((p for p in bigger.parameters() if p.requires_grad), lr=0.1)
bigger(torch.ones(2, 4)).sum().backward()
optimizer.step()
optimizer.add_param_group({"params": bigger.body.first.parameters(), "lr": 0.01})
saved = optimizer.state_dict()
print([{key: value for key, value in group.items() if key in ("lr", "params", "betas")} for group in saved["param_groups"]])
print({key: {name: tuple(v.shape) for name, v in value.items()} for key, value in saved["state"].items()})
file = io.BytesIO()
torch.save({"model": bigger.state_dict(), "optimizer": saved, "epoch": 3, "rng": torch.get_rng_state()}, file)
file.seek(0)
loaded = torch.load(file, weights_only=True, map_location="cpu")
again = Net(5)
again.load_state_dict(loaded["model"], assign=True)
other = torch.optim.Adam([{"params": again.head.parameters()}, {"params": again.body.first.parameters()}])
other.load_state_dict(loaded["optimizer"])
print(other.param_groups[1]["lr"], other.state[again.head.bias]["step"], torch.equal(loaded["rng"], torch.get_rng_state()))
print(all(torch.equal(a, b) for a, b in zip(again.state_dict().values(), bigger.state_dict().values()) if torch.is_tensor(a)))
handle = again.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
print(again.load_state_dict({}, strict=True))
handle.remove()
again.register_state_dict_post_hook(lambda module, state, prefix, meta: state.__delitem__(prefix + "mean"))
print(
    "mean" in again.state_dict(),
    list(again.state_dict(prefix="x."))[:2],
    again.state_dict(keep_vars=True)["head.bias"].requires_grad,
)
average = OrderedDict((key, sum(one[key] for one in (model.state_dict(), state)) / 2) for key in ("head.weight", "head.bias"))
print(torch.equal(average["head.bias"], model.head.bias))
print(nn.utils.parameters_to_vector(model.head.parameters()).shape, torch.nn.utils.skip_init(nn.Linear, 2, 2).weight.shape)
del model.body.norm
model.body.add_module("again", nn.Identity())
model.body.first = nn.utils.parametrizations.weight_norm(model.body.first)
print(model, list(model.state_dict())[:4], sep="\n")
