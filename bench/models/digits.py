import torch
from torch import nn

TITLE = "digits: two convolutions, Adam, batch 64"
BOUND = 1.00


def setup():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 4 * 4, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return model, nn.CrossEntropyLoss(), optimizer, torch.rand(64, 1, 8, 8), torch.randint(0, 10, (64,))


def step(model, criterion, optimizer, images, labels):
    optimizer.zero_grad()
    criterion(model(images), labels).backward()
    optimizer.step()
