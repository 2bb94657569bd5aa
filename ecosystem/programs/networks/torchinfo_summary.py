"""torchinfo: the table of a network's layers, sizes and parameters."""

import torch
from torch import nn
from torchinfo import summary

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
        self.rnn = nn.LSTM(13, 6, batch_first=True)
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        x = self.body(x).mean(1)
        return self.head(self.rnn(x)[0][:, -1])


print(
    summary(
        Net(), input_size=(2, 1, 28, 28), verbose=0, col_names=("input_size", "output_size", "num_params", "mult_adds"), depth=3
    )
)
