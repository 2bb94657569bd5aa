"""None and arrays of NumPy given where a tensor belongs, as after a forward() that forgets to return, or a missing from_numpy."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

x, weight, labels = torch.ones(2, 3), torch.ones(4, 3), torch.tensor([0, 1])
ALONE = """relu sigmoid tanh exp log abs sum mean max min squeeze flatten sqrt argmax sort std var prod argsort
count_nonzero zeros_like ones_like isnan triu diag det inverse""".split()
WITH = {
    "softmax": (0,),
    "matmul": (weight,),
    "mm": (weight,),
    "reshape": ((6,),),
    "unsqueeze": (0,),
    "transpose": (0, 1),
    "add": (x,),
    "mul": (x,),
    "pow": (2,),
    "where": (x, x),
    "topk": (1,),
    "cumsum": (0,),
    "dot": (x,),
    "outer": (x,),
    "gather": (0, labels),
    "masked_fill": (x > 0, 0.0),
    "clamp": (0,),
    "flip": ((0,),),
}
LAYERS = {
    "linear": (weight,),
    "layer_norm": ((3,),),
    "max_pool2d": (2,),
    "conv2d": (torch.ones(1, 1, 2, 2),),
    "cross_entropy": (labels,),
    "nll_loss": (labels,),
    "embedding": (weight,),
    "kl_div": (x,),
    "unfold": (2,),
    "soft_margin_loss": (x,),
}
IN_PYTHON = {
    "mse_loss": (x,),
    "binary_cross_entropy": (x,),
    "interpolate": (4,),
    "glu": (),
    "group_norm": (1,),
    "embedding_bag": (weight,),
    "margin_ranking_loss": (x, x),
    "adaptive_avg_pool2d": (1,),
    "gaussian_nll_loss": (x, x),
    "instance_norm": (),
}


def show(name, f, *args):
    try:
        print(name, f(*args))
    except Exception as e:
        print(name, type(e).__name__, str(e))


for wrong in (None, np.ones((2, 3), dtype=np.float32)):
    for name in ALONE:
        show(name, getattr(torch, name), wrong)
    for name, args in WITH.items():
        show(name, getattr(torch, name), wrong, *args)
    for name, args in LAYERS.items():
        show(name, getattr(F, name), wrong, *args)
    for name in "gelu silu elu leaky_relu softplus hardtanh selu mish logsigmoid dropout".split():
        show(name, getattr(F, name), wrong)
    for name in "mm add mul div cross_entropy nll_loss linear".split():
        show(name + " by it", getattr(torch if hasattr(torch, name) else F, name), x, wrong)
    for module in (
        nn.Linear(3, 2),
        nn.ReLU(),
        nn.LayerNorm(3),
        nn.Conv2d(1, 1, 2),
        nn.Embedding(3, 2),
        nn.Sequential(nn.Linear(3, 2)),
    ):
        show(type(module).__name__, module, wrong)
    show("criterion", nn.CrossEntropyLoss(), wrong, labels)
    show("method", x.matmul, wrong)
for name, args in IN_PYTHON.items():
    show(name, getattr(F, name), None, *args)
for wrong in ("a", [0], None):
    show("clamp", x.clamp, wrong, wrong)
