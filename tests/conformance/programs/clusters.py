"""Unsupervised on tensors: k-means, t-SNE by autograd, principal components, contrastive pairs, an SVM, spectral clustering, PageRank."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
centres = torch.tensor([[2.0, 0, 0, 1], [-2, 1, 0, 0], [0, -2, 2, 0]])
labels = torch.arange(3).repeat_interleave(10)
points = centres[labels] + 0.3 * torch.randn(30, 4)
order = torch.randperm(30)
points, labels = points[order], labels[order]

means = points[torch.randperm(30)[:3]]
for step in range(10):
    nearest = torch.cdist(points, means).argmin(1)
    after = torch.stack([points[nearest == i].mean(0) for i in range(3)])
    if torch.allclose(after, means):
        break
    means = after
table = torch.zeros(3, 3, dtype=torch.int64).index_put_((nearest, labels), torch.ones(30, dtype=torch.int64), accumulate=True)
print(step, table, means, sep="\n")

centred = points - points.mean(0)
u, s, vh = torch.linalg.svd(centred, full_matrices=False)
print(s, (s**2 / (s**2).sum()).cumsum(0), vh.abs().argmax(1))
lu, ls, lv = torch.pca_lowrank(points, q=3, niter=4)
print(torch.allclose(ls, s[:3], rtol=1e-4), torch.cov(points.T).diagonal(), torch.corrcoef(points.T)[0, 1])

squared = torch.cdist(points, points).square()
p = F.softmax(-squared.masked_fill(torch.eye(30, dtype=torch.bool), torch.inf), 1)
p = (p + p.T) / 60
z = (1e-2 * torch.randn(30, 2)).requires_grad_()
optimizer = torch.optim.SGD([z], lr=5.0, momentum=0.8)
for step in range(30):
    q = (1 + torch.cdist(z, z).square()).reciprocal().tril(-1)
    q = (q + q.T) / (2 * q.sum())
    loss = F.kl_div(q.clamp(min=1e-12).log(), p.clamp(min=1e-12), reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, f"{loss.item():.3f}")

net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
optimizer = torch.optim.Rprop(net.parameters(), lr=1e-2)
for step in range(6):
    a, b = (F.normalize(net(points + 0.1 * torch.randn_like(points)), dim=1) for _ in range(2))
    both = torch.cat([a, b])
    similar = (both @ both.T / 0.5).fill_diagonal_(-torch.inf)
    loss = F.cross_entropy(similar, torch.arange(60).roll(30))
    triplet = F.triplet_margin_loss(a, b, a.roll(1, 0), swap=True)
    optimizer.zero_grad()
    (loss + 0.1 * triplet).backward()
    optimizer.step()
    print(f"{loss.item():.4f} {triplet.item():.4f}")

w = torch.zeros(4, requires_grad=True)
sign = torch.where(labels == 0, 1.0, -1.0)
for step in range(20):
    loss = F.relu(1 - sign * (points @ w)).mean() + 0.01 * w.square().sum()
    (grad,) = torch.autograd.grad(loss, w)
    w.data.sub_(grad, alpha=0.5 / (1 + step))
print(f"{loss.item():.4f}", ((points @ w).sign() == sign).sum().item())

weights = torch.exp(-squared / 2)
degree = weights.sum(1)
laplacian = torch.eye(30) - weights / (degree[:, None] * degree).sqrt()
values, vectors = torch.linalg.eigh(laplacian)
print((values[:4] * 100).round().abs().tolist(), torch.unique((vectors[:, 1] > 0) ^ (vectors[0, 1] > 0)).numel())
links = (torch.rand(6, 6) < 0.4).float().fill_diagonal_(0)
links[links.sum(1) == 0] = 1
rank = torch.full((6,), 1 / 6)
for _ in range(50):
    rank = 0.15 / 6 + 0.85 * (links / links.sum(1, keepdim=True)).T @ rank
print(rank, rank.sum(), torch.linalg.matrix_power(links, 3).trace())
print(
    torch.triu_indices(3, 3, 1), torch.combinations(torch.arange(4), 2).shape, torch.bucketize(rank, torch.tensor([0.1, 0.2]))
)
