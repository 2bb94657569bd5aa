"""Strides, offsets, contiguity, and who shares memory with whom."""

import torch

x = torch.arange(24).reshape(2, 3, 4)
views = {
    "itself": x,
    "transpose": x.transpose(0, 2),
    "permute": x.permute(1, 0, 2),
    "select": x[1],
    "slice": x[:, 1:],
    "step": x[..., ::2],
    "new axis": x[:, None],
    "narrow": x.narrow(2, 1, 2),
    "view": x.view(6, 4),
    "flat": x.view(-1),
    "unsqueeze": x.unsqueeze(-1),
    "squeeze": x[:1].squeeze(0),
    "diagonal": x.diagonal(0, 1, 2),
    "expand": x[:, :1].expand(2, 3, 4),
    "unfold": x.unfold(2, 2, 1),
    "movedim": x.movedim(0, -1),
    "chunk": x.chunk(2, 2)[1],
    "split": x.split([1, 2], 1)[1],
    "tensor_split": x.tensor_split(3, 1)[2],
    "as_strided": x.as_strided((2, 2), (1, 2), 3),
    "swapaxes": x.swapaxes(0, 1),
    "unflatten": x.unflatten(2, (2, 2)),
    "flatten": x.flatten(1),
    "ravel": x.ravel(),
    "reshape of transpose": x.transpose(0, 1).reshape(-1),
    "contiguous": x.transpose(0, 1).contiguous(),
    "clone of transpose": x.transpose(0, 1).clone(),
    "list index": x[[0, 1]],
    "mask": x[x > 3],
    "flip": x.flip(0),
    "detach": x.detach(),
    "mT": x.mT,
}
start = x.untyped_storage().data_ptr()
for name, v in views.items():
    shared = v.untyped_storage().data_ptr() == start
    facts = f"{tuple(v.shape)!s:14} {v.stride()!s:16} offset={v.storage_offset():2} contiguous={v.is_contiguous()!s:5}"
    print(f"{name:21} {facts} shares={shared}")
print(x.stride(1), x.stride(-1), x.element_size(), x.nbytes, x.itemsize, x.untyped_storage().nbytes())
print(x[1].data_ptr() - x.data_ptr(), x[:, 1:].data_ptr() - x.data_ptr())
print(torch.zeros(2, 3).t().is_contiguous(), torch.zeros(1, 3).t().is_contiguous(), torch.zeros(0, 3).stride())
print(torch.zeros(()).stride(), torch.zeros(()).is_contiguous(), torch.empty(3, 0, 2).stride())
print(torch.zeros_like(x.transpose(0, 2)).stride(), torch.empty(2, 3).t().add(1).stride())
print((x.float().transpose(0, 1) * 2).stride())
print(torch.zeros(2, 3).t().clone().stride())
print(x.transpose(0, 2).float().stride())
y = x.transpose(0, 1)
for attempt in (lambda: y.view(-1), lambda: x.view(5, 5), lambda: x.view(-1, -1), lambda: x.reshape(7, -1)):
    try:
        attempt()
    except RuntimeError as error:
        print(str(error))
print(x.is_set_to(x.view(2, 3, 4)), x.is_set_to(x[0]), x.view(torch.int32).shape, x.view_as(torch.zeros(4, 6)).shape)
# Which dimension lies where in what is picked, ordered and reduced.
for z in (torch.arange(6.0).reshape(2, 3).t(), x.float().permute(2, 0, 1), x[:, ::2].float(), torch.ones(2, 1).expand(2, 3)):
    places = torch.zeros(z.shape, dtype=torch.long).transpose(0, -1).contiguous().transpose(0, -1)
    print(z.gather(0, places).stride(), z.take(places).stride(), torch.take_along_dim(z, places, 1).stride())
    print(torch.nonzero(z).stride(), z.argsort(0).stride(), torch.unique(z, dim=1).stride(), z.renorm(2, 0, 1.0).stride())
    for dim in range(z.dim()):
        for both in (
            z.sort(dim),
            z.cummax(dim),
            z.kthvalue(1, dim),
            z.mode(dim, keepdim=True),
            z.nanmedian(dim),
            z.topk(1, dim),
        ):
            print([one.stride() for one in both], end=" ")
    print()
try:
    torch.take_along_dim(torch.ones(2, 6), torch.zeros(3, 2, dtype=torch.long), 1)
except RuntimeError as error:
    print(str(error))
# Of stretched tensors, the dimensions that are not stretched say how the result lies.
for z in (
    torch.arange(6).reshape(3, 2).t().expand(4, 2, 3),
    torch.arange(12).reshape(2, 1, 2, 3).transpose(2, 3).expand(2, 4, 3, 2),
):
    results = [
        z.clone(),
        z.flip(0),
        z.sigmoid(),
        z.sort(-1)[0],
        torch.clamp(z, min=1.5),
        z / 2,
        z + torch.ones(z.shape),
        z.sqrt(),
    ]
    print(
        [one.stride() for one in results],
        torch.zeros_like(z).stride(),
        z.double().stride(),
        torch.where(z > 1, z, 0.5).stride(),
    )
print(x[None, [0, 1]].stride(), x.permute(2, 0, 1)[None, [0, 1]].stride(), x.permute(2, 0, 1)[None, :, [0, 1]].stride())
print(torch.ones(3, 2).t()[None, [0, 1]].flatten()._is_view())
# Stretched along their last dimension: what is made of them lies in order, and noise is drawn so.
torch.manual_seed(0)
for stretched in (torch.arange(3.0)[:, None].expand(3, 4), torch.arange(6.0).view(2, 3, 1).expand(2, 3, 4)):
    for made in (stretched.nan_to_num(), torch.nn.functional.dropout(stretched), stretched.exp(), stretched.clone()):
        print(made.stride(), made)
numbers = torch.arange(4).reshape(2, 2).expand(2, 2, 2)
print(numbers.nan_to_num().stride(), numbers.float().nan_to_num().stride(), numbers.T.nan_to_num(2).flatten()._is_view())
