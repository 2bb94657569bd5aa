"""The graphs of gradients taken with create_graph=True, and what their nodes notice being changed."""

import torch
import torch.nn.functional as F

a = torch.tensor([[0.5, 0.25], [0.75, 1.0]], requires_grad=True)
b = torch.tensor([[1.0, 2.0], [-3.0, 4.0]], requires_grad=True)
p = torch.tensor([[0.125, 0.25], [0.375, 0.5]], requires_grad=True)
m = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
leaves = {"a": a, "b": b, "p": p}


def graph(node):
    if node is None:
        return "-"
    name = node.name().replace("torch::autograd::", "").replace("Backward", "~")
    if name == "AccumulateGrad":
        return next((known for known, leaf in leaves.items() if leaf is node.variable), "g")
    return f"{name}({', '.join(graph(one) for one, _ in node.next_functions)})"


def kept(node):
    values = {}
    for name in sorted(dir(node)):
        if name.startswith("_saved_"):
            value = getattr(node, name)
            values[name[7:]] = value.tolist() if isinstance(value, torch.Tensor) else value
    return values


cases = """
F.mse_loss(a, b); F.mse_loss(a, b, reduction="sum"); F.mse_loss(a, m, reduction="none"); F.mse_loss(m, b)
F.smooth_l1_loss(a, b); F.smooth_l1_loss(a, b, reduction="sum", beta=0.5); F.smooth_l1_loss(a, m, reduction="none")
F.huber_loss(a, b); F.huber_loss(a, b, reduction="sum", delta=0.5); F.huber_loss(a, m, reduction="none")
F.binary_cross_entropy(p, m / 8, m); F.binary_cross_entropy(m / 8, p); F.soft_margin_loss(a, m, reduction="sum")
F.binary_cross_entropy_with_logits(a, p); F.binary_cross_entropy_with_logits(a, p, m, reduction="none", pos_weight=m[0])
F.softplus(b); F.softplus(b, 2.0, 1.5); F.elu(b, 0.5); F.selu(b); F.celu(b, 0.5); F.hardswish(b); F.logsigmoid(b); F.glu(b)
F.hardsigmoid(b); F.hardshrink(b); F.softshrink(b); F.hardtanh(b); F.relu6(b); F.threshold(b, 0.5, 2.0); F.leaky_relu(b)
F.prelu(b, p[0]); F.prelu(b.detach(), p[0]); F.rrelu(b); F.silu(b); F.mish(b); F.gelu(b); F.gelu(b, approximate="tanh")
a + b[0]; a * b[0, 0]; a * b[:, :1]; a.mean(); a.mean(0); a[0].unsqueeze(1); a[:1].squeeze(0); a[:1, :1].squeeze(); a.cos(); a**2; a**3; a.var(); a.std(1); a.sum(1); a.mean((0, 1))
a @ b; a.mv(m[0]); m.mv(b[0]); torch.bmm(a[None], b[None]); F.linear(m, a, b[0]); torch.addmm(b, a, m, alpha=2); a.clamp(0, 0.5); a.clamp_min(0.5); torch.where(a > b, a, m)
F.interpolate(a[None], 3, mode="linear"); F.interpolate(a[None, None], 3); F.interpolate(a[None, None], 3, mode="bicubic")
F.relu(b); b.sigmoid(); b.tanh(); b.softmax(0); b.log_softmax(1); F.softsign(b); F.tanhshrink(b)
"""
for line in cases.strip().splitlines():
    for case in line.split("; "):
        result = eval(case)
        cotangent = torch.ones_like(result, requires_grad=True)
        grads = torch.autograd.grad(result, [*leaves.values()], cotangent, create_graph=True, allow_unused=True)
        for name, grad in zip(leaves, grads, strict=True):
            if grad is not None:
                print(f"{case}, {name}: {graph(grad.grad_fn)}")

print()
kept_by = """
F.mse_loss(x, y); F.smooth_l1_loss(x, y, beta=0.5); F.huber_loss(x, y, reduction="sum"); F.softplus(x, 2.0, 1.5); F.elu(x, 0.5)
F.hardswish(x); F.glu(x, 1); F.hardshrink(x); F.softshrink(x); F.hardtanh(x); F.threshold(x, 0.375, 2.0); F.leaky_relu(x, 0.5)
F.soft_margin_loss(x, m); F.prelu(x, y[0]); F.gelu(x, approximate="tanh"); F.relu(x)
"""
for line in kept_by.strip().splitlines():
    for case in line.split("; "):
        x = torch.tensor([[0.5, -0.25], [1.0, 0.375]], requires_grad=True)
        y = torch.tensor([[0.25, 0.5], [2.0, -3.0]], requires_grad=True)
        result = eval(case)
        grads = torch.autograd.grad(result, [x, y], torch.full_like(result, 2), create_graph=True, allow_unused=True)
        print(case, kept(grads[0].grad_fn))
        second = torch.autograd.grad((grads[0] * grads[0]).sum(), [x, y], retain_graph=True, allow_unused=True)
        print(case, [[f"{number:.4f}" for number in one.flatten().tolist()] for one in second if one is not None])
        with torch.no_grad():
            x.add_(1)
        try:
            torch.autograd.grad(grads[0].sum(), x)
        except RuntimeError as error:
            print(case, str(error).split(". Hint")[0])
