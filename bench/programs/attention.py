import torch
import torch.nn.functional as F

TITLE = "attention block, 4 x 64 tokens, width 128"
BOUND = 0.90


def setup():
    width = 128
    tokens = torch.randn(4, 64, width)
    shapes = [(3 * width, width), (3 * width,), (width, width), (width,)]
    weights = [(torch.randn(shape) * 0.05).requires_grad_() for shape in shapes]
    norm = [torch.ones(width, requires_grad=True), torch.zeros(width, requires_grad=True)]
    return tokens, weights, norm


def step(tokens, weights, norm):
    w_in, b_in, w_out, b_out = weights
    batch, length, width = tokens.shape
    normed = F.layer_norm(tokens, (width,), *norm)
    query, key, value = (
        part.view(batch, length, 4, width // 4).transpose(1, 2) for part in F.linear(normed, w_in, b_in).chunk(3, -1)
    )
    weight = torch.softmax(query @ key.transpose(-2, -1) * (width // 4) ** -0.5, -1)
    mixed = (weight @ value).transpose(1, 2).reshape(batch, length, width)
    (tokens + F.linear(mixed, w_out, b_out)).square().mean().backward()
    for parameter in [*weights, *norm]:
        parameter.grad = None
