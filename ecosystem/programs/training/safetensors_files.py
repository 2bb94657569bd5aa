"""safetensors: weights to a file and back, whole, one by one and in slices."""

import tempfile
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
state = {
    **model.state_dict(),
    "half": torch.ones(3).half(),
    "bfloat16": torch.ones(2, dtype=torch.bfloat16),
    "ints": torch.arange(4),
}
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.safetensors"
    save_file(state, path, metadata={"made": "here"})
    for name, tensor in sorted(load_file(path).items()):
        print(name, tensor.dtype, tensor.float().tolist())
    with safe_open(path, framework="pt", device="cpu") as file:
        print(sorted(file.keys()), file.metadata())
        print("slice", file.get_slice("0.weight")[:, 1:].tolist(), file.get_tensor("ints").tolist())
    save_model(model, path)
    other = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    print("loaded", load_model(other, path), all(torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters())))
    print("bytes", load(save({"a": torch.ones(2)}))["a"].tolist())
    for bad in ({"a": model[0].weight, "b": model[0].weight}, {"a": torch.ones(2, 3).t()}):
        try:
            save_file(bad, path)
        except (RuntimeError, ValueError) as error:
            print(type(error).__name__, len(str(error)) > 50)
