"""A variational autoencoder: learns to draw digits from pure noise. It needs scikit-learn for the digits it learns from.

python -m rushlight examples/training/vae.py
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


class VAE(nn.Module):
    """Squeezes an image into a few numbers with a spread each, and draws an image from such numbers."""

    def __init__(self, pixels=64, hidden=128, latent=8):
        super().__init__()
        self.latent = latent
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.mean = nn.Linear(hidden, latent)
        self.log_variance = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(
            nn.Linear(latent, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, pixels)
        )

    def forward(self, images):
        hidden = self.encoder(images)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        # the noise is drawn apart from the numbers, so gradients flow through them
        code = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return self.decoder(code), mean, log_variance


def loss_of(logits, images, mean, log_variance):
    """The evidence lower bound, negated, per image: what the drawing misses and what the code says beyond noise."""
    missed = F.binary_cross_entropy_with_logits(logits, images, reduction="sum")
    said = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
    return (missed + said) / len(images)


def show(images):
    """Images of shape (N, 64) side by side, in characters."""
    shades = " .:-=+*#%@"
    for row in range(8):
        cells = images.view(-1, 8, 8)[:, row]
        print("   ".join("".join(shades[min(9, int(v * 10))] * 2 for v in cell) for cell in cells.tolist()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--steps", type=int, default=None, help="stop after so many steps")
    parser.add_argument("--show", type=int, default=0, help="print the losses of so many first steps")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    images = torch.from_numpy(load_digits().data).float() / 16
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    steps = 0

    for epoch in range(args.epochs):
        total, count = 0.0, 0
        for batch in torch.randperm(len(images)).split(args.batch_size):
            if steps == args.steps:
                break
            logits, mean, log_variance = model(images[batch])
            loss = loss_of(logits, images[batch], mean, log_variance)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            steps += 1
            total, count = total + loss.item() * len(batch), count + len(batch)
            if steps <= args.show:
                print(f"step {steps:3}  loss {loss.item():.6f}")
        if steps == args.steps:
            break
        if (epoch + 1) % 5 == 0:
            print(f"epoch {epoch + 1:2}  loss {total / count:.4f}", flush=True)

    with torch.no_grad():
        print("digits, and what is left of them after eight numbers:")
        some = images[:5]
        show(some)
        show(torch.sigmoid(model.decoder(model.mean(model.encoder(some)))))
        print("digits that nobody wrote:")
        show(torch.sigmoid(model.decoder(torch.randn(5, model.latent))))


if __name__ == "__main__":
    main()
