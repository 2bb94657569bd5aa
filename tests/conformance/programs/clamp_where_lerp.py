"""clamp, where, lerp, addcmul, addcdiv, masked_fill, nan_to_num, with bounds that are numbers or tensors."""

import torch

x = torch.tensor([-2.0, -0.5, 0.5, 3.0], requires_grad=True)
low = torch.tensor([-1.0, -1.0, 1.0, 1.0], requires_grad=True)
w = torch.tensor([0.0, 0.25, 0.5, 1.0], requires_grad=True)
leaves = {"x": x, "low": low, "w": w}
forms = """
x.clamp(-1, 1); x.clamp(min=0); x.clamp(max=0.5); torch.clamp(x, -0.5, 0.5); x.clip(0, 1); x.clamp_min(0.5); x.clamp_max(0.5)
x.clamp(min=low); torch.clamp(x, max=low); torch.clamp(x, low, low + 1); torch.clamp(x, 2, 1); torch.where(x > 0, x, low); torch.where(x > 0, x, 0.0)
torch.where(x > 0, 1.0, x); x.where(x > 0, low); torch.where(low > 0, x * 2, x * 3); torch.lerp(x, low, 0.25); x.lerp(low, w)
torch.addcmul(x, low, w); torch.addcmul(x, low, w, value=2); torch.addcdiv(x, w, low); x.addcdiv(w, low, value=-0.5); x.masked_fill(x > 0, 9)
x.masked_fill(x < 0, torch.tensor(4.0)); torch.maximum(x, low); torch.fmin(x, low); torch.nan_to_num(x * w, 1.0); w.clamp(max=0.5)
torch.relu(x); torch.nn.functional.relu6(x * 3); torch.threshold(x, 0, -7); torch.nn.functional.hardtanh(x); x.clamp(-2, 3); x.abs().clamp(max=2)
torch.hypot(x, low); torch.atan2(x * 0, low); torch.where(w > 0.3, x, low).clamp(-1, 1); torch.copysign(x, low); torch.sign(x) * x; torch.relu(x) ** 2
"""
for line in forms.strip().splitlines():
    for form in line.split("; "):
        y = eval(form)
        grads = torch.autograd.grad(y, list(leaves.values()), torch.tensor([1.0, 2.0, 4.0, 8.0]), allow_unused=True)
        shown = {n: [round(v, 4) + 0.0 for v in g.tolist()] for n, g in zip(leaves, grads, strict=True) if g is not None}
        print(f"{form}: {[round(v, 4) + 0.0 for v in y.tolist()]} {shown}")
i = torch.tensor([1, 5, 9])
print(i.clamp(2, 6), i.clamp(min=2.5), torch.where(i > 3, i, 0))
print(torch.where(i > 3, i, 0.5).dtype, torch.where(i > 3, 1, 2))
print(torch.where(torch.tensor(True), torch.tensor(1), torch.tensor(2.0)))
print(i.float().lerp(torch.zeros(3), 0.5), torch.where(i > 3))
y = torch.tensor([-1.0, 5.0])
print(y.clamp_(0, 3), y.clamp_min_(1), y.clip_(max=2))
print(y.lerp_(torch.zeros(2), 0.5), y.addcmul_(y, y), y.masked_fill_(y > 1, 0))
for f in (
    lambda: x.clamp(),
    lambda: torch.where(torch.tensor([1, 0]), 1, 2),
    lambda: x.masked_fill(torch.tensor([1, 0, 1, 0]), 0.0),
    lambda: x.masked_fill(x > 0, torch.ones(2)),
    lambda: torch.where(x > 0, torch.ones(3), x),
    lambda: torch.lerp(x, low.double(), 0.5),
):
    try:
        print(f())
    except RuntimeError as error:
        print(str(error))
