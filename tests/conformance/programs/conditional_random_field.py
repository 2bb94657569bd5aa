"""A conditional random field over sentences of different lengths: marginals are the gradient of the partition function."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(4)


class CRF(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.moves = nn.Parameter(torch.randn(tags, tags) * 0.1)
        self.first = nn.Parameter(torch.zeros(tags))
        self.last = nn.Parameter(torch.zeros(tags))

    def partition(self, scores, mask):
        alpha = self.first + scores[:, 0]
        for t in range(1, scores.size(1)):
            step = torch.logsumexp(alpha.unsqueeze(2) + self.moves + scores[:, t].unsqueeze(1), dim=1)
            alpha = torch.where(mask[:, t, None], step, alpha)
        return torch.logsumexp(alpha + self.last, dim=-1)

    def score(self, scores, tags, mask):
        kept = mask.to(scores.dtype)
        total = (scores.gather(2, tags.unsqueeze(2)).squeeze(2) * kept).sum(1)
        total += (self.moves[tags[:, :-1], tags[:, 1:]] * kept[:, 1:]).sum(1)
        ends = tags.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
        return total + self.first[tags[:, 0]] + self.last[ends]

    @torch.no_grad()
    def decode(self, scores, mask):
        best, pointers = self.first + scores[:, 0], []
        for t in range(1, scores.size(1)):
            top, where = (best.unsqueeze(2) + self.moves).max(dim=1)
            stay = torch.arange(best.size(1)).expand_as(where)
            best = torch.where(mask[:, t].unsqueeze(1), top + scores[:, t], best)
            pointers.append(torch.where(mask[:, t].unsqueeze(1), where, stay))
        value, tag = (best + self.last).max(dim=1)
        path = [tag]
        for where in reversed(pointers):
            path.append(where.gather(1, path[-1].unsqueeze(1)).squeeze(1))
        return value, torch.stack(path[::-1], 1).masked_fill(~mask, -1)


class Tagger(nn.Module):
    def __init__(self, words, tags, size=8):
        super().__init__()
        self.words = nn.Embedding(words, size, padding_idx=0)
        self.lstm = nn.LSTM(size, size, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * size, tags)
        self.crf = CRF(tags)

    def forward(self, x):
        return self.out(self.lstm(self.words(x))[0])


sentences = [[3, 1, 4, 1, 5, 9, 2], [6, 5, 3, 5], [8, 9, 7, 9, 3], [2, 3]]
x = pad_sequence([torch.tensor(one) for one in sentences], batch_first=True)
mask = x != 0
tags = torch.where(x % 3 == 0, 0, 1 + (x > 4).long())
model = Tagger(10, 3)
print(model)
opt = torch.optim.Rprop(model.parameters(), lr=0.02)
for step in range(6):
    opt.zero_grad()
    scores = model(x)
    loss = (model.crf.partition(scores, mask) - model.crf.score(scores, tags, mask)).mean()
    loss.backward()
    opt.step()
    print(step, f"{loss.item():.4f}", f"{model.crf.moves.grad.norm():.4f}", model.words.weight.grad[0].abs().sum().item())

scores = model(x)
z = model.crf.partition(scores, mask)
(marginals,) = torch.autograd.grad(z.sum(), scores, create_graph=True)
print(marginals[1], marginals.sum(-1))
entropy = z - (marginals * scores).sum((1, 2))
pairs, first, last = torch.autograd.grad(z.sum(), [model.crf.moves, model.crf.first, model.crf.last], create_graph=True)
print(pairs.sum(), first, last)
marginals.pow(2).sum().backward()
print(model.crf.moves.grad, entropy)
print(*model.crf.decode(scores, mask), sep="\n")
try:
    model.crf.partition(scores, mask[:, :2])
except IndexError as error:
    print(error)
