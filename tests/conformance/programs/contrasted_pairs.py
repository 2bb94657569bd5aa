"""Representations by contrast: pairs of two views, mined triplets by distance, prototypes, and a queue of a slow encoder."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(6)
encoder = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))
slow = copy.deepcopy(encoder).requires_grad_(False)
x = torch.randn(8, 6)
labels = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])


def seen_anew(x):
    return x + 0.2 * torch.randn_like(x)


def contrast(a, b, temperature=0.5):
    z = F.normalize(torch.cat([a, b]), dim=1)
    likeness = z @ z.t() / temperature
    likeness.fill_diagonal_(float("-inf"))
    return F.cross_entropy(likeness, torch.arange(len(z)).roll(len(a))), likeness


opt = torch.optim.SGD(encoder.parameters(), lr=0.2, momentum=0.9, nesterov=True)
for step in range(5):
    loss, likeness = contrast(encoder(seen_anew(x)), encoder(seen_anew(x)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(encoder.parameters(), slow.parameters()):
            q.mul_(0.9).add_(p, alpha=0.1)
    print(step, f"{loss:.4f}", likeness.isneginf().sum().item())
print(likeness.argmax(1), likeness.grad_fn.name())

e = encoder(x)
d = torch.cdist(e, e)
same = labels.unsqueeze(0) == labels.unsqueeze(1)
alone = torch.eye(8, dtype=torch.bool)
far = d.masked_fill(~same | alone, 0).amax(1)
near = d.masked_fill(same, float("inf")).min(1).values
mined = F.relu(far - near + 0.5)
opt.zero_grad()
mined[mined > 0].mean().backward(retain_graph=True)
print(mined, encoder[3].weight.grad[0], d.diagonal())
print(F.triplet_margin_loss(e[:3], e[3:6], e[5:8], p=1, swap=True))
cosine = nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: 1 - F.cosine_similarity(a, b), margin=0.3)
print(cosine(e[:3], e[3:6], e[5:8]), F.cosine_embedding_loss(e[:4], e[4:], torch.tensor([1, -1, 1, -1]), margin=0.2))

prototypes = torch.zeros(3, 4).index_add(0, labels, e) / labels.bincount().unsqueeze(1)
logits = -torch.cdist(e, prototypes)
print(F.log_softmax(logits, 1).exp(), F.nll_loss(F.log_softmax(logits, 1), labels))

queue = F.normalize(torch.randn(4, 10), dim=0)
keys = F.normalize(slow(seen_anew(x)), dim=1)
queries = F.normalize(e, dim=1)
both = torch.cat([torch.einsum("nc,nc->n", queries, keys).unsqueeze(-1), torch.einsum("nc,ck->nk", queries, queue.clone())], 1)
info = F.cross_entropy(both / 0.2, torch.zeros(8, dtype=torch.long))
queue[:, 4:8] = keys[:4].T
print(info, queue.norm(dim=0), queue.requires_grad)

a, b = ((v - v.mean(0)) / v.std(0, correction=0) for v in (e, encoder(seen_anew(x))))
cross = a.T @ b / 8
off = cross.flatten()[:-1].view(3, 5)[:, 1:].flatten()
decorrelated = (cross.diagonal() - 1).pow(2).sum() + 0.01 * off.pow(2).sum()
spread = F.relu(1 - (e.var(0) + 1e-4).sqrt()).mean()
scale = nn.Parameter(torch.tensor(1 / 0.07).log())
pairs = scale.exp() * queries[:4] @ queries[4:].T
matched = (F.cross_entropy(pairs, torch.arange(4)) + F.cross_entropy(pairs.t(), torch.arange(4))) / 2
opt.zero_grad()
(info + decorrelated + spread + matched).backward()
print(decorrelated, spread, f"{matched.item():.4f} {scale.grad.item():.4f}")
print(f"{nn.utils.get_total_norm([p.grad for p in encoder.parameters()]):.4f}", [p.grad for p in slow.parameters()])
print(torch.pdist(e)[:5], slow[0].weight[0])
