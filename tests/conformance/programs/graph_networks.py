"""Graph networks by scatter: convolution over edges, attention over neighbours, pooling of graphs, a sparse adjacency."""

import torch
import torch.nn.functional as F
from torch import nn


def softmax_by(scores, index, count):
    largest = torch.full((count,), float("-inf")).scatter_reduce(0, index, scores, "amax")
    weights = (scores - largest[index]).exp()
    return weights / torch.zeros(count).index_add(0, index, weights)[index]


class Convolution(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.linear = nn.Linear(inner, outer, bias=False)
        self.bias = nn.Parameter(torch.zeros(outer))

    def forward(self, x, edges):
        source, target = edges
        degree = torch.bincount(target, minlength=len(x)).clamp(min=1).float()
        weight = degree[source].rsqrt() * degree[target].rsqrt()
        messages = self.linear(x)[source] * weight[:, None]
        return torch.zeros(len(x), messages.shape[1]).scatter_add(0, target[:, None].expand_as(messages), messages) + self.bias


class Attention(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.linear, self.score = nn.Linear(inner, outer), nn.Parameter(torch.empty(2 * outer))
        nn.init.normal_(self.score, std=0.2)

    def forward(self, x, edges):
        x, (source, target) = self.linear(x), edges
        scores = F.leaky_relu(torch.cat([x[source], x[target]], -1) @ self.score, 0.2)
        weights = softmax_by(scores, target, len(x))
        return torch.zeros_like(x).index_add_(0, target, x[source] * weights[:, None])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.head = Convolution(5, 12), Attention(12, 8), nn.Linear(24, 2)

    def forward(self, x, edges, graph, count):
        x = F.elu(self.first(x, edges))
        x = F.elu(self.second(x, edges))
        index = graph[:, None].expand_as(x)
        empty = torch.zeros(count, x.shape[1])
        pooled = [empty.scatter_reduce(0, index, x, how, include_self=False) for how in ("sum", "mean", "amax")]
        return self.head(torch.cat(pooled, 1))


def ring(size, chords):
    around = torch.arange(size)
    edges = torch.stack([around, (around + 1) % size])
    if chords:
        edges = torch.cat([edges, torch.stack([around, (around + 2) % size])], 1)
    return torch.cat([edges, edges.flip(0), torch.stack([around, around])], 1)


torch.manual_seed(0)
graphs = [(ring(size, chords), size, int(chords)) for size in (4, 5, 6, 7) for chords in (False, True)]
starts = torch.tensor([size for _, size, _ in graphs]).cumsum(0).roll(1)
starts[0] = 0
edges = torch.cat([edge + start for (edge, _, _), start in zip(graphs, starts)], 1)
graph = torch.repeat_interleave(torch.arange(len(graphs)), torch.tensor([size for _, size, _ in graphs]))
labels = torch.tensor([label for *_, label in graphs])
x = torch.randn(len(graph), 5)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, factor=0.5)
for epoch in range(12):
    optimizer.zero_grad()
    logits = model(x, edges, graph, len(graphs))
    loss = F.cross_entropy(logits, labels, label_smoothing=0.1)
    loss.backward()
    optimizer.step()
    scheduler.step(loss)
    if epoch % 3 == 0:
        print(epoch, f"{loss.item():.5f} {(logits.argmax(1) == labels).float().mean():.3f} {scheduler.get_last_lr()}")
print([(name, f"{p.grad.norm():.4f}") for name, p in model.named_parameters()])
adjacency = torch.sparse_coo_tensor(edges, torch.ones(edges.shape[1]), (len(x), len(x))).coalesce()
print(adjacency.shape, adjacency._nnz(), torch.sparse.mm(adjacency, x).sum(0))
print(torch.bincount(graph), torch.unique_consecutive(graph, return_counts=True)[1].tolist())
