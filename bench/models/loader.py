import torch
from torch.utils.data import DataLoader, TensorDataset

TITLE = "DataLoader, 1,000 samples of 64, batches of 32"
BOUND = 1.00


def setup():
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(1000, 64), torch.randint(0, 10, (1000,)))
    return (DataLoader(dataset, batch_size=32, shuffle=True),)


def step(loader):
    for _ in loader:
        pass
