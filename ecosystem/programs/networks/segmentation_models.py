"""segmentation-models-pytorch, vit-pytorch and perceiver-pytorch: networks for pictures, each trained a step or two."""

import segmentation_models_pytorch as smp
import torch
import vit_pytorch
from perceiver_pytorch import Perceiver
from vit_pytorch.cct import CCT
from vit_pytorch.max_vit import MaxViT
from vit_pytorch.nest import NesT
from vit_pytorch.simple_vit import SimpleViT

torch.manual_seed(0)
pictures, labels, mask = torch.randn(4, 3, 64, 64), torch.tensor([0, 1, 1, 0]), torch.randint(0, 2, (4, 1, 64, 64)).float()
for make in (smp.Unet, smp.FPN, smp.DeepLabV3Plus, smp.MAnet, smp.Segformer):
    torch.manual_seed(1)
    model = make("resnet18", encoder_weights=None, classes=1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for loss_of in (smp.losses.DiceLoss("binary"), smp.losses.LovaszLoss("binary")):
        optimizer.zero_grad()
        loss = loss_of(model(pictures), mask)
        loss.backward()
        optimizer.step()
        print(make.__name__, f"{loss.item():.4f}")
counts = smp.metrics.get_stats(model(pictures).sigmoid(), mask.long(), mode="binary", threshold=0.5)
print([one.tolist() for one in counts], smp.metrics.iou_score(*counts, reduction="micro"))
common = {"image_size": 64, "num_classes": 2, "dim": 16, "depth": 1, "heads": 2}
for make in (
    lambda: vit_pytorch.ViT(patch_size=8, mlp_dim=16, **common),
    lambda: SimpleViT(patch_size=8, mlp_dim=16, **common),
    lambda: CCT(
        img_size=64,
        embedding_dim=16,
        num_layers=1,
        num_heads=2,
        num_classes=2,
        n_conv_layers=1,
        kernel_size=7,
        stride=2,
        padding=3,
    ),
    lambda: MaxViT(num_classes=2, dim=8, depth=(1,), dim_head=4, dim_conv_stem=8, window_size=4),
    lambda: NesT(image_size=64, patch_size=4, dim=8, heads=2, num_hierarchies=2, block_repeats=(1, 1), num_classes=2),
    lambda: Perceiver(num_freq_bands=2, depth=1, max_freq=4.0, num_latents=4, latent_dim=8, latent_dim_head=4, num_classes=2),
):
    torch.manual_seed(1)
    model = make()
    out = model.eval()(pictures.permute(0, 2, 3, 1) if isinstance(model, Perceiver) else pictures)
    loss = torch.nn.functional.cross_entropy(out, labels)
    loss.backward()
    print(
        type(model).__name__,
        f"{loss.item():.4f} {sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None):.2f}",
    )
