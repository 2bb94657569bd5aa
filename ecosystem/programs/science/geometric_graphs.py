"""PyTorch Geometric: convolutions of a graph with their gradients, a network that learns its nodes' classes, batches."""

import torch
import torch.nn.functional as F
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import (
    ChebConv,
    GATConv,
    GCNConv,
    GINConv,
    GraphConv,
    SAGEConv,
    TopKPooling,
    TransformerConv,
    global_mean_pool,
)
from torch_geometric.utils import degree, softmax, to_dense_adj, to_undirected

torch.manual_seed(0)
edges = to_undirected(torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 4, 4]]))
x = torch.randn(5, 4, requires_grad=True)
graph = Data(x=x.detach(), edge_index=edges, y=torch.tensor([0, 1, 0, 1, 1]))
print(graph, graph.is_undirected(), graph.has_isolated_nodes())
print(degree(edges[0]), softmax(torch.arange(10.0), edges[0]), to_dense_adj(edges))

for make in (
    lambda: GCNConv(4, 3),
    lambda: GATConv(4, 3),
    lambda: SAGEConv(4, 3, aggr="max"),
    lambda: SAGEConv(4, 3, aggr=["mean", "std"]),
    lambda: GraphConv(4, 3),
    lambda: TransformerConv(4, 3),
    lambda: ChebConv(4, 3, 3),
    lambda: GINConv(torch.nn.Linear(4, 3)),
):
    torch.manual_seed(1)
    x.grad = None
    convolution = make()
    out = convolution(x, edges)
    out.pow(2).sum().backward()
    print(convolution, out, x.grad)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = GCNConv(4, 16), GCNConv(16, 2)

    def forward(self, graph):
        hidden = F.dropout(F.relu(self.first(graph.x, graph.edge_index)), training=self.training)
        return F.log_softmax(self.second(hidden, graph.edge_index), 1)


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(5):
    optimizer.zero_grad()
    loss = F.nll_loss(net(graph), graph.y)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.5f}")

batch = Batch.from_data_list([graph, graph])
print(batch, global_mean_pool(batch.x, batch.batch))
print(TopKPooling(4)(graph.x, graph.edge_index)[:2])
print(list(DataLoader([graph] * 3, batch_size=2)))
