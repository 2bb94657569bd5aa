"""captum, backpack, entmax and opacus: attributions, gradients of each example, sparse attention, and private training."""

import warnings

import torch

warnings.simplefilter("ignore")
from backpack import backpack, extend, extensions  # noqa: E402
from captum.attr import DeepLift, IntegratedGradients, LayerGradCam, Saliency  # noqa: E402
from entmax import entmax15, sparsemax  # noqa: E402
from opacus.grad_sample import GradSampleModule  # noqa: E402
from opacus.optimizers import DPOptimizer  # noqa: E402

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(1, 3, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(48, 4))
x, labels = torch.randn(3, 1, 6, 6), torch.tensor([0, 1, 3])
for method, options in (
    (IntegratedGradients(model), {"n_steps": 8}),
    (Saliency(model), {}),
    (DeepLift(model), {}),
    (LayerGradCam(model, model[0]), {}),
):
    print(type(method).__name__, method.attribute(x, target=labels, **options).abs().sum())
extended, loss_of = extend(model), extend(torch.nn.CrossEntropyLoss())
with backpack(extensions.BatchGrad(), extensions.Variance(), extensions.DiagGGNExact()):
    loss_of(extended(x), labels).backward()
weight = model[3].weight
print(weight.grad_batch.abs().sum((1, 2)), weight.variance.sum(), weight.diag_ggn_exact.sum())
logits = torch.randn(2, 5, requires_grad=True)
(entmax15(logits, -1) * sparsemax(logits, -1)).square().sum().backward()
print(entmax15(logits, -1), logits.grad)
torch.manual_seed(1)
private = GradSampleModule(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)))
optimizer = DPOptimizer(
    torch.optim.SGD(private.parameters(), lr=0.1),
    noise_multiplier=0.5,
    max_grad_norm=1.0,
    expected_batch_size=6,
    generator=torch.Generator().manual_seed(0),
)
loss = torch.nn.functional.cross_entropy(private(torch.randn(6, 4)), torch.tensor([0, 1] * 3))
loss.backward()
optimizer.step()
print(f"{loss.item():.4f}", [one.abs().sum().item() for one in private.parameters()])
