"""Skip-grams: embeddings with sparse gradients, negative samples, SparseAdam beside Adagrad, bags of words, tied and frozen rows."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
text = "the cat sat on the mat and the dog sat on the log while a cat and a dog ran".split()
words = sorted(set(text))
ids = torch.tensor([words.index(word) for word in text])
pairs = [(ids[i], ids[j]) for i in range(len(ids)) for j in range(max(0, i - 2), min(len(ids), i + 3)) if i != j]
centre, context = (torch.stack(column) for column in zip(*pairs))
frequency = torch.bincount(ids, minlength=len(words)).float() ** 0.75


def loss_of(inside, outside, centre, context, negative):
    v, u, n = inside(centre), outside(context), outside(negative)
    return -(F.logsigmoid((v * u).sum(-1)) + F.logsigmoid(-torch.einsum("bd,bkd->bk", v, n)).sum(-1)).mean()


for make in (
    lambda p: torch.optim.SparseAdam(p, lr=0.05),
    lambda p: torch.optim.SGD(p, lr=0.5),
    lambda p: torch.optim.Adagrad(p, lr=0.2),
):
    torch.manual_seed(1)
    inside, outside = (nn.Embedding(len(words), 4, sparse=True) for _ in range(2))
    optimizer = make([*inside.parameters(), *outside.parameters()])
    for epoch in range(3):
        for places in torch.randperm(len(centre)).split(16):
            negative = torch.multinomial(frequency, len(places) * 3, replacement=True).view(-1, 3)
            loss = loss_of(inside, outside, centre[places], context[places], negative)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(
        type(optimizer).__name__, f"{loss.item():.5f}", inside.weight.grad.layout, inside.weight.grad.coalesce().indices().shape
    )
near = F.cosine_similarity(inside.weight[:, None], inside.weight[None], dim=-1)
print(words[near[words.index("cat")].argsort(descending=True)[1]], near.shape)
bag = nn.EmbeddingBag(len(words), 3, mode="sum", sparse=True, include_last_offset=True)
out = bag(ids[:7], torch.tensor([0, 3, 3, 7]), per_sample_weights=torch.arange(7.0))
out.sum().backward()
print(out, bag.weight.grad, sep="\n")
frozen = nn.Embedding.from_pretrained(torch.eye(4), freeze=True, padding_idx=0, max_norm=0.5)
print(frozen(torch.tensor([[0, 3]])), frozen.weight.requires_grad)
tied = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5, bias=False))
tied[1].weight = tied[0].weight
F.cross_entropy(tied(torch.tensor([1, 2])), torch.tensor([2, 3])).backward()
print(len(list(tied.parameters())), tied[0].weight.grad, [name for name, _ in tied.named_parameters(remove_duplicate=False)])
scaled = nn.Embedding(6, 2, scale_grad_by_freq=True, _weight=torch.ones(6, 2))
scaled(torch.tensor([1, 1, 1, 4])).sum().backward()
print(scaled.weight.grad.T)
