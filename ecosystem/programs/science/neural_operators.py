"""neuraloperator: operators between functions learned in Fourier space, and its losses."""

import warnings

import torch

warnings.simplefilter("ignore")
from neuralop.layers.spectral_convolution import SpectralConv  # noqa: E402
from neuralop.losses import H1Loss, LpLoss  # noqa: E402
from neuralop.models import FNO, TFNO, UNO  # noqa: E402
from neuralop.training import AdamW  # noqa: E402

torch.manual_seed(0)
x, y = torch.randn(4, 1, 16, 16), torch.randn(4, 1, 16, 16).cumsum(2) * 0.2
sizes = {"in_channels": 1, "out_channels": 1, "hidden_channels": 6}
for make in (
    lambda: FNO(n_modes=(6, 6), n_layers=2, **sizes),
    lambda: TFNO(n_modes=(6, 6), n_layers=2, factorization="tucker", rank=0.5, **sizes),
    lambda: TFNO(n_modes=(6, 6), n_layers=2, factorization="cp", rank=0.5, implementation="factorized", **sizes),
    lambda: UNO(
        uno_out_channels=[6, 6, 6],
        uno_n_modes=[[4, 4]] * 3,
        uno_scalings=[[0.5, 0.5], [1, 1], [2, 2]],
        n_layers=3,
        horizontal_skips_map=None,
        channel_mlp_skip="linear",
        **sizes,
    ),
):
    torch.manual_seed(1)
    model = make()
    optimizer = AdamW(model.parameters(), lr=5e-3, weight_decay=1e-4)
    for loss_of in (LpLoss(d=2, p=2), H1Loss(d=2), LpLoss(d=2)):
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
        print(type(model).__name__, f"{loss.item():.4f}")
torch.manual_seed(2)
layer = SpectralConv(2, 3, (6,))
out = layer(torch.randn(2, 2, 20))
out.square().sum().backward()
print(tuple(out.shape), out.sum(), sum(one.grad.abs().sum() for one in layer.parameters()))
