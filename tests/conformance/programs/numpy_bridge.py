"""To NumPy and back: shared memory, refusals, NumPy functions on tensors."""

import numpy as np
import torch

a = np.arange(6, dtype=np.float32).reshape(2, 3)
t = torch.from_numpy(a)
print(t, t.dtype)
a[0, 0] = 100
print(t)
t.add_(1)
print(a)
t[1] = 0
print(a[1], np.shares_memory(a, t.numpy()))
x = torch.ones(5)
n = x.numpy()
x.add_(1)
print(n, type(n).__name__, n.dtype)
np.add(n, 1, out=n)
print(x)
s = torch.from_numpy(a[:, ::2])
print(s.stride(), s, s.is_contiguous(), torch.from_numpy(a.T).stride())
for dtype in (
    np.float64,
    np.float16,
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.uint8,
    np.bool_,
    np.complex64,
    np.complex128,
):
    t = torch.from_numpy(np.zeros(1, dtype))
    print(np.dtype(dtype), t.dtype, t.numpy().dtype)
print(torch.as_tensor(a).data_ptr() == a.ctypes.data, torch.tensor(a).data_ptr() == a.ctypes.data)
print(torch.from_numpy(np.array(5.0)), torch.tensor(np.float64(1)).dtype, torch.as_tensor(np.int32(2)).dtype)
g = torch.tensor([1.0, 2.0], requires_grad=True)
for attempt in (
    g.numpy,
    (g * 2).numpy,
    lambda: np.asarray(g),
    lambda: torch.from_numpy([1, 2]),
    lambda: torch.from_numpy(np.array(["a"])),
    lambda: torch.tensor([1j]).conj().numpy(),
):
    try:
        print(attempt())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, str(error))
print(g.detach().numpy(), (g * 2).detach().numpy(), g.data.numpy(), g.numpy(force=True))
x = torch.tensor([1.0, 4.0, 9.0])
print(np.array(x), np.asarray(x).dtype, np.sum(x.numpy()), x.numpy().tolist(), np.array([x[0], x[1]]))
print(x.__array__().dtype, np.asarray(x, dtype=np.float64).dtype, np.concatenate([x, x]), np.mean(np.asarray(x)))
print(type(np.sqrt(x)).__name__, np.sqrt(x), type(x * np.float32(2)).__name__, x * np.float32(2))
print(x + np.array([1.0, 2.0, 3.0], dtype=np.float32), x * np.float64(0.5), x[np.array([0, 2])], x[np.int64(1)])
print(torch.tensor([1, 2, 3]).numpy() + 1, torch.zeros(2, 0).numpy().shape)
print(torch.tensor(2.5).numpy(), float(torch.tensor(2.5)))
w = torch.from_numpy(np.array([[1.0, 2.0], [3.0, 4.0]])).requires_grad_()
loss = (w * torch.from_numpy(np.array([2.0, 0.5]))).sum()
loss.backward()
print(w.grad.numpy(), loss.item())
print(x.tolist() == [1.0, 4.0, 9.0], np.allclose(x, [1, 4, 9]), torch.equal(torch.from_numpy(x.numpy()), x))
