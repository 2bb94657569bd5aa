"""torchvision: small networks trained a step, features of a traced one, transforms, and boxes and regions with their gradients."""

import torch
from torchvision import models, ops
from torchvision.models.feature_extraction import create_feature_extractor
from torchvision.transforms import v2

torch.manual_seed(0)
pictures, labels = torch.randn(2, 3, 48, 48), torch.tensor([0, 1])
for make in (models.resnet18, models.mobilenet_v3_small, models.squeezenet1_1):
    torch.manual_seed(1)
    model = make(num_classes=2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(pictures), labels)
        loss.backward()
        optimizer.step()
        print(make.__name__, f"{loss.item():.4f}")
torch.manual_seed(2)
features = create_feature_extractor(models.resnet18(num_classes=2).eval(), {"layer1": "low", "layer4": "high"})(pictures)
print({name: (tuple(one.shape), round(one.mean().item(), 4)) for name, one in features.items()})

turned = v2.Compose([v2.Resize(16), v2.CenterCrop(12), v2.Normalize([0.5] * 3, [0.2] * 3), v2.RandomHorizontalFlip(1.0)])
print(turned(pictures).mean((0, 2, 3)))

corners = torch.rand(20, 2) * 8
boxes, scores = torch.cat([corners, corners + 1 + torch.rand(20, 2) * 6], 1), torch.rand(20)
print(
    ops.nms(boxes, scores, 0.3).tolist(),
    ops.box_iou(boxes[:2], boxes[2:5]),
    ops.generalized_box_iou_loss(boxes[:3], boxes[3:6]),
)
x = torch.randn(1, 4, 12, 12, requires_grad=True)
regions = [boxes[:5]]
shift, weight = torch.randn(1, 18, 10, 10, requires_grad=True), torch.randn(2, 4, 3, 3, requires_grad=True)
for name, out in (
    ("roi_align", ops.roi_align(x, regions, 3, 0.7, 2, aligned=True)),
    ("roi_pool", ops.roi_pool(x, regions, 3)),
    ("ps_roi_align", ops.ps_roi_align(x, regions, 2)),
    ("ps_roi_pool", ops.ps_roi_pool(x, regions, 2)),
    ("deform_conv2d", ops.deform_conv2d(x, shift, weight, mask=torch.rand(1, 9, 10, 10))),
):
    x.grad = None
    out.square().sum().backward()
    print(name, tuple(out.shape), f"{out.sum().item():.3f} {x.grad.abs().sum().item():.3f}")
print(f"{shift.grad.abs().sum().item():.2f} {weight.grad.abs().sum().item():.2f}")

torch.manual_seed(3)
detector = models.detection.fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, num_classes=3)
target = [{"boxes": torch.tensor([[4.0, 4.0, 30.0, 30.0]]), "labels": torch.tensor([1])}]
losses = detector([torch.rand(3, 48, 48)], target)
sum(losses.values()).backward()
print({name: round(one.item(), 3) for name, one in losses.items() if name != "loss_objectness"})

photograph = (torch.rand(3, 50, 60, generator=torch.Generator().manual_seed(0)) * 255).to(torch.uint8)
for size in ((32, 32), (70, 33)):
    small = v2.Resize(size)(photograph)
    print(tuple(small.shape), [int(one) for one in small.sum((1, 2))])
