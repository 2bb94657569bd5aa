import torch

TITLE = "LSTM cell, hidden 64, batch 8, 50 steps"
BOUND = 0.80


def setup():
    hidden = 64
    inputs = torch.randn(50, 8, hidden)
    shapes = [(hidden, 4 * hidden), (hidden, 4 * hidden), (4 * hidden,)]
    weights = [(torch.randn(shape) * 0.1).requires_grad_() for shape in shapes]
    return inputs, torch.zeros(8, hidden), weights


def step(inputs, start, weights):
    from_input, from_state, bias = weights
    state = memory = start
    for x in inputs:
        gates = x @ from_input + state @ from_state + bias
        keep, write, new, show = gates.chunk(4, 1)
        memory = torch.sigmoid(keep) * memory + torch.sigmoid(write) * torch.tanh(new)
        state = torch.sigmoid(show) * torch.tanh(memory)
    state.square().mean().backward()
    for weight in weights:
        weight.grad = None
