"""Programs from 2017: Variable, FloatTensor, torch.Tensor([...]), variables= and grad_variables=."""

import torch
from torch import autograd
from torch.autograd import Variable

x = Variable(torch.ones(2, 2), requires_grad=True)
print(x)
print(x.data)
print(x.grad)
print(x.creator if hasattr(x, "creator") else "no creator", x.grad_fn)
y = x + 2
z = y * y * 3
out = z.mean()
out.backward()
print(x.grad.data)
print(isinstance(x, Variable), isinstance(x, torch.Tensor), isinstance(x.data, Variable), type(x).__name__)

t = torch.Tensor([2, 3])
print(t, t.dtype, torch.Tensor(2, 3).shape, torch.Tensor([[1, 2], [3, 4]]).size(), torch.Tensor().shape)
print(torch.FloatTensor([2, 3]), torch.DoubleTensor([1, 2]), torch.LongTensor([[1, 2]]), torch.ByteTensor([1, 0]))
print(torch.IntTensor([1.0, 2.0]), torch.ShortTensor([7]), torch.CharTensor([-1]), torch.BoolTensor([1, 0]))
print(torch.HalfTensor([1]), torch.FloatTensor(2, 2).zero_(), torch.LongTensor(3).fill_(4))

x = Variable(torch.Tensor([16]), requires_grad=True)
y = x * x
autograd.backward(y, grad_tensors=torch.Tensor([1]))
print(x.grad)

a = Variable(torch.FloatTensor([1, 2, 3]), requires_grad=True)
b = a * 2
torch.autograd.backward([b], [torch.FloatTensor([1, 1, 1])], True)
print(a.grad)
torch.autograd.backward(b, grad_variables=torch.FloatTensor([1, 0, 0]))
print(a.grad)
y = a * 2
while y.data.norm() < 1000:
    y = y * 2
print(y.data)
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
a.grad.data.zero_()
y.backward(gradients)
print(a.grad)
print(y.data.norm().item() > 1000, a.data.sum(), a.data[0], a.size(), a.dim(), a.nelement())

v = Variable(torch.zeros(1))
print(v.requires_grad, v.is_leaf, v.volatile if hasattr(v, "volatile") else "no volatile")
v.requires_grad = True
(v * 5).backward()
print(v.grad)
print(x.type(), a.data.type(), torch.LongTensor([1]).type(), torch.zeros(1).type(torch.DoubleTensor).dtype)
print(torch.is_tensor(x), torch.typename(x), torch.zeros(2).type() == "torch.FloatTensor")
print(torch.zeros(2).cpu().numpy(), torch.max(torch.Tensor([[1, 5], [7, 2]]), 1)[1])
print(torch.Tensor([1, 2]).new([3, 4]), torch.DoubleTensor([1]).new(2).zero_().dtype)
h = Variable(torch.Tensor([[1, 2]]), requires_grad=True)
w = Variable(torch.Tensor([[1], [2]]), requires_grad=True)
h.mm(w).backward()
print(h.grad, w.grad)
grads = torch.autograd.grad(outputs=h.mm(w), inputs=[h, w], only_inputs=True)
print(grads)
print(torch.clamp(h, min=1.5).data, h.sub(1).data, h.clone().add_(2).data, torch.sum(h, 1, keepdim=True).data)
