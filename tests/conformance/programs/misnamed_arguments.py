"""Calls that lack arguments or name unknown ones, and labels that PyTorch gives other names than the function's own."""

import torch
import torch.nn.functional as F


def show(name, f):
    try:
        f()
        print(name, "is fine")
    except Exception as e:
        print(name, type(e).__name__, str(e))


x, v = torch.ones(2, 3), torch.ones(3)
mask, zeros = x > 0, torch.zeros(2, 1).long()
CALLS = {
    "div": (x, x),
    "mm": (x, x.t()),
    "bmm": (x[None], x.t()[None]),
    "addmm": (torch.ones(2, 2), x, x.t()),
    "round": (x,),
    "sum": (x,),
    "mean": (x,),
    "max": (x,),
    "min": (x,),
    "prod": (x,),
    "std": (x,),
    "var": (x,),
    "all": (mask,),
    "any": (mask,),
    "sort": (x,),
    "squeeze": (x,),
    "movedim": (x, 0, 1),
    "masked_fill": (x, mask, 0.0),
    "where": (mask, x, x),
    "clamp": (x, 0, 1),
    "repeat_interleave": (x, 2),
    "fmod": (x, 2),
    "remainder": (x, 2),
}
AGREED_AS_METHODS = "mm bmm sum mean max min prod std var all any sort squeeze movedim masked_fill clamp fmod remainder".split()
for name, args in CALLS.items():
    function = getattr(torch, name)
    show(f"{name}()", function)
    show(f"{name}(no_such)", lambda function=function, args=args: function(*args, no_such=1))
    if name in AGREED_AS_METHODS:
        method = getattr(args[0], name)
        show(f".{name}(no_such)", lambda method=method, args=args: method(*args[1:], no_such=1))
for name in "mul maximum atan2".split():
    show(f".{name}(no_such)", lambda name=name: getattr(x, name)(x, no_such=1))
for wrong in ("a", [1.5], 1.5, None):
    show("multinomial", lambda wrong=wrong: torch.multinomial(v, wrong))
    show("one_hot", lambda wrong=wrong: F.one_hot(wrong))
    show("embedding", lambda wrong=wrong: F.embedding(torch.tensor([0]), wrong))
    show("weight", lambda wrong=wrong: wrong is not None and F.batch_norm(x, None, None, wrong, None, True))
    show("bias", lambda wrong=wrong: wrong is not None and F.batch_norm(x, None, None, None, wrong, True))
    show("mean", lambda wrong=wrong: wrong is not None and F.batch_norm(x, wrong, None, None, None, True))
    show("variance", lambda wrong=wrong: wrong is not None and F.batch_norm(x, None, wrong, None, None, True))
show("softmax", lambda: F.softmax(x, 0, no_such=1))
show("log_softmax", lambda: F.log_softmax(x, 0, no_such=1))
