"""Memory lent both ways through DLPack."""

import numpy as np
import torch
from torch.utils.dlpack import from_dlpack, to_dlpack

t = torch.arange(6.0).reshape(2, 3)
n = np.from_dlpack(t)
print(n, n.dtype)
t[0, 0] = 50
print(n[0, 0])
a = np.arange(4, dtype=np.int32)
b = torch.from_dlpack(a)
print(b, b.dtype)
a[1] = -7
print(b)
c = torch.from_dlpack(t)
c[1, 1] = -1
print(t, c.data_ptr() == t.data_ptr())
d = from_dlpack(to_dlpack(torch.tensor([1.0, 2.0], dtype=torch.float64)))
print(d, d.dtype)
print(t.__dlpack_device__()[1], tuple(int(v) for v in torch.zeros(1).__dlpack_device__()))
s = torch.arange(8)[::2]
print(np.from_dlpack(s), torch.from_dlpack(np.arange(6).reshape(2, 3).T).stride())
g = torch.ones(2, requires_grad=True)
try:
    np.from_dlpack(g)
except (RuntimeError, BufferError) as error:
    print(type(error).__name__, str(error))
print(np.from_dlpack(g.detach()))
for dtype in (torch.float16, torch.int8, torch.uint8, torch.complex64, torch.bool):
    print(np.from_dlpack(torch.zeros(2, dtype=dtype)).dtype)
