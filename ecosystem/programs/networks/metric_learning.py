"""pytorch-metric-learning: losses, miners and distances over embeddings."""

import torch
from pytorch_metric_learning import distances, losses, miners, reducers
from torch import nn

torch.manual_seed(0)
model = nn.Linear(10, 4)
data, labels = torch.randn(24, 10), torch.arange(24) % 6
cosine = distances.CosineSimilarity()
for make in (
    lambda: losses.TripletMarginLoss(margin=0.2, distance=cosine, reducer=reducers.AvgNonZeroReducer()),
    losses.ContrastiveLoss,
    losses.NTXentLoss,
    losses.MultiSimilarityLoss,
    losses.CircleLoss,
    losses.SupConLoss,
    lambda: losses.ArcFaceLoss(6, 4),
    lambda: losses.ProxyNCALoss(6, 4),
):
    torch.manual_seed(1)
    function = make()
    model.zero_grad()
    loss = function(model(data), labels)
    loss.backward()
    print(type(function).__name__, loss.item(), model.weight.grad.norm().item())
miner = miners.TripletMarginMiner(margin=0.2, distance=cosine, type_of_triplets="semihard")
triplets = miner(model(data), labels)
print(
    "miner", [len(part) for part in triplets], losses.TripletMarginLoss(distance=cosine)(model(data), labels, triplets).item()
)
