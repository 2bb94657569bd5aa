"""A small classifier with nn.functional: linear, relu, cross_entropy, SGD by hand, accuracy."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
points = torch.rand(64, 2, dtype=torch.float64) * 2 - 1
labels = (points[:, 0] * points[:, 1] > 0).long()
print(labels[:10], labels.sum().item(), points.shape)

w1 = (torch.rand(16, 2, dtype=torch.float64) - 0.5).requires_grad_()
b1 = torch.zeros(16, dtype=torch.float64, requires_grad=True)
w2 = (torch.rand(2, 16, dtype=torch.float64) - 0.5).requires_grad_()
b2 = torch.zeros(2, dtype=torch.float64, requires_grad=True)
parameters = [w1, b1, w2, b2]


def model(x):
    return F.linear(F.relu(F.linear(x, w1, b1)), w2, b2)


for epoch in range(200):
    total = 0.0
    for batch, target in zip(points.split(16), labels.split(16), strict=True):
        loss = F.cross_entropy(model(batch), target)
        for p in parameters:
            p.grad = None
        loss.backward()
        with torch.no_grad():
            for p in parameters:
                p -= 0.5 * p.grad
        total += loss.item() * len(batch)
    if epoch % 40 == 39:
        accuracy = (model(points).argmax(dim=1) == labels).double().mean().item()
        print(f"epoch {epoch:3d} loss {total / len(points):.3f} accuracy {accuracy:.2f}")

with torch.no_grad():
    probabilities = F.softmax(model(torch.tensor([[0.5, 0.5], [-0.5, 0.5]], dtype=torch.float64)), dim=1)
print(probabilities.argmax(1), probabilities.sum(1), probabilities.requires_grad)
print([tuple(p.shape) for p in parameters], sum(p.numel() for p in parameters))
