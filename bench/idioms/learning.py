"""Losses, layers, small models and their training."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from leaves import leaf
from torch import nn


def logistic():
    x = torch.randn(1000, 30)
    y = (torch.rand(1000) > 0.5).float()
    w = leaf(30)
    b = leaf(1)

    def step():
        p = torch.sigmoid(x @ w + b)
        loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
        loss.backward()
        w.grad = None
        b.grad = None

    return step


def softmax_by_hand():
    x = torch.randn(256, 20)
    w = leaf(20, 10)
    y = torch.randint(0, 10, (256,))

    def step():
        z = x @ w
        z = z - z.max(1, keepdim=True).values
        p = z.exp()
        p = p / p.sum(1, keepdim=True)
        loss = -p[torch.arange(256), y].log().mean()
        loss.backward()
        w.grad = None

    return step


def batch_norm_mlp():
    x = torch.randn(128, 50)
    w = leaf(50, 100, scale=0.1)
    g = leaf(100)
    b = leaf(100)
    w2 = leaf(100, 1, scale=0.1)
    y = torch.randn(128, 1)
    m = torch.zeros(100)
    v = torch.ones(100)

    def step():
        h = F.batch_norm(x @ w, m, v, g, b, True)
        h = torch.relu(h)
        F.mse_loss(h @ w2, y).backward()
        for t in (w, g, b, w2):
            t.grad = None

    return step


def batch_norm_images():
    x = leaf(16, 16, 16, 16)
    g = leaf(16)
    b = leaf(16)
    m = torch.zeros(16)
    v = torch.ones(16)

    def step():
        F.batch_norm(x, m, v, g, b, True).relu().sum().backward()
        x.grad = g.grad = b.grad = None

    return step


def layer_norm():
    x = leaf(256, 128)
    g = leaf(128)
    b = leaf(128)

    def step():
        F.layer_norm(x, (128,), g, b).pow(2).sum().backward()
        x.grad = g.grad = b.grad = None

    return step


def rms_norm():
    x = leaf(256, 128)
    g = leaf(128)

    def step():
        (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * g).sum().backward()
        x.grad = g.grad = None

    return step


def group_norm():
    x = leaf(8, 16, 16, 16)
    g = leaf(16)
    b = leaf(16)

    def step():
        F.group_norm(x, 4, g, b).pow(2).sum().backward()
        x.grad = g.grad = b.grad = None

    return step


def dropout_mlp():
    x = torch.randn(64, 100)
    w = leaf(200, 100, scale=0.1)
    w2 = leaf(10, 200, scale=0.1)
    y = torch.randint(0, 10, (64,))

    def step():
        h = F.dropout(F.relu(F.linear(x, w)), 0.5)
        F.cross_entropy(F.linear(h, w2), y).backward()
        w.grad = w2.grad = None

    return step


def gelu_mlp():
    x = torch.randn(128, 64)
    w = leaf(256, 64, scale=0.1)
    w2 = leaf(64, 256, scale=0.1)

    def step():
        (F.gelu(x @ w.T) @ w2.T).pow(2).mean().backward()
        w.grad = w2.grad = None

    return step


def binary_cross_entropy():
    x = leaf(64, 100)
    y = (torch.rand(64, 100) > 0.5).float()

    def step():
        F.binary_cross_entropy_with_logits(x, y).backward()
        x.grad = None

    return step


def divergence_from_normal():
    m = leaf(128, 20)
    s = leaf(128, 20)

    def step():
        (-0.5 * (1 + s - m.pow(2) - s.exp()).sum(1)).mean().backward()
        m.grad = s.grad = None

    return step


def mixture_of_normals():
    x = torch.randn(1000, 1)
    mu = leaf(5)
    ls = leaf(5)
    pi = leaf(5)

    def step():
        lp = -0.5 * ((x - mu) / ls.exp()) ** 2 - ls + torch.log_softmax(pi, 0)
        (-torch.logsumexp(lp, 1).mean()).backward()
        mu.grad = ls.grad = pi.grad = None

    return step


def contrastive_loss():
    z = leaf(128, 64)

    def step():
        n = F.normalize(z, dim=1)
        s = n @ n.T / 0.1
        F.cross_entropy(s.masked_fill(torch.eye(128, dtype=torch.bool), -1e9), torch.arange(128).roll(64)).backward()
        z.grad = None

    return step


def ctc_loss():
    lp = leaf(50, 16, 20)
    t = torch.randint(1, 20, (16, 10))
    il = torch.full((16,), 50, dtype=torch.long)
    tl = torch.full((16,), 10, dtype=torch.long)

    def step():
        F.ctc_loss(lp.log_softmax(2), t, il, tl).backward()
        lp.grad = None

    return step


def adam_mlp():
    m = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    o = torch.optim.Adam(m.parameters())
    x = torch.randn(32, 20)
    y = torch.randn(32, 1)

    def step():
        o.zero_grad()
        F.mse_loss(m(x), y).backward()
        o.step()

    return step


def sgd_momentum():
    m = nn.Sequential(nn.Linear(200, 300), nn.Tanh(), nn.Linear(300, 10))
    o = torch.optim.SGD(m.parameters(), lr=0.01, momentum=0.9)
    x = torch.randn(128, 200)
    y = torch.randint(0, 10, (128,))

    def step():
        o.zero_grad()
        F.cross_entropy(m(x), y).backward()
        o.step()

    return step


def clipped_norms():
    ws = [leaf(50, 50) for _ in range(10)]

    def step():
        sum((w * w).sum() for w in ws).backward()
        nn.utils.clip_grad_norm_(ws, 1.0)
        for w in ws:
            w.grad = None

    return step


def vae():
    enc = nn.Linear(784, 64)
    mu = nn.Linear(64, 8)
    ls = nn.Linear(64, 8)
    dec = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 784))
    x = torch.rand(32, 784)
    ps = [*enc.parameters(), *mu.parameters(), *ls.parameters(), *dec.parameters()]
    o = torch.optim.Adam(ps)

    def step():
        o.zero_grad()
        h = F.relu(enc(x))
        m, s = mu(h), ls(h)
        z = m + torch.randn_like(s) * (s / 2).exp()
        r = dec(z)
        (F.binary_cross_entropy_with_logits(r, x, reduction="sum") - 0.5 * (1 + s - m * m - s.exp()).sum()).backward()
        o.step()

    return step


def encoder_layer():
    m = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, dropout=0.0)
    x = torch.randn(8, 32, 64)

    def step():
        m(x).pow(2).mean().backward()
        m.zero_grad()

    return step


def attention_by_einsum():
    q = leaf(4, 4, 64, 32)
    k = leaf(4, 4, 64, 32)
    v = leaf(4, 4, 64, 32)

    def step():
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) / 32**0.5
        a = s.softmax(-1)
        o = torch.einsum("bhqk,bhkd->bhqd", a, v)
        o.sum().backward()
        q.grad = k.grad = v.grad = None

    return step


def masked_attention():
    q = leaf(4, 4, 64, 32)
    k = leaf(4, 4, 64, 32)
    v = leaf(4, 4, 64, 32)
    m = torch.tril(torch.ones(64, 64))

    def step():
        s = (q @ k.transpose(-2, -1)) * 32**-0.5
        s = s.masked_fill(m == 0, float("-inf"))
        a = F.softmax(s, dim=-1)
        (a @ v).pow(2).mean().backward()
        q.grad = k.grad = v.grad = None

    return step


def convolutions_with_batch_norm():
    m = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, 10),
    )
    x = torch.randn(16, 3, 16, 16)
    y = torch.randint(0, 10, (16,))

    def step():
        F.cross_entropy(m(x), y).backward()
        m.zero_grad()

    return step


def depthwise_convolution():
    m = nn.Conv2d(32, 32, 3, padding=1, groups=32)
    x = torch.randn(8, 32, 16, 16)

    def step():
        m(x).pow(2).mean().backward()
        m.zero_grad()

    return step


def transposed_convolution():
    m = nn.ConvTranspose2d(16, 8, 4, 2, 1)
    x = torch.randn(8, 16, 8, 8)

    def step():
        m(x).pow(2).mean().backward()
        m.zero_grad()

    return step


def convolution_1d():
    x = torch.randn(16, 8, 200)
    w = leaf(16, 8, 5)
    b = leaf(16)

    def step():
        F.conv1d(x, w, b, padding=2).relu().mean().backward()
        w.grad = b.grad = None

    return step


def upsample():
    x = leaf(4, 8, 16, 16)

    def step():
        F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False).pow(2).sum().backward()
        x.grad = None

    return step


def grid_sample():
    x = leaf(4, 3, 32, 32)
    g = torch.rand(4, 32, 32, 2) * 2 - 1

    def step():
        F.grid_sample(x, g, align_corners=False).sum().backward()
        x.grad = None

    return step


def rnn_by_hand():
    x = torch.randn(30, 16, 32)
    wx = leaf(32, 64, scale=0.1)
    wh = leaf(64, 64, scale=0.1)
    b = leaf(64)

    def step():
        h = torch.zeros(16, 64)
        for t in range(30):
            h = torch.tanh(x[t] @ wx + h @ wh + b)
        h.pow(2).mean().backward()
        wx.grad = wh.grad = b.grad = None

    return step


def gru_layer():
    m = nn.GRU(16, 32, batch_first=True)
    x = torch.randn(16, 20, 16)

    def step():
        m(x)[0].pow(2).mean().backward()
        m.zero_grad()

    return step


def lstm_both_ways():
    m = nn.LSTM(16, 32, 2, batch_first=True, bidirectional=True)
    x = torch.randn(16, 20, 16)

    def step():
        m(x)[0].pow(2).mean().backward()
        m.zero_grad()

    return step


def checkpointed():
    m = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
    x = torch.randn(32, 64, requires_grad=True)

    def step():
        torch.utils.checkpoint.checkpoint(m, x, use_reentrant=False).sum().backward()
        m.zero_grad()
        x.grad = None

    return step


def embedding_bag():
    e = leaf(1000, 32)
    i = torch.randint(0, 1000, (64, 10))

    def step():
        F.embedding(i, e).mean(1).pow(2).sum().backward()
        e.grad = None

    return step


def matrix_factors():
    U = leaf(200, 10)
    V = leaf(150, 10)
    i = torch.randint(0, 200, (1000,))
    j = torch.randint(0, 150, (1000,))
    r = torch.randn(1000)

    def step():
        ((U[i] * V[j]).sum(1) - r).pow(2).mean().backward()
        U.grad = V.grad = None

    return step


PROGRAMS = """
logistic softmax_by_hand batch_norm_mlp batch_norm_images layer_norm rms_norm
group_norm dropout_mlp gelu_mlp binary_cross_entropy divergence_from_normal mixture_of_normals
contrastive_loss ctc_loss adam_mlp sgd_momentum clipped_norms vae
encoder_layer attention_by_einsum masked_attention convolutions_with_batch_norm depthwise_convolution transposed_convolution
convolution_1d upsample grid_sample rnn_by_hand gru_layer lstm_both_ways
checkpointed embedding_bag matrix_factors
""".split()
