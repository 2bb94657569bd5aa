"""A recurrent cell unrolled by hand, and one LSTM step; the loss falls."""

import torch

torch.manual_seed(1)
size = 8
wx = (torch.randn(size, 4, dtype=torch.float64) * 0.3).requires_grad_()
wh = (torch.randn(size, size, dtype=torch.float64) * 0.3).requires_grad_()
bias = torch.zeros(size, dtype=torch.float64, requires_grad=True)
wo = (torch.randn(4, size, dtype=torch.float64) * 0.3).requires_grad_()
text = torch.tensor([0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1])
inputs = torch.eye(4, dtype=torch.float64)[text]


def run():
    h = torch.zeros(size, dtype=torch.float64)
    loss = 0
    for t in range(len(text) - 1):
        h = torch.tanh(wx @ inputs[t] + wh @ h + bias)
        scores = wo @ h
        loss = loss + scores.logsumexp(0) - scores[text[t + 1]]
    return loss / (len(text) - 1)


for step in range(60):
    loss = run()
    grads = torch.autograd.grad(loss, [wx, wh, bias, wo])
    with torch.no_grad():
        for p, g in zip([wx, wh, bias, wo], grads, strict=True):
            p.sub_(g, alpha=0.5)
    if step % 20 == 0 or step == 59:
        print(step, f"{loss.item():.3f}", f"{grads[1].norm().item():.3f}")

# one step of an LSTM: four gates from one product
gates_w = torch.randn(4 * size, 4 + size, dtype=torch.float64).mul_(0.1).requires_grad_()
h, c = torch.zeros(1, size, dtype=torch.float64), torch.zeros(1, size, dtype=torch.float64)
for t in range(5):
    i, f, g, o = (torch.cat([inputs[t : t + 1], h], 1) @ gates_w.t()).chunk(4, dim=1)
    c = torch.sigmoid(f + 1) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
h.sum().backward()
print(h.shape, h.grad_fn is not None, f"{h.sum().item():.4f}", f"{gates_w.grad.abs().sum().item():.4f}")
