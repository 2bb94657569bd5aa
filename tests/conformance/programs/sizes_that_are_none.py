"""What is no whole number where one belongs, and no switch: refused, never rounded."""

import numpy as np
import torch
import torch.nn.functional as F


def show(name, f):
    try:
        print(name, str(f()).split("\n")[0])
    except Exception as e:
        print(name, type(e).__name__, str(e))


images = {1: torch.ones(1, 1, 6), 2: torch.ones(1, 1, 6, 6), 3: torch.ones(1, 1, 6, 6, 6)}
WRONG = ("a", "2", 1.5, 2.0, [1.5], (2.0,), True, [True], torch.tensor(2.0), np.float32(2))
RIGHT = (2, [2], torch.tensor(2), np.int64(2))
for rank, x in images.items():
    for value in (*WRONG, *RIGHT):
        for name in (f"max_pool{rank}d", f"avg_pool{rank}d"):
            show(f"{name} {value!r}", lambda name=name, x=x, value=value: getattr(F, name)(x, value))
            show(f"{name} stride {value!r}", lambda name=name, x=x, value=value: getattr(F, name)(x, 2, value))
    for value in ([1, 1.5], (1, "a"), 1.5):
        show(f"max_pool{rank}d dilation", lambda rank=rank, x=x, value=value: getattr(F, f"max_pool{rank}d")(x, 2, 2, 0, value))
x = images[2]
for value in WRONG:
    if not torch.is_tensor(value):
        show(f"unfold {value!r}", lambda value=value: F.unfold(x, value))
        show(f"unfold stride {value!r}", lambda value=value: F.unfold(x, 2, stride=value))
    show(f"pad {value!r}", lambda value=value: F.pad(x, value))
    show(f"layer_norm {value!r}", lambda value=value: F.layer_norm(x, value))
    show(f"one_hot {value!r}", lambda value=value: F.one_hot(torch.tensor([0, 1]), value))
    show(f"adaptive {value!r}", lambda value=value: F.adaptive_max_pool1d(images[1], value))
    if not isinstance(value, bool):
        show(f"dropout {value!r}", lambda value=value: F.dropout(x, 0.0, value))
        show(f"batch_norm {value!r}", lambda value=value: F.batch_norm(x[0], None, None, training=value))
    show(f"cosine {value!r}", lambda value=value: F.cosine_similarity(value, x))
    show(f"distance {value!r}", lambda value=value: F.pairwise_distance(value, x))
for value in ([1, 1.5], (1, "a"), [[1, 1], 1]):
    show(f"pad {value!r}", lambda value=value: F.pad(x, value))
    show(f"layer_norm {value!r}", lambda value=value: F.layer_norm(x, value))
    show(f"unfold {value!r}", lambda value=value: F.unfold(x, value))
    show(f"adaptive {value!r}", lambda value=value: F.adaptive_avg_pool2d(x, value))
for value in (None, "a", [1.0]):
    show(f"dropout of {value!r}", lambda value=value: F.dropout(value, training=False))
