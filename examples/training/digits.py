"""A convolutional net that reads handwritten digits: 98% of those it has never seen, in well under a minute.

    python -m rushlight examples/training/digits.py --plot loss.png

It needs scikit-learn (for its 1797 digits of 8x8 pixels), tqdm and matplotlib: pip install 'rushlight[examples]'
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from tqdm import tqdm


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.norm = nn.BatchNorm2d(32)
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(32 * 4 * 4, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.norm(self.conv2(x))), 2)
        x = self.dropout(torch.flatten(x, 1))
        return self.fc2(F.relu(self.fc1(x)))


def load(test_share=0.2):
    """Images of shape (N, 1, 8, 8) in [0, 1] and their labels, shuffled, in two parts."""
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
    labels = torch.tensor(digits.target)
    order = torch.randperm(len(labels))
    images, labels = images[order], labels[order]
    split = int(len(labels) * (1 - test_share))
    return images[:split], labels[:split], images[split:], labels[split:]


def accuracy(model, images, labels):
    model.eval()
    with torch.no_grad():
        right = (model(images).argmax(dim=1) == labels).float().mean().item()
    model.train()
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--steps", type=int, default=None, help="stop after so many steps")
    parser.add_argument("--show", type=int, default=0, help="print the losses of so many first steps")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", metavar="FILE", help="save a plot of the loss")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    train_images, train_labels, test_images, test_labels = load()
    model = Net()
    print(f"{len(train_labels)} digits to learn from, {sum(p.numel() for p in model.parameters())} parameters")
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
    losses = []

    for epoch in range(args.epochs):
        batches = torch.randperm(len(train_labels)).split(args.batch_size)
        for batch in tqdm(batches, desc=f"epoch {epoch + 1:2}", leave=False):
            if len(losses) == args.steps:
                break
            optimizer.zero_grad()
            loss = F.cross_entropy(model(train_images[batch]), train_labels[batch])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if len(losses) <= args.show:
                print(f"step {len(losses):3}  loss {losses[-1]:.6f}")
        scheduler.step()
        if len(losses) == args.steps:
            break
        print(f"epoch {epoch + 1:2}  loss {losses[-1]:.4f}  accuracy {accuracy(model, test_images, test_labels):.1%}")

    print(f"accuracy on {len(test_labels)} digits never seen: {accuracy(model, test_images, test_labels):.2%}")
    if args.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        plt.figure(figsize=(6, 4))
        plt.semilogy(losses)
        plt.xlabel("step")
        plt.ylabel("loss")
        plt.savefig(args.plot)
        print(f"plot in {args.plot}")


if __name__ == "__main__":
    main()
