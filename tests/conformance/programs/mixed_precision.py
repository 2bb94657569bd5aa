"""Mixed precision on a processor: what autocast makes of each layer, a scaler of gradients, weights kept in float32."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 16), nn.Softmax(-1), nn.Linear(16, 3))
seen = []
for layer in model:
    layer.register_forward_hook(
        lambda module, args, out: seen.append((type(module).__name__, str(args[0].dtype), str(out.dtype)))
    )
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=3)
x, y = torch.randn(32, 8), torch.randint(3, (32,))
for step in range(8):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
    if step == 4:
        loss = loss * float("inf")
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    print(step, out.dtype, loss.dtype, f"{loss.item():.2f} {norm.item():.1f} {scaler.get_scale()}")
    if step == 0:
        print(*seen, sep="\n")
print({p.dtype for p in model.parameters()}, {p.grad.dtype for p in model.parameters()})
print(scaler.state_dict())
with torch.autocast("cpu", dtype=torch.bfloat16):
    a, b = torch.randn(4, 4), torch.randn(4, 4)
    for name, value in {
        "mm": a @ b,
        "add": a + b,
        "einsum": torch.einsum("ij,jk->ik", a, b),
        "exp": (a @ b).exp(),
        "softmax": (a @ b).softmax(-1),
        "cat": torch.cat([a @ b, a]),
        "stack": torch.stack([a @ b, (a @ b).float()]),
        "sum": (a @ b).sum(),
        "norm": (a @ b).norm(),
        "conv": nn.Conv1d(4, 2, 1)(a[None]),
        "mse": nn.functional.mse_loss(a @ b, a),
        "baddbmm": torch.baddbmm(a[None], b[None], a[None]),
        "inverse": torch.linalg.inv(a @ b + 5 * torch.eye(4)),
        "attention": nn.functional.scaled_dot_product_attention(a[None], b[None], b[None]),
    }.items():
        print(name, value.dtype, tuple(value.shape))
    with torch.autocast("cpu", enabled=False):
        print((a @ b).dtype, torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"))


class InSingle(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad):
        print(torch.is_autocast_enabled("cpu"), grad.dtype)
        return grad * ctx.saved_tensors[0].exp()


@torch.autocast("cpu", dtype=torch.float16)
def decorated(x):
    return x @ x


x = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
with torch.autocast("cpu", dtype=torch.bfloat16):
    out = InSingle.apply(x)
out.sum().backward()
print(out.dtype, x.grad, decorated(a).dtype)
half = nn.Linear(3, 2).to(torch.bfloat16)
print(half(torch.ones(1, 3, dtype=torch.bfloat16)).dtype, half.weight.dtype)
try:
    half(torch.ones(1, 3))
except RuntimeError as error:
    print(error)
