# Writes that read what they write, labels that name the blank, small integers, sizes at the limit.
import torch
import torch.nn.functional as F

x = torch.arange(6.0).reshape(2, 3)
x[0] = x[0][2]
print(x)
x[0] = x[1, 1:2]
print(x)
leaf = torch.arange(4.0).reshape(2, 2).requires_grad_()
y = leaf * 1
y[0] = y[1][0]
y[1] = y[1, 1:2]
y.sum().backward()
print(y, leaf.grad)
for write in (lambda: x[0].copy_(x[0][0]), lambda: x[0].add_(x[0][0]), lambda: x.__setitem__((0, slice(0, 2)), x[0, 1:])):
    try:
        write()
    except RuntimeError as error:
        print(error)

for size in (1, 2, 3):
    pooled = torch.arange(9.0).reshape(1, 1, 3, 3).requires_grad_()
    out = F.adaptive_avg_pool2d(pooled, size).sum()
    out.backward(retain_graph=True)
    out.backward()
    print(pooled.grad)
line = torch.arange(3.0).reshape(1, 3).requires_grad_()
out = F.adaptive_avg_pool1d(line, 3).sum()
out.backward(retain_graph=True)
out.backward()
print(line.grad)

log_probs = (torch.arange(48.0).reshape(6, 2, 4).sin() * 2).log_softmax(2).requires_grad_()
for targets in ([[1, 0, 2], [3, 3, 1]], [[0, 0, 1], [2, 0, 0]], [[1, 2, 3], [0, 1, 0]]):
    for blank in (0, 2):
        loss = F.ctc_loss(log_probs, torch.tensor(targets), torch.tensor([6, 5]), torch.tensor([3, 3]), blank=blank)
        (grad,) = torch.autograd.grad(loss, log_probs)
        print(loss, grad[1])

for dtype in (torch.int8, torch.uint8, torch.int32, torch.float32):
    two, three = torch.tensor([2], dtype=dtype), torch.tensor([3], dtype=dtype)
    print(torch.dot(two, three), torch.tensordot(two[0], three[0], 0), torch.mv(two[None], three))

for dtype, count in ((torch.uint8, 256), (torch.uint8, 257), (torch.int8, 128), (torch.int8, 129), (torch.int16, 2**15 + 1)):
    try:
        print(torch.randperm(count, dtype=dtype).sort()[0][-1])
    except RuntimeError as error:
        print(error)

for dtype in (torch.bfloat16, torch.float16, torch.float32):
    print(F.hardshrink(torch.tensor([0.5, -0.1, 0.1, -0.6], dtype=dtype), 0.1))

for count in (2**65, -(2**63) - 1, 0, -1):
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(count)
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, error)
    print(torch.get_num_threads() == before)
