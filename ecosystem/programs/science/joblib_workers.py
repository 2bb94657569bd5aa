"""joblib's workers, processes of loky's and threads, get tensors and models and give tensors back; a cache keeps results."""

import tempfile

import torch
from joblib import Memory, Parallel, delayed, dump, load


def fitted(seed, x, y):
    torch.manual_seed(seed)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(30):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return seed, loss.item(), model


def gradient(x):
    leaf = x.clone().requires_grad_()
    leaf.pow(3).sum().backward()
    return leaf.grad


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(40, 3)
    y = x @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.1
    for seed, loss, model in Parallel(n_jobs=2)(delayed(fitted)(seed, x, y) for seed in range(3)):
        print(seed, round(loss, 5), [round(v, 4) for v in model.weight.flatten().tolist()], type(model).__name__)
    for how in ("loky", "threading", "multiprocessing"):
        found = Parallel(n_jobs=2, backend=how)(delayed(gradient)(torch.arange(3.0) + i) for i in range(3))
        print(how, torch.stack(found).tolist())
    with tempfile.TemporaryDirectory() as folder:
        remembered = Memory(folder, verbose=0).cache(gradient)
        print(torch.equal(remembered(x), remembered(x)), remembered.check_call_in_cache(x))
        dump({"x": x, "model": model.state_dict()}, f"{folder}/kept.joblib")
        kept = load(f"{folder}/kept.joblib")
        print(torch.equal(kept["x"], x), sorted(kept["model"]), float(kept["x"].sum()))
