"""What nodes show of what they keep: the names, and numbers without a sign."""

import torch
import torch.nn.functional as F


def shown(value):
    if isinstance(value, torch.Tensor):
        return tuple(value.shape), value.dtype
    if isinstance(value, (tuple, list)):
        return type(value)(map(shown, value))
    return value


def x(*shape):
    return torch.linspace(0.1, 1, torch.Size(shape).numel()).reshape(shape).requires_grad_()


index = torch.tensor([0])
RESULTS = {
    "addbmm": torch.addbmm(x(2, 2), x(1, 2, 3), x(1, 3, 2)),
    "as_strided": x(2, 3).as_strided((2,), (1,)),
    "cat": torch.cat([x(2), x(3)], 0),
    "col2im": F.fold(x(1, 4, 4), (4, 4), 2, stride=2),
    "constant_pad": F.pad(x(2, 3), (1, -1)),
    "cumprod": x(2, 3).cumprod(1),
    "diagonal": x(3, 3).diagonal(-1, 0, 1),
    "dist": torch.dist(x(3), x(3), 1.5),
    "eig": torch.linalg.eig(x(2, 2))[0],
    "embedding": F.embedding(index, x(2, 3)),
    "im2col": F.unfold(x(1, 2, 4, 4), 2),
    "index_add": x(2, 3).index_add(1, index, x(2, 1)),
    "index_copy": x(2, 3).index_copy(1, index, x(2, 1)),
    "index_put": x(2, 3).index_put((index,), x(3)),
    "interpolate": F.interpolate(x(1, 2, 4, 4), scale_factor=2, mode="bilinear"),
    "lstsq": torch.linalg.lstsq(x(3, 2), x(3, 1))[0],
    "put": x(2, 3).put(index, x(1)),
    "renorm": x(2, 3).renorm(1.5, 0, 1.0),
    "roll": x(2, 3).roll(-1, 0),
    "rot90": x(2, 3).rot90(),
    "scatter_add": x(2, 3).scatter_add(1, index[None], x(2, 3)),
    "slice_scatter": x(2, 3).slice_scatter(x(2, 1), 1, 0, 1),
    "solve_triangular": torch.linalg.solve_triangular(x(2, 2), x(2, 2), upper=True),
    "split": x(2, 3).split(2, 1)[0],
    "split in sizes": x(2, 3).split([1, 2], 1)[0],
    "squeeze": x(1, 3).squeeze(0),
    "squeeze several": x(1, 3, 1).squeeze((0, 2)),
    "stack": torch.stack([x(3), x(3)], 0),
    "times": x(3) * 2.5,
    "to": x(3).double(),
    "triu": x(3, 3).triu(-1),
    "unbind": x(2, 3).unbind(1)[0],
    "unsqueeze": x(2, 3).unsqueeze(0),
}
for label, result in RESULTS.items():
    node = result.grad_fn
    names = [name for name in dir(node) if name.startswith(("_saved", "_raw_saved"))]
    print(label, node.name(), *names)
    print(*[shown(getattr(node, name)) for name in names if name.startswith("_saved")])
