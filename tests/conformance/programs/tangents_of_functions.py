"""jvp of custom Functions: what it gets, what it may return."""

import torch
import torch.autograd.forward_ad as forward
from torch.autograd import Function


def made(forward_, jvp_):
    return type("Made", (Function,), {"forward": staticmethod(forward_), "jvp": staticmethod(jvp_)})


def attempt(label, function, *args):
    with forward.dual_level():
        first = forward.make_dual(args[0], torch.ones_like(args[0]))
        try:
            out = function.apply(first, *args[1:])
        except (RuntimeError, NotImplementedError) as error:
            print(label, type(error).__name__, error)
            return
        outs = out if isinstance(out, tuple) else (out,)
        print(label, [forward.unpack_dual(one).tangent if isinstance(one, torch.Tensor) else one for one in outs])


def unmarked(ctx, x):
    y = x * 2
    ctx.mark_non_differentiable(y)
    return y


def written(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


def loose(ctx, x, y, i):
    ctx.set_materialize_grads(False)
    return x * 2


def shown(ctx, *tangents):
    print(tangents)
    return tangents[0]


x = torch.tensor([1.0, 2.0])
attempt("value", made(lambda ctx, x: x * 2, lambda ctx, t: t * 2), x)
attempt("several", made(lambda ctx, x: (x * 2, "text", x), lambda ctx, t: (t * 2, None, t.view_as(t))), x)
attempt("no view", made(lambda ctx, x: x[:1], lambda ctx, t: t[:1].clone()), x)
attempt("another's view", made(lambda ctx, x: x[:1], lambda ctx, t: t.clone()[:1]), x)
attempt("itself", made(lambda ctx, x: x, lambda ctx, t: t), x)
attempt("too few", made(lambda ctx, x: (x * 2, x * 3), lambda ctx, t: t), x)
attempt("too many", made(lambda ctx, x: x * 2, lambda ctx, t: (t, t)), x)
attempt("marked", made(unmarked, lambda ctx, t: t), x)
attempt("integers", made(lambda ctx, x: x.long(), lambda ctx, t: t), x)
attempt("number", made(lambda ctx, x: x * 2, lambda ctx, t: 3), x)
attempt("shape", made(lambda ctx, x: x * 2, lambda ctx, t: t[:1]), x)
attempt("not in place", made(written, lambda ctx, t: t * 2), x.clone())
attempt("in place", made(written, lambda ctx, t: t.mul_(2)), x.clone())
attempt("zeros", made(lambda ctx, x, y, i: x * 2, shown), x, torch.ones(2), torch.ones(1, dtype=torch.long))
attempt("no zeros", made(loose, shown), x, torch.ones(2), torch.ones(1, dtype=torch.long))
attempt("none", type("Bare", (Function,), {"forward": staticmethod(lambda ctx, x: x * 2)}), x)
with forward.dual_level():
    dual = forward.make_dual(x, torch.ones(2))
    for call in (lambda: forward.make_dual(torch.ones(2), dual), lambda: torch.add(dual, dual, out=torch.empty(2)),
                 lambda: forward.make_dual(x, torch.ones(3))):  # fmt: skip
        try:
            call()
        except (RuntimeError, NotImplementedError) as error:
            print(type(error).__name__, error)
    print(dual.detach(), dual.clone().detach_() * 2, forward._current_level)
