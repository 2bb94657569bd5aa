"""Linear and logistic regression on exact numbers, so that every digit can be printed."""

import torch
import torch.nn.functional as F

x = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
y = 2 * x + 1
w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(4):
    y_hat = x @ w + b
    loss = F.mse_loss(y_hat, y)
    loss.backward()
    print(step, loss.item(), w.grad.tolist(), b.grad.tolist())
    with torch.no_grad():
        w -= 0.125 * w.grad
        b -= 0.125 * b.grad
    w.grad.zero_()
    b.grad.zero_()
print(w, b)

# forward(x) = x * w, the first slide of many courses
x_data, y_data = [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]
w = torch.tensor([1.0], requires_grad=True)
for epoch in range(20):
    for x_val, y_val in zip(x_data, y_data, strict=True):
        loss = (x_val * w - y_val) ** 2
        loss.backward()
        w.data = w.data - 0.01 * w.grad.data
        w.grad.data.zero_()
    if epoch % 5 == 4:
        print("progress:", epoch, f"{loss.item():.4f} {w.item():.4f}")
print("predict (after training)", 4, f"{(4 * w).item():.3f}")

# logistic regression: is it more than two?
hours = torch.tensor([[1.0], [2.0], [3.0], [4.0]], dtype=torch.float64)
passed = torch.tensor([[0.0], [0.0], [1.0], [1.0]], dtype=torch.float64)
w = torch.zeros(1, 1, dtype=torch.float64, requires_grad=True)
b = torch.zeros(1, dtype=torch.float64, requires_grad=True)
for epoch in range(500):
    p = torch.sigmoid(hours.mm(w) + b)
    loss = F.binary_cross_entropy(p, passed)
    loss.backward()
    w.data.sub_(0.5 * w.grad.data)
    b.data.sub_(0.5 * b.grad.data)
    w.grad.data.zero_()
    b.grad.data.zero_()
    if epoch % 100 == 99:
        print(epoch, f"{loss.item():.4f}")
for h in (1.0, 2.25, 2.75, 4.0):
    answer = torch.sigmoid(torch.tensor([[h]], dtype=torch.float64).mm(w) + b)
    print(h, answer.item() > 0.5)
logits = hours.mm(w) + b
print(torch.allclose(F.binary_cross_entropy_with_logits(logits, passed), F.binary_cross_entropy(p, passed), atol=1e-2))
