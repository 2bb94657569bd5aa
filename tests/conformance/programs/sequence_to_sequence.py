"""A sequence-to-sequence model with attention, teacher forcing, packed sequences and gradient clipping."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(1)
random.seed(1)
SOS, EOS, PAD = 0, 1, 2


class Encoder(nn.Module):
    def __init__(self, n, h):
        super().__init__()
        self.embedding = nn.Embedding(n, h, padding_idx=PAD)
        self.gru = nn.GRU(h, h, bidirectional=True, batch_first=True)
        self.join = nn.Linear(2 * h, h)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.embedding(x), lengths, batch_first=True, enforce_sorted=False)
        out, hidden = self.gru(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        return self.join(out), torch.tanh(self.join(torch.cat([hidden[0], hidden[1]], dim=1))).unsqueeze(0)


class Attention(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.Wa, self.Ua, self.Va = nn.Linear(h, h), nn.Linear(h, h), nn.Linear(h, 1)

    def forward(self, query, keys, mask):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys))).squeeze(2).unsqueeze(1)
        weights = F.softmax(scores.masked_fill(mask.unsqueeze(1), float("-inf")), dim=-1)
        return torch.bmm(weights, keys), weights


class Decoder(nn.Module):
    def __init__(self, h, n):
        super().__init__()
        self.embedding = nn.Embedding(n, h)
        self.attention = Attention(h)
        self.gru = nn.GRU(2 * h, h, batch_first=True)
        self.out = nn.Linear(h, n)
        self.dropout = nn.Dropout(0.1)

    def forward(self, keys, hidden, mask, target):
        token = torch.full((keys.size(0), 1), SOS, dtype=torch.long)
        outputs = []
        for i in range(target.size(1)):
            embedded = self.dropout(self.embedding(token))
            context, _ = self.attention(hidden.permute(1, 0, 2), keys, mask)
            output, hidden = self.gru(torch.cat((embedded, context), dim=2), hidden)
            outputs.append(self.out(output))
            token = target[:, i : i + 1] if random.random() < 0.5 else outputs[-1].topk(1)[1].squeeze(-1).detach()
        return F.log_softmax(torch.cat(outputs, dim=1), dim=-1)


pairs = [([random.randint(3, 12) for _ in range(random.randint(2, 6))]) for _ in range(16)]
xs = pad_sequence([torch.tensor(p) for p in pairs], batch_first=True, padding_value=PAD)
ys = pad_sequence([torch.tensor(p[::-1] + [EOS]) for p in pairs], batch_first=True, padding_value=PAD)
lengths = torch.tensor([len(p) for p in pairs])
encoder, decoder = Encoder(13, 16), Decoder(16, 13)
print(encoder)
parameters = [*encoder.parameters(), *decoder.parameters()]
opt = optim.Adam(parameters, lr=0.01)
criterion = nn.NLLLoss(ignore_index=PAD)
for step in range(6):
    opt.zero_grad()
    keys, hidden = encoder(xs, lengths)
    out = decoder(keys, hidden, xs == PAD, ys)
    loss = criterion(out.view(-1, 13), ys.view(-1))
    loss.backward()
    norm = nn.utils.clip_grad_norm_(parameters, 1.0)
    opt.step()
    print(f"{step} {loss.item():.4f} {norm:.4f}")
