"""A small GPT that learns the first chapter of Alice in Wonderland letter by letter, and then goes on writing.

python -m rushlight examples/training/chargpt.py
python -m rushlight examples/training/chargpt.py --text some_other.txt --prompt "Once"
"""

import argparse
import math
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    """Every position looks back, at itself and what came before it, by several heads at once."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.qkv(x).split(width, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads, dropout)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(dropout))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, letters, context, width, layers, heads, dropout):
        super().__init__()
        self.context = context
        self.letter = nn.Embedding(letters, width)
        self.place = nn.Embedding(context, width)
        self.blocks = nn.ModuleList([Block(width, heads, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, letters, bias=False)
        self.head.weight = self.letter.weight  # what a letter means coming in, it means going out
        self.apply(self.start)

    @staticmethod
    def start(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, letters):
        x = self.letter(letters) + self.place(torch.arange(letters.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))

    @torch.no_grad()
    def write(self, letters, count, temperature=0.8):
        """Adds ``count`` letters to a tensor of shape (1, length)."""
        self.eval()
        for _ in range(count):
            logits = self(letters[:, -self.context :])[:, -1] / temperature
            following = torch.multinomial(F.softmax(logits, dim=-1), 1)
            letters = torch.cat([letters, following], dim=1)
        self.train()
        return letters


def rate(step, steps, peak=3e-3, warmup=20):
    """The learning rate climbs for some steps and then falls along a cosine to a tenth."""
    if step < warmup:
        return peak * (step + 1) / warmup
    done = (step - warmup) / max(1, steps - warmup)
    return peak * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * done)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, default=Path(__file__).with_name("alice.txt"))
    parser.add_argument("--prompt", default="Alice ")
    parser.add_argument("--letters", type=int, default=300, help="how many to write at the end")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--context", type=int, default=64)
    parser.add_argument("--width", type=int, default=96)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--show", type=int, default=0, help="print the losses of so many first steps")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    text = args.text.read_text(encoding="utf-8").replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n")
    alphabet = sorted(set(text))
    number = {letter: i for i, letter in enumerate(alphabet)}
    data = torch.tensor([number[letter] for letter in text])
    prompt = torch.tensor([[number[letter] for letter in args.prompt if letter in number]])

    model = GPT(len(alphabet), args.context, args.width, args.layers, args.heads, args.dropout)
    print(f"{len(text)} letters, {len(alphabet)} different, {sum(p.numel() for p in model.parameters())} parameters")
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.95))

    for step in range(args.steps):
        starts = torch.randint(len(data) - args.context, (args.batch_size,))
        letters = torch.stack([data[i : i + args.context + 1] for i in starts.tolist()])
        for group in optimizer.param_groups:
            group["lr"] = rate(step, args.steps)
        logits = model(letters[:, :-1])
        loss = F.cross_entropy(logits.view(-1, len(alphabet)), letters[:, 1:].reshape(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step < args.show:
            print(f"step {step + 1:4}  loss {loss.item():.6f}")
        if (step + 1) % 100 == 0:
            sample = model.write(prompt, 80)[0].tolist()
            print(f"step {step + 1:4}  loss {loss.item():.4f}  {''.join(alphabet[i] for i in sample)!r}", flush=True)

    print("-" * 80)
    print("".join(alphabet[i] for i in model.write(prompt, args.letters)[0].tolist()))


if __name__ == "__main__":
    main()
