"""Reverses words: GRU encoder over packed sequences, additive attention, teacher forcing, beam search."""

import random

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

PAD, START, END = 0, 1, 2
letters = "abcdefg"


def encoded(word):
    return torch.tensor([letters.index(one) + 3 for one in word] + [END])


class Encoder(nn.Module):
    def __init__(self, size, width):
        super().__init__()
        self.embed = nn.Embedding(size, width, padding_idx=PAD)
        self.gru = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * width, width)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(self.embed(words), lengths, batch_first=True, enforce_sorted=False)
        out, last = self.gru(packed)
        return pad_packed_sequence(out, batch_first=True)[0], torch.tanh(self.bridge(torch.cat([last[0], last[1]], -1)))


class Decoder(nn.Module):
    def __init__(self, size, width):
        super().__init__()
        self.embed = nn.Embedding(size, width)
        self.query, self.key, self.score = nn.Linear(width, width, bias=False), nn.Linear(2 * width, width), nn.Linear(width, 1)
        self.cell, self.out = nn.GRUCell(3 * width, width), nn.Linear(3 * width, size)

    def forward(self, token, state, memory, mask):
        scores = self.score(torch.tanh(self.query(state)[:, None] + self.key(memory))).squeeze(-1)
        weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        context = torch.bmm(weights[:, None], memory).squeeze(1)
        state = self.cell(torch.cat([self.embed(token), context], -1), state)
        return self.out(torch.cat([state, context], -1)), state, weights


torch.manual_seed(0)
random.seed(0)
words = ["".join(random.choices(letters, k=random.randint(2, 5))) for _ in range(24)]
encoder, decoder = Encoder(10, 12), Decoder(10, 12)
parameters = [*encoder.parameters(), *decoder.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.02)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.03, total_steps=24)
for step in range(24):
    batch = words[step % 4 * 6 : step % 4 * 6 + 6]
    source = pad_sequence([encoded(word) for word in batch], batch_first=True)
    target = pad_sequence([encoded(word[::-1]) for word in batch], batch_first=True, padding_value=PAD)
    lengths = (source != PAD).sum(1)
    memory, state = encoder(source, lengths)
    token, logits = torch.full((6,), START), []
    for place in range(target.shape[1]):
        scores, state, weights = decoder(token, state, memory, source != PAD)
        logits.append(scores)
        token = target[:, place] if random.random() < 0.7 else scores.argmax(-1)
    loss = F.cross_entropy(torch.stack(logits, 1).transpose(1, 2), target, ignore_index=PAD)
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    scheduler.step()
    if step % 4 == 3:
        print(step, f"{loss.item():.4f} {norm.item():.4f} {optimizer.param_groups[0]['lr']:.6f}")
print((weights * 100).round().int())


@torch.no_grad()
def search(word, beam=3):
    memory, state = encoder(encoded(word)[None], torch.tensor([len(word) + 1]))
    beams = [(0.0, [START], state)]
    for _ in range(6):
        grown = []
        for score, tokens, state in beams:
            if tokens[-1] == END:
                grown.append((score, tokens, state))
                continue
            logits, after, _ = decoder(
                torch.tensor([tokens[-1]]), state, memory, torch.ones(1, len(word) + 1, dtype=torch.bool)
            )
            values, indices = logits.log_softmax(-1)[0].topk(beam)
            grown += [(score + v, [*tokens, i], after) for v, i in zip(values.tolist(), indices.tolist())]
        beams = sorted(grown, key=lambda one: -one[0])[:beam]
    return [(round(score, 3), "".join(letters[i - 3] for i in tokens[1:] if i > 2)) for score, tokens, _ in beams]


for word in words[:3]:
    print(word, search(word))
