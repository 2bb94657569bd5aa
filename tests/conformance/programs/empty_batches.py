"""Batches of nothing: losses, layers and reductions of them."""

import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
F = torch.nn.functional


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))


for red in ("mean", "sum", "none"):
    show(lambda: F.cross_entropy(torch.zeros(0, 3), torch.zeros(0).long(), reduction=red))
    show(lambda: F.nll_loss(torch.zeros(0, 3, requires_grad=True), torch.zeros(0).long(), reduction=red))
    show(lambda: F.cross_entropy(torch.zeros(0, 3, 4), torch.zeros(0, 4).long(), reduction=red))
    show(lambda: F.l1_loss(torch.zeros(0), torch.zeros(0), reduction=red))
    show(lambda: F.cross_entropy(torch.zeros(0, 3), torch.zeros(0, 3), reduction=red))
    show(lambda: F.cross_entropy(torch.zeros(0, 3), torch.zeros(0).long(), label_smoothing=0.1, reduction=red))
    show(lambda: F.cross_entropy(torch.zeros(0, 3), torch.zeros(0).long(), weight=torch.ones(3), reduction=red))
    show(lambda: F.mse_loss(torch.zeros(0), torch.zeros(0), reduction=red))
    show(lambda: F.binary_cross_entropy(torch.zeros(0), torch.zeros(0), reduction=red))
    show(lambda: F.kl_div(torch.zeros(0, 3), torch.zeros(0, 3), reduction=red))
x = torch.zeros(0, 3, requires_grad=True)
loss = F.cross_entropy(x, torch.zeros(0).long())
loss.backward()
print(x.grad)
x = torch.zeros(0, 3, requires_grad=True)
loss = F.cross_entropy(x, torch.zeros(0).long(), reduction="sum")
loss.backward()
print(x.grad)
show(lambda: nn.TransformerEncoderLayer(4, 2, batch_first=True)(torch.zeros(0, 2, 4)).shape)
show(lambda: nn.TransformerEncoderLayer(4, 2)(torch.zeros(2, 0, 4)).shape)
show(lambda: nn.MultiheadAttention(4, 2)(torch.zeros(2, 0, 4), torch.zeros(2, 0, 4), torch.zeros(2, 0, 4))[0].shape)
show(lambda: nn.LSTM(4, 3)(torch.zeros(2, 0, 4))[0].shape)
show(lambda: nn.GRU(4, 3)(torch.zeros(2, 0, 4))[0].shape)
show(lambda: nn.Conv2d(1, 2, 3)(torch.zeros(0, 1, 5, 5)).shape)
show(lambda: nn.Linear(3, 2)(torch.zeros(0, 3)).shape)
show(lambda: nn.LayerNorm(3)(torch.zeros(0, 3)).shape)
show(lambda: nn.Embedding(3, 2)(torch.zeros(0).long()).shape)
show(lambda: nn.MaxPool2d(2)(torch.zeros(0, 1, 4, 4)).shape)
show(lambda: F.softmax(torch.zeros(0, 3), 1).shape)
show(lambda: torch.cdist(torch.zeros(0, 3), torch.zeros(2, 3)).shape)
show(lambda: torch.zeros(0, 3).gather(1, torch.zeros(0, 1).long()))
show(lambda: torch.zeros(0, 3).topk(2))
show(lambda: torch.zeros(0, 3).sort(1))
show(lambda: torch.zeros(0, 3).argmax(1))
show(lambda: torch.zeros(0, 3).max(1))
show(lambda: torch.zeros(0, 3).mean())
show(lambda: torch.zeros(0, 3).std())
show(lambda: torch.zeros(0, 3).var(0))
show(lambda: F.one_hot(torch.zeros(0).long(), 3))
show(lambda: F.normalize(torch.zeros(0, 3)).shape)
show(lambda: F.cosine_similarity(torch.zeros(0, 3), torch.zeros(0, 3)).shape)
show(lambda: F.embedding_bag(torch.zeros(0).long(), torch.ones(3, 2), torch.zeros(0).long()).shape)
show(lambda: torch.zeros(0, 3).cumsum(1).shape)
show(lambda: torch.einsum("ij,kj->ik", torch.zeros(0, 3), torch.ones(2, 3)).shape)
show(lambda: torch.zeros(0, 3).median(1))
show(lambda: torch.zeros(0, 3).kthvalue(2, 1))
show(lambda: torch.zeros(0, 3).mode(1))
