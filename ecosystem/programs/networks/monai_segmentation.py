"""MONAI: a UNet learns a segmentation, with its transforms, losses, metrics and a sliding window."""

import warnings

import torch

warnings.simplefilter("ignore")
from monai.data import MetaTensor  # noqa: E402
from monai.inferers import sliding_window_inference  # noqa: E402
from monai.losses import DiceCELoss, DiceLoss, FocalLoss, TverskyLoss  # noqa: E402
from monai.metrics import DiceMetric  # noqa: E402
from monai.networks.nets import UNETR, UNet, VNet  # noqa: E402
from monai.transforms import Compose, NormalizeIntensity, RandFlip, Rotate90, ScaleIntensity, Spacing, Zoom  # noqa: E402
from monai.utils import set_determinism  # noqa: E402

set_determinism(0)
picture = MetaTensor(torch.rand(1, 12, 12, 12), affine=torch.eye(4))
ready = Compose([ScaleIntensity(), NormalizeIntensity(), RandFlip(1.0, 0), Rotate90(1), Spacing((2.0, 1.0, 1.0)), Zoom(1.5)])(
    picture
)
print(type(ready).__name__, tuple(ready.shape), ready.affine, f"{ready.mean().item():.4f} {ready.std().item():.4f}")
print(len(ready.applied_operations), picture.__dict__.keys() == ready.__dict__.keys(), (picture + 1).meta["affine"].diag())
x, target = torch.rand(2, 1, 16, 16), (torch.rand(2, 1, 16, 16) > 0.6).long()
model = UNet(2, 1, 2, (4, 8, 16), (2, 2), num_res_units=1)
optimizer = torch.optim.Adam(model.parameters(), 1e-2)
for loss_of in (
    DiceLoss(to_onehot_y=True, softmax=True),
    DiceCELoss(to_onehot_y=True, softmax=True),
    FocalLoss(to_onehot_y=True),
):
    for _ in range(2):
        optimizer.zero_grad()
        loss = loss_of(model(x), target)
        loss.backward()
        optimizer.step()
    print(type(loss_of).__name__, f"{loss.item():.4f}")
measure = DiceMetric(include_background=False)
with torch.no_grad():
    whole = sliding_window_inference(x, (16, 8), 2, model.eval(), overlap=0.25, mode="gaussian")
measure(whole.argmax(1, keepdim=True), target)
print(tuple(whole.shape), f"{whole.mean().item():.4f} {measure.aggregate().item():.4f}", TverskyLoss(sigmoid=True)(x, target))
for make in (lambda: UNETR(1, 2, (16, 16), 4, 16, 16, 2, spatial_dims=2), lambda: VNet(2, 1, 2)):
    torch.manual_seed(1)
    net = make()
    out = net(x)
    out.square().mean().backward()
    print(
        type(net).__name__,
        f"{out.mean().item():.4f} {sum(p.grad.abs().sum().item() for p in net.parameters() if p.grad is not None):.3f}",
    )
