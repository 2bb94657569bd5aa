"""A tiny autoencoder, word vectors and k-means: programs that mix autograd with plain tensor work."""

import torch
import torch.nn.functional as F

torch.manual_seed(5)
data = torch.eye(6, dtype=torch.float64)
encode = (torch.rand(6, 3, dtype=torch.float64) - 0.5).requires_grad_()
decode = (torch.rand(3, 6, dtype=torch.float64) - 0.5).requires_grad_()
bias = torch.zeros(6, dtype=torch.float64, requires_grad=True)
for step in range(300):
    logits = torch.tanh(data @ encode) @ decode + bias
    loss = F.cross_entropy(logits, torch.arange(6))
    loss.backward()
    with torch.no_grad():
        for p in (encode, decode, bias):
            p.add_(p.grad, alpha=-2.0)
            p.grad.zero_()
    if step % 100 == 99:
        print(step, f"{loss.item():.3f}", (logits.argmax(1) == torch.arange(6)).all().item())

# skip-gram with negative samples on a ring of words
vectors = (torch.randn(8, 4, dtype=torch.float64) * 0.1).requires_grad_()
centre = torch.arange(8)
near, far = (centre + 1) % 8, (centre + 4) % 8
for _ in range(150):
    close = (vectors[centre] * vectors[near]).sum(1)
    apart = (vectors[centre] * vectors[far]).sum(1)
    loss = -(F.logsigmoid(close) + F.logsigmoid(-apart)).mean()
    (g,) = torch.autograd.grad(loss, vectors)
    with torch.no_grad():
        vectors -= 0.5 * g
print(f"{loss.item():.3f}", (close > apart).all().item(), vectors.shape)

# k-means on whole numbers
points = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [9.0, 9.0], [9.0, 10.0], [10.0, 9.0], [0.0, 10.0], [1.0, 9.0]])
centres = points[[0, 3, 6]].clone()
for step in range(4):
    distance = (points[:, None] - centres[None]).pow(2).sum(-1)
    nearest = distance.argmin(1)
    one_hot = F.one_hot(nearest, 3).float()
    centres = (one_hot.t() @ points) / one_hot.sum(0)[:, None]
print(nearest, centres)
for k in range(3):
    print(k, points[nearest == k].mean(0), (nearest == k).sum().item())

# a batch of images through a convolution made of unfold
image = torch.arange(16.0).reshape(1, 4, 4)
kernel = torch.tensor([[1.0, 0.0], [0.0, 1.0]], requires_grad=True)
windows = image.unfold(1, 2, 1).unfold(2, 2, 1)
out = torch.einsum("bhwij,ij->bhw", windows, kernel)
out.relu().sum().backward()
print(out.detach(), kernel.grad, windows.shape)
confusion = torch.zeros(3, 3, dtype=torch.int64)
for truth, guess in zip([0, 1, 2, 2, 1], [0, 2, 2, 2, 1], strict=True):
    confusion[truth, guess] += 1
print(confusion, confusion.diag().sum() / confusion.sum())
