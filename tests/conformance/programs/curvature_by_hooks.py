"""Kronecker factors of the curvature, gathered by hooks of modules, and an optimizer that steps by them."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(5)


class Factored(torch.optim.Optimizer):
    """Steps of ``inv(G) @ gradient @ inv(A)``: A of what comes into a layer, G of the gradient of what leaves it."""

    def __init__(self, net, lr=0.3, damping=0.3, decay=0.9):
        self.layers = [m for m in net.modules() if isinstance(m, (nn.Linear, nn.Conv2d))]
        super().__init__([{"params": [m.weight, m.bias], "layer": i} for i, m in enumerate(self.layers)], {"lr": lr})
        self.damping, self.decay, self.seen, self.factors = damping, decay, {}, {}
        self.handles = [m.register_forward_pre_hook(self.comes_in) for m in self.layers]
        self.handles += [m.register_full_backward_hook(self.goes_back) for m in self.layers]

    def comes_in(self, module, args):
        if torch.is_grad_enabled():
            self.seen[module] = args[0].detach()

    def goes_back(self, module, grad_input, grad_output):
        g, a = grad_output[0] * grad_output[0].shape[0], self.seen.pop(module)
        if isinstance(module, nn.Conv2d):
            a = F.unfold(a, module.kernel_size, padding=module.padding, stride=module.stride).movedim(1, -1).flatten(0, 1)
            g = g.permute(0, 2, 3, 1).reshape(-1, g.shape[1])
        a = F.pad(a, (0, 1), value=1.0)
        new = a.T @ a / len(a), g.T @ g / len(g)
        old = self.factors.get(module, new)
        self.factors[module] = [torch.lerp(n, o, self.decay) for n, o in zip(new, old)]

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            module = self.layers[group["layer"]]
            A, G = self.factors[module]
            ratio = (A.trace() / len(A) / (G.trace() / len(G))).sqrt()
            A = A + torch.eye(len(A)) * self.damping * ratio
            G = G + torch.eye(len(G)) * self.damping / ratio
            joined = torch.cat([module.weight.grad.flatten(1), module.bias.grad[:, None]], 1)
            change = torch.cholesky_solve(torch.linalg.solve(A, joined.T).T, torch.linalg.cholesky(G))
            self.state[module.weight]["change"] = change.norm()
            for p, d in zip(group["params"], (change[:, :-1], change[:, -1])):
                p.sub_(d.reshape(p.shape), alpha=group["lr"])


net = nn.Sequential(
    nn.Conv2d(1, 3, 3, stride=2, padding=1), nn.Tanh(), nn.Flatten(), nn.Linear(27, 8), nn.SiLU(), nn.Linear(8, 3)
)
x = torch.randn(24, 1, 6, 6)
y = (x.mean((1, 2, 3)) * 5).round().clamp(-1, 1).long() + 1
print(y.bincount(minlength=3))
opt = Factored(net)
for step in range(5):
    opt.zero_grad(set_to_none=False)
    loss = F.cross_entropy(net(x), y, label_smoothing=0.1)
    loss.backward()
    opt.step()
    print(step, f"{loss:.4f}", [f"{opt.state[m.weight]['change']:.3f}" for m in opt.layers])
print(opt)
print([tuple(tuple(f.shape) for f in opt.factors[m]) for m in opt.layers], len(opt.seen))
print([len(m._forward_pre_hooks) + len(m._backward_hooks) for m in net])
with torch.no_grad():
    net(x)
print(len(opt.seen))

# What Gauss and Newton would have, of one layer: the factors stand for it.
head = net[5]
inner = net[:5](x).detach()
logits = F.linear(inner, head.weight, head.bias)
J = torch.autograd.functional.jacobian(lambda w: F.linear(inner, w, head.bias), head.weight.detach()).flatten(2)
p = logits.detach().softmax(-1)
H = torch.diag_embed(p) - p.unsqueeze(2) * p.unsqueeze(1)
exact = torch.einsum("nci,ncd,ndj->ij", J, H, J) / len(x)
product = torch.kron(H.mean(0), inner.T @ inner / len(x))
print(
    torch.linalg.eigvalsh(exact)[-4:], torch.trace(product), f"{F.cosine_similarity(exact.flatten(), product.flatten(), 0):.4f}"
)

for handle in opt.handles:
    handle.remove()
print([len(m._forward_pre_hooks) + len(m._backward_hooks) for m in net])
try:
    opt.add_param_group({"params": [net[0].weight]})
except ValueError as error:
    print(error)
