"""A net with one hidden layer learns XOR: forward, backward, and a step by hand."""

import torch
import torch.nn.functional as F

torch.manual_seed(1)
inputs = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
answers = torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=torch.float64)

hidden = torch.randn(8, 2, dtype=torch.float64, requires_grad=True)
hidden_bias = torch.zeros(8, dtype=torch.float64, requires_grad=True)
output = torch.randn(1, 8, dtype=torch.float64, requires_grad=True)
output_bias = torch.zeros(1, dtype=torch.float64, requires_grad=True)
parameters = [hidden, hidden_bias, output, output_bias]


def net(x):
    return F.linear(torch.tanh(F.linear(x, hidden, hidden_bias)), output, output_bias).squeeze(1)


for step in range(401):
    loss = F.binary_cross_entropy_with_logits(net(inputs), answers)
    for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters)):
        parameter.data -= 0.5 * gradient
    if step % 100 == 0:
        print(f"step {step:3d}  loss {loss.item():.4f}")

with torch.no_grad():
    for pair, logit in zip(inputs.tolist(), net(inputs)):
        print(pair, "->", int(logit > 0))
