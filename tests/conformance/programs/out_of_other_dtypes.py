"""``out=`` of other dtypes than the result's: what is cast, what is refused and in which words, and what has got its size by then."""

import warnings

import torch

warnings.simplefilter("ignore")
x = torch.tensor([[3.0, 1.0], [0.0, 2.0]])
places, row = torch.tensor([[0, 1]]), torch.tensor([0, 1])
ones = torch.ones(2, 3)
kinds = {"f": torch.float32, "d": torch.float64, "u": torch.uint8, "l": torch.int64, "i": torch.int32, "c": torch.complex64}

pairs = """
torch.min(x, 0, out=out); torch.max(x, 0, out=out); torch.sort(x, 0, out=out); torch.topk(x, 1, 0, out=out); torch.mode(x, 0, out=out)
torch.median(x, 0, out=out); torch.nanmedian(x, 0, out=out); torch.cummax(x, 0, out=out); torch.aminmax(x, dim=0, out=out)
torch.frexp(x, out=out); torch.linalg.qr(x, out=out); torch.linalg.eigh(x, out=out); torch.linalg.slogdet(x, out=out)
torch.kthvalue(x, 1, 0, True, out=out)
"""
singles = """
torch.stack([x, x], out=out); torch.cat([x, x], out=out); torch.hstack([x, x], out=out); torch.index_select(x, 0, row, out=out)
torch.gather(x, 0, places, out=out); torch.take(x, row, out=out); torch.take_along_dim(x, places, 0, out=out)
torch.masked_select(x, x > 0, out=out); torch.where(x > 0, x, x, out=out); torch.diag(x, out=out); torch.dot(x[0], x[0], out=out)
torch.vdot(x, x, out=out); torch.dot(x, x, out=out); torch.linalg.vector_norm(x, out=out); torch.linalg.cross(ones, ones, out=out)
torch.clamp(x, 0, 1, out=out); torch.clamp_min(x, 0, out=out); torch.lerp(x, x, 0.5, out=out); torch.quantile(x, 0.5, out=out)
torch.kron(x, x, out=out); torch.renorm(x, 1, 0, 1, out=out); torch.index_add(x, 0, row, x, out=out); torch.histc(x, out=out)
torch.index_copy(x, 0, row, x, out=out); torch.scatter(x, 0, places, 1.0, out=out); torch.inner(x, x, out=out)
torch.tensordot(x, x, out=out); torch.outer(x[0], x[0], out=out); torch.linalg.multi_dot([x, x], out=out); torch.cumsum(x, 0, out=out)
torch.linalg.inv(torch.eye(2), out=out); torch.linalg.vecdot(x, x, out=out); torch.max(x, x, out=out); torch.linalg.det(x, out=out); torch.linalg.solve(x, x, out=out); torch.msort(x, out=out)
torch.linalg.svdvals(x, out=out); torch.addcmul(x, x, x, out=out); torch.stack([x[:0], x[:0]], out=out); torch.tril(x, out=out)
torch.clamp(row, 0, 1, out=out); torch.where(x > 0, row, x, out=out); torch.clip(x, row[0], row[1], out=out)
"""
for lines, sets in ((pairs, ("dl", "fd", "dd", "fu", "fi", "fl", "ul", "uf", "lf")), (singles, "fdulc")):
    for line in lines.replace("\n", ";").split(";"):
        for letters in sets if line.strip() else ():
            out = tuple(torch.ones(1, 1, dtype=kinds[letter]) for letter in letters)
            out = out if len(letters) > 1 else out[0]
            try:
                eval(line.strip())
                error = None
            except (RuntimeError, TypeError) as raised:
                error = f"{type(raised).__name__}: {raised}"
            print(line.strip(), letters, error, [tuple(each.shape) for each in (out if isinstance(out, tuple) else (out,))])
