"""Tensors that processes share: what one writes, all see."""

from __future__ import annotations

import gc
import multiprocessing
import operator
import os
import sys

import pytest

import rushlight as torch
from rushlight import nn

# Windows has no forks, and hands on no descriptors.
METHODS = [method for method in ("fork", "spawn") if sys.platform != "win32"] or [None]


def run(method: str | None, target, *args) -> None:
    if method is None:
        target(*args)
        return
    process = multiprocessing.get_context(method).Process(target=target, args=args)
    process.start()
    process.join(300)
    assert process.exitcode == 0


@pytest.mark.parametrize("method", METHODS)
def test_what_a_process_writes_is_seen(method: str | None) -> None:
    tensor = torch.arange(6.0).view(2, 3).t().share_memory_()
    kept = torch.arange(3.0)
    for value in (tensor, tensor[1:], tensor[:, 1], kept.clone() if method is None else kept):
        run(method, operator.iadd, value, 10)
    assert tensor.tolist() == [[10.0, 23.0], [21.0, 34.0], [22.0, 35.0]] and kept.tolist() == [0.0, 1.0, 2.0]
    assert tensor.is_shared() and tensor[1:].is_shared() and not tensor.clone().is_shared() and not kept.is_shared()


def test_processes_train_one_model() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Linear(2, 1))
    weight, before = model[0].weight, {name: value.clone() for name, value in model.state_dict().items()}
    assert model.share_memory() is model and model[0].weight is weight
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())

    def train() -> None:
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.randn(4, 2)).square().mean().backward()
            optimizer.step()

    for _ in range(2):
        run(METHODS[0], train)
    assert model[1].num_batches_tracked.item() == 6
    assert all(not torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert METHODS[0] is None or all(param.grad is None for param in model.parameters())


def test_sharing_keeps_what_a_tensor_is() -> None:
    for tensor in (
        torch.empty(0),
        torch.tensor(3),
        torch.tensor([True, False]),
        torch.ones(2, dtype=torch.bfloat16),
        torch.ones(2, dtype=torch.complex64),
        torch.ones(4, 4)[::2, 1:],
        torch.ones(2, 2).t(),
    ):
        values, strides = tensor.clone(), tensor.stride()
        assert tensor.share_memory_() is tensor and tensor.is_shared()
        assert torch.equal(tensor, values) and tensor.stride() == strides and tensor.dtype is values.dtype
        assert tensor._base is None or tensor._base.is_shared()
    leaf = torch.ones(2, requires_grad=True).share_memory_()
    (leaf * 2).sum().backward()
    assert leaf.grad.tolist() == [2.0, 2.0] and leaf.is_leaf
    leaf.data.add_(1)
    assert leaf.tolist() == [2.0, 2.0]


def test_shared_memory_is_given_back() -> None:
    if not os.path.isdir("/proc/self/fd"):
        return
    gc.collect()  # or what earlier tests left would be closed meanwhile
    before = len(os.listdir("/proc/self/fd"))
    tensors = [torch.ones(1000).share_memory_() for _ in range(20)]
    assert len(os.listdir("/proc/self/fd")) >= before + 20
    del tensors
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before + 1
