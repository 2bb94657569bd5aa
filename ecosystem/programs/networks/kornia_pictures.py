"""kornia: colours, filters, geometry and augmentations with their gradients, features and losses."""

import kornia
import torch
from kornia import augmentation, color, enhance, filters, geometry, losses, morphology

torch.manual_seed(0)
picture = torch.rand(2, 3, 16, 16, requires_grad=True)
for name, function in (
    ("gray", color.rgb_to_grayscale),
    ("lab", color.rgb_to_lab),
    ("hsv", color.rgb_to_hsv),
    ("gaussian", lambda x: filters.gaussian_blur2d(x, (3, 3), (1.0, 1.5))),
    ("sobel", filters.sobel),
    ("median", lambda x: filters.median_blur(x, 3)),
    ("bilateral", lambda x: filters.bilateral_blur(x, (3, 3), 0.1, (1.0, 1.0))),
    ("gamma", lambda x: enhance.adjust_gamma(x, 0.7)),
    ("rotate", lambda x: geometry.rotate(x, torch.tensor([30.0, -15.0]))),
    ("warp", lambda x: geometry.warp_perspective(x, torch.eye(3)[None].repeat(2, 1, 1) + 0.01, (12, 12))),
    ("pyramid", lambda x: geometry.transform.build_pyramid(x, 2)[1]),
    ("dilation", lambda x: morphology.dilation(x, torch.ones(3, 3))),
    ("ssim", lambda x: losses.ssim_loss(x, x.flip(3), 5)),
    ("tv", losses.total_variation),
    ("elastic", lambda x: augmentation.RandomElasticTransform(p=1.0, kernel_size=(5, 5), sigma=(4.0, 4.0))(x)),
    ("harris", lambda x: kornia.feature.harris_response(color.rgb_to_grayscale(x))),
):
    picture.grad = None
    torch.manual_seed(1)
    out = function(picture)
    out.square().sum().backward()
    print(name, tuple(out.shape), f"{out.sum().item():.3f} {picture.grad.abs().sum().item():.2f}")
torch.manual_seed(2)
chain = augmentation.AugmentationSequential(
    augmentation.RandomAffine(20.0, p=1.0),
    augmentation.ColorJitter(0.2, 0.2, 0.2, 0.1, p=1.0),
    augmentation.RandomHorizontalFlip(p=1.0),
    data_keys=["input", "mask"],
)
changed, mask = chain(picture.detach(), (picture.detach() > 0.5).float())
print(f"{changed.sum().item():.2f} {mask.sum().item():.1f}")
points = torch.rand(1, 8, 2)
found = geometry.find_homography_dlt(points, points * 2 + 0.5)
print(found, geometry.quaternion_to_rotation_matrix(torch.tensor([0.9, 0.1, 0.2, 0.3])))
match = geometry.ImageRegistrator("similarity", num_iterations=5, lr=1e-2, pyramid_levels=2)
print(match.register(picture[:1].detach(), picture[1:].detach()))
