"""Sparse tensors: their parts and layouts, what is computed from them, gradients by rows."""

import warnings

import torch
from torch import nn
from torch.nn import functional as F

warnings.simplefilter("ignore")  # PyTorch says that some layouts are in beta state
torch.manual_seed(0)
x = torch.tensor([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]])
s = torch.sparse_coo_tensor(torch.tensor([[0, 1, 1], [2, 0, 2]]), torch.tensor([3.0, 4.0, 5.0]), (2, 3))
print(s, s.is_sparse, s.is_coalesced(), s._nnz(), s.sparse_dim(), s.dense_dim(), s.type())
print(torch.sparse_coo_tensor(torch.tensor([[0, 0, 1]]), torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), (3, 2)).coalesce())
print(torch.sparse_coo_tensor((2, 3)))
for one in (
    x.to_sparse(),
    x.to_sparse_csr(),
    x.to_sparse_csc(),
    torch.rand(4, 4).to_sparse_bsr((2, 2)),
    x.double().to_sparse(1),
):
    print(one)
for result in (
    -s,
    s * 2,
    s + s,
    x + s,
    s * s,
    s * x,
    s.sum(),
    s.t(),
    s.mm(x.t()),
    x.t().mm(s),
    s.sin(),
    s.sum(0),
    x.sparse_mask(s),
):
    print(result)

for leaf in (x.to_sparse().requires_grad_(), x.to_sparse_csr().requires_grad_()):
    for f in (
        lambda a: a.to_dense().sum(),
        lambda a: (a * 2).to_dense().sum(),
        lambda a: (a * a).to_dense().sum(),
        lambda a: a.clone().to_dense().sum(),
        lambda a: a.values().sum() if a.layout is torch.sparse_csr else a.coalesce().values().sum(),
        lambda a: a.sum(),
        lambda a: a.mm(x.t()).sum(),
    ):
        leaf.grad = None
        f(leaf).backward()
        print(leaf.grad)

values = torch.tensor([1.0, 2.0], requires_grad=True)
made = torch.sparse_coo_tensor(torch.tensor([[0, 1], [2, 0]]), values, (2, 3))
print(made)
made.coalesce().values().pow(2).sum().backward()
print(values.grad)

weight = torch.randn(5, 2, requires_grad=True)
F.embedding(torch.tensor([1, 1, 3]), weight, sparse=True).sum().backward()
print(weight.grad)
print(torch.autograd.grad(F.embedding(torch.tensor([1, 3]), weight, sparse=True).sum(), weight))
for mode in ("sum", "mean"):
    weight.grad = None
    F.embedding_bag(torch.tensor([1, 3, 1]), weight, torch.tensor([0, 2]), sparse=True, mode=mode).sum().backward()
    print(weight.grad)

for name in ("SGD", "SparseAdam", "Adagrad", "Adam", "RMSprop"):
    torch.manual_seed(0)
    rows = nn.Embedding(4, 2, sparse=True)
    optimizer = getattr(torch.optim, name)(rows.parameters(), lr=0.1)
    try:
        for index in ([0, 1, 1], [1, 2], [0]):
            optimizer.zero_grad()
            rows(torch.tensor(index)).pow(2).sum().backward()
            optimizer.step()
        print(name, rows.weight)
    except RuntimeError as error:
        print(name, error)
# A graph: neighbours added up, in two layers.
edges = torch.tensor([[0, 0, 1, 2, 3, 3, 3], [1, 2, 3, 0, 0, 1, 3]])
graph = torch.sparse_coo_tensor(edges, torch.full((7,), 0.5), (4, 4)).coalesce()
features, hidden, out = (
    torch.arange(8.0).reshape(4, 2),
    torch.ones(2, 3, requires_grad=True),
    torch.ones(3, 2, requires_grad=True),
)
for product in (torch.sparse.mm, torch.spmm, lambda a, x: a @ x):
    layer = product(graph, features @ hidden).relu()
    result = product(graph, layer @ out)
    print(result, result.grad_fn.next_functions[0], len(result.grad_fn.next_functions))
    print(torch.autograd.grad(result.square().sum(), [hidden, out]))
print(graph @ features[:, 0], torch.mv(graph, features[:, 1]), features.t() @ graph, graph.t() @ features)
print(torch.sparse.addmm(features, graph, features, beta=0.5, alpha=2))
for wrong in (lambda: graph @ torch.ones(3, 2), lambda: graph @ torch.ones(3), lambda: graph @ torch.ones(4, 2).double()):
    try:
        wrong()
    except RuntimeError as error:
        print(error)
kept = graph @ hidden[:1].expand(4, 3)
graph.mul_(2)
try:
    kept.sum().backward()
except RuntimeError as error:
    print("version" in str(error))
