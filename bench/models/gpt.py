import torch
import torch.nn.functional as F
from torch import nn

TITLE = "character GPT, 2 layers of 64, 16 x 32, AdamW"
BOUND = 1.00
VOCABULARY, WIDTH, LENGTH, BATCH = 65, 64, 32, 16


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.mix, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.mix(self.first(x)).chunk(3, -1)
        query, key, value = (part.view(batch, length, 4, width // 4).transpose(1, 2) for part in parts)
        seen = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.second(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.place = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(Block(), Block())
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

    def forward(self, text):
        return self.head(self.norm(self.blocks(self.token(text) + self.place.weight)))


def setup():
    torch.manual_seed(0)
    model = Model()
    text = torch.randint(0, VOCABULARY, (BATCH, LENGTH + 1))
    return model, torch.optim.AdamW(model.parameters(), lr=1e-3), text[:, :-1], text[:, 1:]


def step(model, optimizer, text, following):
    optimizer.zero_grad()
    F.cross_entropy(model(text).reshape(-1, VOCABULARY), following.reshape(-1)).backward()
    optimizer.step()
