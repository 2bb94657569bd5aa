"""What recurrent layers record and how their results lie in memory: time or batch first, both ways, whole and packed."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(2, 5, 3)


def names(state):
    return [each.grad_fn.name() for each in (state if isinstance(state, tuple) else (state,))]


for kind in (nn.RNN, nn.GRU, nn.LSTM):
    for batch_first in (False, True):
        for both_ways in (False, True):
            for layers in (1, 2):
                model = kind(3, 4, layers, batch_first=batch_first, bidirectional=both_ways)
                out, state = model(x)
                print(kind.__name__, batch_first, both_ways, layers, out.grad_fn.name(), names(state))
                print(out.stride(), out._version, out._base is None)
                out, state = model(x[0])
                print("one", out.grad_fn.name(), out.stride(), names(state))
                given = x if batch_first else x.transpose(0, 1)
                packed = nn.utils.rnn.pack_padded_sequence(given, [5, 3], batch_first=batch_first)
                out, state = model(packed)
                print("packed", out.data.grad_fn.name(), names(state))
                model(given)[0].square().sum().backward()
                print([round(each.grad.norm().item(), 3) for each in model.parameters()])
