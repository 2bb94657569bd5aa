# What is refused or warned of at the edges: poolings of nothing, out= of another dtype, numbers out of the graph.
import warnings

import numpy as np
import torch
import torch.nn.functional as F


def tell(function):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            print(function())
        except Exception as error:
            print(type(error).__name__, str(error))
    for one in told:
        print(" ", one.category.__name__, str(one.message).split(" (Triggered")[0])


x = torch.tensor([1.5], requires_grad=True)
for kind in (int, bool, float, complex, float):
    tell(lambda: kind(x))
tell(lambda: x.item())

for size in (0, (0, 2), (2, 0), 2):
    for pool in (F.adaptive_avg_pool2d, F.adaptive_max_pool2d):
        tell(lambda: pool(torch.ones(1, 1, 4, 4, requires_grad=True), size).sum().backward())
for kernel in (0, 5, (2,), (2, 2), (2, 2, 2)):
    tell(lambda: F.fractional_max_pool2d(torch.ones(1, 1, 4, 4), kernel, output_size=2).shape)
    tell(lambda: F.fractional_max_pool3d(torch.ones(1, 1, 4, 4, 4), kernel, output_size=2).shape)
    tell(lambda: torch.nn.FractionalMaxPool3d(kernel, output_size=2).kernel_size)
tell(lambda: torch.nn.FractionalMaxPool3d((1, 0, 2), output_size=2))

theta = torch.ones(1, 2, 3)
tell(lambda: F.affine_grid(theta, (2, 1, 2, 2), align_corners=False))
for size in ((1, 1, 1, 2), (1, 1, 2, 2), (0, 1, 2, 1), (1, 1, 0, 2)):
    tell(lambda: F.affine_grid(theta, size, align_corners=True))
for dtype in (torch.float64, torch.bfloat16, torch.int64, torch.float16):
    scales = torch.ones(1, 2, dtype=dtype)
    tell(lambda: F.embedding_bag(torch.tensor([[0, 1]]), torch.ones(3, 2), per_sample_weights=scales, mode="sum"))

for f in (torch.cumsum, torch.cumprod, torch.sum, torch.prod, torch.mean):
    tell(lambda: f(torch.ones(2), 0, dtype=torch.float64, out=torch.empty(2)))
    tell(lambda: f(torch.ones(2), 0, dtype=torch.float64, out=torch.empty(0, dtype=torch.float64)))

for name in ("acosh_", "arccosh_"):
    y = torch.tensor([2.0, 3.0], requires_grad=True) * 1
    getattr(y, name)()
    print(y)
    tell(lambda: y.sum().backward())
print(torch.tensor([2.0]).acosh_())

tell(lambda: torch.asarray(np.float64(2), copy=False))
tell(lambda: torch.asarray([1, 2], copy=False))
for given in (torch.ones(2), np.ones(2), [1.0]):
    for copy in (None, True, False):
        tell(lambda: torch.asarray(given, device="meta", copy=copy).shape)
tell(lambda: torch.asarray(x, requires_grad=False))
tell(lambda: torch.asarray(x))
tell(lambda: torch.asarray(x))

# Written activations whose slope is negative are not differentiated; other slopes and other forms are.
for function in (F.elu_, F.celu_, F.leaky_relu_, torch.celu_):
    for slope in (-2.0, 2.0):
        leaf = torch.tensor([-1.0, 1.0], requires_grad=True)
        print(function(leaf * 1, slope).detach())
        tell(lambda: function(leaf * 1, slope).sum().backward())
        print(leaf.grad)
leaf = torch.tensor([-1.0, 1.0], requires_grad=True)
tell(lambda: F.elu(leaf * 1, alpha=-2.0, inplace=True).sum().backward())
tell(lambda: torch.nn.LeakyReLU(-1.0, inplace=True)(leaf * 1).sum().backward())
tell(lambda: F.elu(leaf * 1, alpha=-2.0).sum().backward())
print(leaf.grad)

# Dtypes of normalized tensors and of their parameters.
for own in (torch.float32, torch.float64, torch.bfloat16):
    for given in (torch.float32, torch.float64, torch.bfloat16):
        for shape in ((2, 3, 4), (2, 3, 0)):
            for layer in (torch.nn.BatchNorm1d(3), torch.nn.GroupNorm(3, 3), torch.nn.LayerNorm(shape[2:])):
                tell(lambda: layer.to(own)(torch.zeros(shape, dtype=given)).dtype)

for lower in (-2.0, 0.1):
    leaf = torch.tensor([-1.0, 1.0], requires_grad=True)
    tell(lambda: F.rrelu_(leaf * 1, lower, 1.0).sum().backward())
    print(leaf.grad)

print([part.shape for part in torch.zeros(2, 0).unsafe_chunk(4, -1)])
for cell in (torch.nn.RNNCell, torch.nn.LSTMCell, torch.nn.GRUCell):
    print(cell(3, 0)(torch.ones(2, 3)))
