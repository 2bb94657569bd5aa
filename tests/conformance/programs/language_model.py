"""A transformer as language model: causal mask, tied weights, warm-up, two groups of AdamW, gradients over two batches."""

import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
WORDS, WIDTH, LENGTH = 30, 16, 8


class PositionalEncoding(nn.Module):
    def __init__(self, width, most=100):
        super().__init__()
        table = torch.zeros(most, width)
        position = torch.arange(most).unsqueeze(1)
        rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("table", table.unsqueeze(0))

    def forward(self, x):
        return x + self.table[:, : x.size(1)]


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.dropout = nn.Dropout(0.1)
        self.position = PositionalEncoding(WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 32, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.size(1))
        embedded = self.dropout(self.position(self.embedding(x) * math.sqrt(WIDTH)))
        return self.head(self.encoder(embedded, mask=mask, is_causal=True))


text = torch.randint(0, WORDS, (40, LENGTH + 1))
train, valid = random_split(TensorDataset(text), [32, 8], generator=torch.Generator().manual_seed(1))
model = LanguageModel()
print(sum(p.numel() for p in model.parameters()))
decayed = [p for p in model.parameters() if p.dim() > 1]
rest = [p for p in model.parameters() if p.dim() <= 1]
groups = [{"params": decayed, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups, lr=1e-2)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))
for epoch in range(2):
    model.train()
    for i, (batch,) in enumerate(DataLoader(train, batch_size=8, shuffle=True)):
        scores = model(batch[:, :-1]).reshape(-1, WORDS)
        loss = nn.functional.cross_entropy(scores, batch[:, 1:].reshape(-1), label_smoothing=0.1) / 2
        loss.backward()
        if i % 2:
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            scheduler.step()
        print(epoch, i, f"{loss.item() * 2:.4f}", scheduler.get_last_lr())
    model.eval()
    with torch.no_grad():
        losses = [
            nn.functional.cross_entropy(model(batch[:, :-1]).transpose(1, 2), batch[:, 1:]).item()
            for (batch,) in DataLoader(valid, batch_size=4)
        ]
    print(f"{sum(losses) / len(losses):.3f}")  # on some processors PyTorch's fourth digit is another
