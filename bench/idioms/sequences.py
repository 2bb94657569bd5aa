"""Signals, text, states that follow each other, decisions."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from leaves import leaf
from torch import nn


def short_time_spectra():
    x = leaf(4, 4000)
    w = torch.hann_window(256)

    def step():
        torch.stft(x, 256, 64, window=w, return_complex=True).abs().sum().backward()
        x.grad = None

    return step


def signal_from_spectra():
    s = torch.randn(129, 40, dtype=torch.complex64).requires_grad_()
    w = torch.hann_window(256)

    def step():
        torch.istft(s, 256, 64, window=w).pow(2).sum().backward()
        s.grad = None

    return step


def filtered_signal():
    x = leaf(16, 256)
    f = torch.rand(129)

    def step():
        torch.fft.irfft(torch.fft.rfft(x) * f).pow(2).sum().backward()
        x.grad = None

    return step


def letters_by_gru():
    e, m, h = nn.Embedding(60, 16), nn.GRU(16, 32, batch_first=True), nn.Linear(32, 60)
    x, y = torch.randint(0, 60, (16, 25)), torch.randint(0, 60, (16, 25))

    def step():
        F.cross_entropy(h(m(e(x))[0]).flatten(0, 1), y.flatten()).backward()
        for part in (e, m, h):
            part.zero_grad()

    return step


def rotary_embedding():
    x = leaf(4, 16, 4, 16)
    c, s = torch.randn(16, 1, 8), torch.randn(16, 1, 8)

    def step():
        a, b = x[..., ::2], x[..., 1::2]
        torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2).pow(2).sum().backward()
        x.grad = None

    return step


def similar_pairs():
    x, y = leaf(64, 32), leaf(64, 32)
    t = torch.arange(64)

    def step():
        F.cross_entropy(F.cosine_similarity(x[:, None], y[None], dim=-1) / 0.5, t).backward()
        x.grad = y.grad = None

    return step


def weighted_classes():
    x = leaf(64, 10)
    t = torch.randint(0, 10, (64,))
    w = torch.rand(10)

    def step():
        F.cross_entropy(x, t, weight=w, ignore_index=3).backward()
        x.grad = None

    return step


def hidden_markov():
    a, b = leaf(10, 10), leaf(10, 20)
    seen = torch.randint(0, 20, (30,)).tolist()

    def step():
        to, shown = a.log_softmax(1), b.log_softmax(1)
        at = shown[:, seen[0]]
        for one in seen[1:]:
            at = torch.logsumexp(at[:, None] + to, 0) + shown[:, one]
        at.logsumexp(0).backward()
        a.grad = b.grad = None

    return step


def kalman_filter():
    f = leaf(4, 4, scale=0.3)
    h = torch.randn(2, 4)

    def step():
        p = torch.eye(4)
        for _ in range(10):
            p = f @ p @ f.T + torch.eye(4) * 0.1
            k = p @ h.T @ torch.inverse(h @ p @ h.T + torch.eye(2))
            p = (torch.eye(4) - k @ h) @ p
        p.trace().backward()
        f.grad = None

    return step


def policy_gradient():
    m = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
    x, r = torch.randn(200, 4), torch.randn(200)

    def step():
        d = torch.distributions.Categorical(logits=m(x))
        (-(d.log_prob(d.sample()) * r).mean() - 0.01 * d.entropy().mean()).backward()
        m.zero_grad()

    return step


def value_of_actions():
    q, fixed = (nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2)) for _ in range(2))
    s, a, r = torch.randn(64, 4), torch.randint(0, 2, (64, 1)), torch.randn(64)
    o = torch.optim.Adam(q.parameters())

    def step():
        with torch.no_grad():
            t = r + 0.99 * fixed(s).max(1)[0]
        o.zero_grad()
        F.smooth_l1_loss(q(s).gather(1, a).squeeze(1), t).backward()
        o.step()

    return step


def prediction():
    m = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
    x = torch.randn(1, 4)

    def step():
        with torch.inference_mode():
            m(x).argmax(1)

    return step


def training_beside_predictions():
    m = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
    x = torch.randn(16, 4)
    with torch.inference_mode():
        kept = m(x)

    def step():
        (m(x) - kept).pow(2).mean().backward()
        m.zero_grad()

    return step


PROGRAMS = """
short_time_spectra signal_from_spectra filtered_signal letters_by_gru rotary_embedding similar_pairs weighted_classes
hidden_markov kalman_filter policy_gradient value_of_actions prediction training_beside_predictions
""".split()
