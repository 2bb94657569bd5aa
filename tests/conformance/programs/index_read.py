"""Reading by index: integers, slices, None, Ellipsis, masks, lists, tensors, and mixtures."""

import torch

x = torch.arange(24).reshape(2, 3, 4)
m = torch.arange(6).reshape(2, 3)
i = torch.tensor([0, 2])
j = torch.tensor([[0], [1]])
mask = m % 2 == 0
forms = """
x[0]; x[-1]; x[0, 1]; x[0, 1, 2]; x[1][2][3]; x[:]; x[:, 0]; x[..., 0]; x[0, ...]; x[..., 1, :]; x[:, :, -1]; x[1:]
x[:, 1:3]; x[:, ::2]; x[..., ::3]; x[:, -2:]; x[0:0]; x[5:]; x[-100:1]; x[None].shape; x[:, None].shape; x[..., None].shape
x[None, 0, None].shape; x[0][None, :, None].shape; x[[0, 1]].shape; x[[1]]; x[:, [0, 2]]; x[:, :, [3, 0]]; x[[0, 1], [1, 2]]
x[[0, 1], :, [1, 2]]; x[:, [0, 1], [1, 2]]; x[0, [0, 1]]; x[[0], [1], [2]]; x[:, i]; x[:, i, 1]; x[0, i, i]; x[:, i[:, None], i]
x[j, j].shape; x[..., i]; x[i % 2]; x[:, j].shape; x[j, :, j].shape; x[:, None, i].shape; x[i % 2, None].shape; x[0, :, i].shape
m[mask]; m[m > 2]; x[m > 2]; x[torch.tensor([True, False])]; x[:, torch.tensor([True, False, True])]; x[0, x[0] > 5]
x[mask, 0]; x[mask, -1:]; x[..., torch.tensor([True, False, False, True])]; x[[True, False]]; m[m > 100]; x[m > 100].shape
x[torch.tensor(1)]; x[torch.tensor(0), 1]; x[True].shape; x[False].shape; x[torch.tensor([1, -1])]; x[(0, 1)]; x[()] is x
x[slice(0, 1), slice(None), 2]; x[torch.tensor([], dtype=torch.long)].shape; x[[]].shape; x[:, []].shape; x[...].shape
m[[[0, 1], [1, 0]]].shape; m[[0, 1], [[0], [1]]]; m[torch.tensor([[0, 1], [1, 0]])]; m[i % 2][:, i]; m.t()[1:, 0]; m[0][0]
m[torch.tensor([0, 1], dtype=torch.int32)]; m[torch.tensor([0, 1], dtype=torch.uint8) > 0]; m[range(2)]; m[(1, 2)]; m[1, torch.tensor(2)]
torch.tensor(5)[None]; torch.tensor(5)[...]; torch.tensor(5)[()]; torch.tensor([5])[0]; x[1, None, ..., 0, None]; x[:1, ..., :2]
x.take(torch.tensor([0, 5, 23])); x[0].masked_select(x[0] > 9); x.index_select(2, i); x.select(1, 2); x.narrow(2, 1, 2)
x.flatten()[torch.tensor([1, 5])]; x.argmax(); x.nonzero().shape; (m > 3).nonzero(); torch.where(m > 3); x.unbind(1)[0]
"""
for line in forms.strip().splitlines():
    for form in line.split("; "):
        print(f"{form} = {eval(form)}")
y = x[1]
y[0, 0] = -1
print(x[1, 0, 0], x[[1]].data_ptr() == x[1].data_ptr(), x[:, None].data_ptr() == x.data_ptr(), x[()]._base is None)
