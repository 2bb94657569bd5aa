"""timm: vision transformers and convolutional networks, its optimizers and its schedule."""

import timm
import torch
from timm.loss import LabelSmoothingCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler

torch.manual_seed(0)
# In double precision, and enough of them: normalization over few numbers makes much of roundings.
pictures, labels = torch.randn(8, 3, 64, 64).double(), torch.arange(8) % 2
for name, options, optimizer_name in (
    ("vit_tiny_patch16_224", {"img_size": 64, "patch_size": 8, "depth": 2}, "adamw"),
    ("resnet10t", {}, "lamb"),
    ("convnext_atto", {"depths": (1, 1, 1, 1)}, "nadamw"),
    ("efficientnet_lite0", {}, "sgdw"),
):
    torch.manual_seed(1)
    model = timm.create_model(name, num_classes=2, **options).double()
    optimizer = create_optimizer_v2(model, opt=optimizer_name, lr=0.01, weight_decay=0.05)
    schedule = CosineLRScheduler(optimizer, t_initial=10, warmup_t=2, warmup_lr_init=0.001)
    for step in range(2):
        schedule.step(step)
        optimizer.zero_grad()
        loss = LabelSmoothingCrossEntropy()(model(pictures), labels)
        loss.backward()
        optimizer.step()
        print(name, f"{loss.item():.4f} {optimizer.param_groups[0]['lr']:.5f}")
    print(model.forward_features(pictures).shape)
