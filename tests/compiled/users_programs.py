"""Programs as users write them, each a function that makes a step: what ``torch.compile`` is given, most of all."""

from __future__ import annotations

import collections
import copy
from collections.abc import Callable
from typing import Any

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.nn.utils import clip_grad_norm_, clip_grad_value_, parametrizations, rnn
from rushlight.utils.checkpoint import checkpoint

Step = Callable[[], Any]
Out = collections.namedtuple("Out", "loss logits")


def training_with_a_schedule() -> Step:
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(net.parameters(), 0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))

    def step() -> Any:
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(net(x), y, label_smoothing=0.1)
        loss.backward()
        clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        return loss.detach()

    return step


def accuracy_beside_the_loss() -> Step:
    net = nn.Linear(6, 3)
    optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9, nesterov=True)
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))

    def step() -> Any:
        logits = net(x)
        loss = nn.CrossEntropyLoss()(logits, y)
        optimizer.zero_grad()
        loss.backward()
        clip_grad_value_(net.parameters(), 0.5)
        optimizer.step()
        correct = (logits.argmax(1) == y).float().mean()
        return loss.detach(), correct, (logits.softmax(1) > 0.5).sum().long(), (logits > 0).int().sum(0)

    return step


def moving_average_of_weights() -> Step:
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    ema = copy.deepcopy(net).requires_grad_(False)
    optimizer = torch.optim.RMSprop(net.parameters(), 0.01)
    x, y = torch.randn(8, 4), torch.randn(8, 1)

    def step() -> Any:
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for mine, its in zip(ema.parameters(), net.parameters(), strict=True):
                mine.mul_(0.9).add_(its, alpha=0.1)
        return loss.detach(), ema(x)

    return step


def augmentation() -> Step:
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 3)
    )
    x, y = torch.rand(6, 1, 8, 8), torch.randint(0, 3, (6,))

    def step() -> Any:
        net.zero_grad()
        noisy = x + 0.1 * torch.randn_like(x)
        flipped = torch.where(torch.rand(6, 1, 1, 1) < 0.5, noisy.flip(-1), noisy)
        mixed = torch.lerp(flipped, flipped[torch.randperm(6)], torch.rand(6, 1, 1, 1))
        loss = F.cross_entropy(net(mixed), y)
        loss.backward()
        return loss.detach(), net[0].weight.grad.clone()

    return step


def masked_sequences() -> Step:
    net, head = nn.Linear(5, 5), nn.Linear(5, 1)
    x, lengths = torch.randn(4, 7, 5), torch.tensor([7, 3, 5, 1])

    def step() -> Any:
        mask = torch.arange(7)[None, :] < lengths[:, None]
        hidden = net(x).tanh().masked_fill(~mask[..., None], 0.0)
        mean = hidden.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        weights = head(hidden).squeeze(-1).masked_fill(~mask, float("-inf")).softmax(-1)
        loss = mean.pow(2).sum() + torch.einsum("bt,btd->bd", weights, hidden).sum() + hidden[mask].abs().mean()
        return torch.autograd.grad(loss, [net.weight, head.weight])

    return step


def attention_by_einsum() -> Step:
    qkv, out = nn.Linear(8, 24), nn.Linear(8, 8)
    x = torch.randn(2, 5, 8)

    def step() -> Any:
        q, k, v = qkv(x).view(2, 5, 3, 2, 4).permute(2, 0, 3, 1, 4)
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / 2.0
        scores = scores.masked_fill(torch.ones(5, 5, dtype=torch.bool).triu(1), float("-inf"))
        y = out(torch.einsum("bhij,bhjd->bhid", scores.softmax(-1), v).transpose(1, 2).reshape(2, 5, 8))
        y.pow(2).mean().backward()
        found = qkv.weight.grad, out.bias.grad
        qkv.weight.grad = out.bias.grad = qkv.bias.grad = out.weight.grad = None
        return found

    return step


def embeddings() -> Step:
    table, bag = nn.Embedding(20, 6, padding_idx=0), nn.EmbeddingBag(20, 6, mode="mean")
    optimizer = torch.optim.Adagrad([*table.parameters(), *bag.parameters()], 0.1)
    words, offsets = torch.randint(0, 20, (3, 5)), torch.tensor([0, 4, 9])

    def step() -> Any:
        optimizer.zero_grad()
        both = torch.cat([table(words).mean(1), bag(words.flatten(), offsets)], dim=1)
        loss = (both @ both.T).logsumexp(1).sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def packed_sequences() -> Step:
    lstm, head = nn.LSTM(4, 6, batch_first=True), nn.Linear(6, 2)
    x, lengths = torch.randn(3, 5, 4), [5, 3, 2]

    def step() -> Any:
        packed = rnn.pack_padded_sequence(x, lengths, batch_first=True)
        out, (h, _) = lstm(packed)
        padded, _ = rnn.pad_packed_sequence(out, batch_first=True)
        loss = head(h[-1]).pow(2).sum() + padded.sum()
        lstm.zero_grad()
        head.zero_grad()
        loss.backward()
        return loss.detach(), lstm.weight_ih_l0.grad.clone()

    return step


def gan() -> Step:
    generator, critic = (
        nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)),
        nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)),
    )
    of_generator, of_critic = (torch.optim.Adam(net.parameters(), 0.01, betas=(0.5, 0.999)) for net in (generator, critic))
    real = torch.randn(8, 2)

    def step() -> Any:
        z = torch.randn(8, 3)
        fake = generator(z)
        of_critic.zero_grad()
        loss = F.binary_cross_entropy_with_logits(critic(real), torch.ones(8, 1))
        loss = loss + F.binary_cross_entropy_with_logits(critic(fake.detach()), torch.zeros(8, 1))
        loss.backward()
        of_critic.step()
        of_generator.zero_grad()
        other = F.binary_cross_entropy_with_logits(critic(fake), torch.ones(8, 1))
        other.backward()
        of_generator.step()
        return loss.detach(), other.detach()

    return step


def gradient_penalty() -> Step:
    critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    real, fake = torch.randn(8, 2), torch.randn(8, 2)

    def step() -> Any:
        critic.zero_grad()
        share = torch.rand(8, 1)
        between = (share * real + (1 - share) * fake).requires_grad_()
        (grad,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
        loss = critic(fake).mean() - critic(real).mean() + 10 * ((grad.norm(dim=1) - 1) ** 2).mean()
        loss.backward()
        return loss.detach(), critic[0].weight.grad.clone()

    return step


def mixed_precision() -> Step:
    net = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))

    def step() -> Any:
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = net(x)
            loss = F.cross_entropy(logits, y) + 0.1 * net(x.flip(1)).float().pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach(), logits.detach()

    return step


def scaled_gradients() -> Step:
    net = nn.Linear(6, 3)
    optimizer, scaler = torch.optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu")
    x = torch.randn(8, 6)

    def step() -> Any:
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = net(x).float().pow(2).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss.detach()

    return step


def accumulated_gradients() -> Step:
    net = nn.Linear(6, 3)
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    batches = torch.randn(4, 8, 6)

    def step() -> Any:
        optimizer.zero_grad()
        total = torch.zeros(())
        for batch in batches:
            loss = net(batch).pow(2).mean() / len(batches)
            loss.backward()
            total += loss.detach()
        optimizer.step()
        return total

    return step


def gradients_that_stay() -> Step:
    net = nn.Linear(6, 3)
    x = torch.randn(8, 6)

    def step() -> Any:
        net(x).pow(2).mean().backward()
        return net.weight.grad, net.bias.grad.abs().max()

    return step


def lbfgs() -> Step:
    w = torch.randn(4, requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=3)
    x, y = torch.randn(8, 4), torch.randn(8)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (x @ w - y).pow(2).mean()
        loss.backward()
        return loss

    def step() -> Any:
        return optimizer.step(closure).detach()

    return step


def transforms() -> Step:
    w, x = torch.randn(3, 4), torch.randn(5, 4)

    def loss(w: Any, x: Any) -> Any:
        return (w @ x).tanh().pow(2).sum()

    def step() -> Any:
        by_sample = torch.func.vmap(torch.func.grad(loss), (None, 0))(w, x)
        return by_sample, torch.func.jacrev(loss, 1)(w, x[0]), torch.func.hessian(loss, 1)(w, x[1])

    return step


def modules_as_functions() -> Step:
    net = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 1))
    parameters = {name: one.detach() for name, one in net.named_parameters()}
    x = torch.randn(6, 4)

    def step() -> Any:
        def loss(parameters: Any, x: Any) -> Any:
            return torch.func.functional_call(net, parameters, (x,)).pow(2).sum()

        return torch.func.grad_and_value(loss)(parameters, x)

    return step


class Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, scale: float) -> Any:
        ctx.save_for_backward(x)
        ctx.scale = scale
        return (x * scale).round()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * ctx.scale * (x.abs() < 1), None


def function_of_ones_own() -> Step:
    w, x = torch.randn(4, 3, requires_grad=True), torch.randn(5, 4)

    def step() -> Any:
        loss = Straight.apply(x @ w, 2.0).pow(2).sum()
        return torch.autograd.grad(loss, w)

    return step


def checkpoints() -> Step:
    blocks = nn.ModuleList([nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Dropout(0.1)) for _ in range(3)])
    x = torch.randn(5, 4)

    def step() -> Any:
        blocks.zero_grad()
        y = x
        for block in blocks:
            y = y + checkpoint(block, y, use_reentrant=False)
        y.pow(2).mean().backward()
        return y.detach(), [one.grad.clone() for one in blocks.parameters()]

    return step


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x: Any) -> Any:
        if self.training:
            self.seen += 1
            self.mean.lerp_(x.detach().mean(0), 0.1)
        return x - self.mean


def buffers() -> Step:
    net = nn.Sequential(Counting(), nn.Linear(4, 3))
    x = torch.randn(6, 4)

    def step() -> Any:
        return net(x).detach(), net[0].seen.clone(), net[0].mean.clone()

    return step


def weight_norm() -> Step:
    net = nn.Sequential(
        parametrizations.weight_norm(nn.Linear(4, 6)), nn.ReLU(), parametrizations.spectral_norm(nn.Linear(6, 2))
    )
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    x = torch.randn(6, 4)

    def step() -> Any:
        optimizer.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def named_results() -> Step:
    net = nn.Linear(4, 3)
    x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))

    def step() -> Any:
        logits = net(x)
        return Out(F.nll_loss(logits.log_softmax(1), y), logits.detach())

    return step


def unrolled_decoder() -> Step:
    cell, head, table = nn.GRUCell(4, 4), nn.Linear(4, 7), nn.Embedding(7, 4)

    def step() -> Any:
        with torch.no_grad():
            h, word, words = torch.zeros(3, 4), torch.zeros(3, dtype=torch.long), []
            for _ in range(5):
                h = cell(table(word), h)
                word = head(h).argmax(1)
                words.append(word)
            return torch.stack(words, 1)

    return step


def beam_search() -> Step:
    step_scores = torch.randn(4, 6, 6).log_softmax(-1)

    def step() -> Any:
        beams = [((0,), 0.0)]
        for scores in step_scores:
            found = []
            for words, score in beams:
                values, places = scores[words[-1]].topk(2)
                found += [((*words, place.item()), score + value.item()) for value, place in zip(values, places, strict=True)]
            beams = sorted(found, key=lambda one: -one[1])[:2]
        return torch.tensor([words for words, _ in beams])

    return step


def early_stop() -> Step:
    x = torch.randn(5)

    def step() -> Any:
        y = x
        while y.norm() > 0.5:
            y = y * 0.5
        return y

    return step


def policy_gradient() -> Step:
    policy = nn.Linear(4, 3)
    states, rewards = torch.randn(10, 4), torch.randn(10)

    def step() -> Any:
        spread = torch.distributions.Categorical(logits=policy(states))
        actions = spread.sample()
        returns = torch.flip(torch.cumsum(torch.flip(rewards, [0]), 0), [0])
        loss = (
            -(spread.log_prob(actions) * (returns - returns.mean()) / (returns.std() + 1e-6)).mean()
            - 0.01 * spread.entropy().mean()
        )
        policy.zero_grad()
        loss.backward()
        return actions, loss.detach(), policy.weight.grad.clone()

    return step


def variational() -> Step:
    encoder, decoder = nn.Linear(6, 4), nn.Linear(2, 6)
    x = torch.rand(5, 6)

    def step() -> Any:
        mean, spread = encoder(x).chunk(2, -1)
        z = torch.distributions.Normal(mean, spread.mul(0.5).exp()).rsample()
        kl = torch.distributions.kl_divergence(
            torch.distributions.Normal(mean, spread.mul(0.5).exp()), torch.distributions.Normal(0.0, 1.0)
        )
        loss = F.binary_cross_entropy(decoder(z).sigmoid(), x, reduction="sum") + kl.sum()
        return torch.autograd.grad(loss, [encoder.weight, decoder.weight])

    return step


def contrastive() -> Step:
    net, temperature = nn.Linear(6, 4), nn.Parameter(torch.tensor(0.1))
    x = torch.randn(5, 6)

    def step() -> Any:
        one, other = (F.normalize(net(x + 0.1 * torch.randn_like(x)), dim=-1) for _ in range(2))
        logits = one @ other.t() / temperature
        labels = torch.arange(len(x))
        loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2
        loss.backward()
        found = net.weight.grad.clone(), temperature.grad.clone()
        net.weight.grad = net.bias.grad = temperature.grad = None
        return found

    return step


def replay_buffer() -> Step:
    net, target = nn.Linear(4, 2), nn.Linear(4, 2)
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    states, actions, rewards, done = torch.randn(32, 4), torch.randint(0, 2, (32,)), torch.randn(32), torch.rand(32) < 0.1

    def step() -> Any:
        rows = torch.randint(0, 31, (8,))
        values = net(states[rows]).gather(1, actions[rows].unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            wanted = rewards[rows] + 0.9 * target(states[rows + 1]).max(1).values * (~done[rows]).float()
        loss = F.smooth_l1_loss(values, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for mine, its in zip(target.parameters(), net.parameters(), strict=True):
            mine.data.mul_(0.99).add_(its.data, alpha=0.01)
        return loss.detach()

    return step


def transformer_with_masks() -> Step:
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    attention, norm = nn.MultiheadAttention(8, 2, batch_first=True), nn.RMSNorm(8)
    x, padding = torch.randn(2, 5, 8), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])

    def step() -> Any:
        later = torch.triu(torch.ones(5, 5, dtype=torch.bool), 1)
        mixed, weights = attention(x, x, x, attn_mask=later)
        y = layer(norm(mixed), src_key_padding_mask=padding)
        y = y + F.scaled_dot_product_attention(y, y, y, attn_mask=~later)
        return weights.detach(), *torch.autograd.grad(y.pow(2).mean(), [attention.in_proj_weight, norm.weight])

    return step


PROGRAMS: dict[str, Callable[[], Step]] = {
    one.__name__: one
    for one in (
        training_with_a_schedule, accuracy_beside_the_loss, moving_average_of_weights, augmentation, masked_sequences,
        attention_by_einsum, embeddings, packed_sequences, gan, gradient_penalty, mixed_precision, scaled_gradients,
        accumulated_gradients, gradients_that_stay, lbfgs, transforms, modules_as_functions, function_of_ones_own, checkpoints,
        buffers, weight_norm, named_results, unrolled_decoder, beam_search, early_stop, policy_gradient, variational, contrastive,
        replay_buffer, transformer_with_masks,
    )
}  # fmt: skip
