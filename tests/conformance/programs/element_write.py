"""Writing elements of one tensor from another, and the gradient that follows."""

import torch
from torch.autograd import Variable

m = Variable(torch.FloatTensor([[2, 3]]), requires_grad=True)
n = Variable(torch.zeros(1, 2))
print(m)
print(n)
n[0, 0] = m[0, 0] ** 2
n[0, 1] = m[0, 1] ** 3
print(n)
n.backward(torch.ones_like(n))
print(m.grad)

m = torch.tensor([2.0, 3.0], requires_grad=True)
n = torch.zeros(2)
n[0] = m[0] ** 2
n[1] = m[1] ** 3
print(n, n.requires_grad, n.is_leaf)
n.backward(gradient=torch.tensor([1.0, 10.0]))
print(m.grad)

# the Jacobian, one row at a time
m = Variable(torch.FloatTensor([[2, 3]]), requires_grad=True)
jacobian = torch.zeros(2, 2)
n = Variable(torch.zeros(1, 2))
n[0, 0] = m[0, 0] ** 2 + 3 * m[0, 1]
n[0, 1] = m[0, 1] ** 2 + 2 * m[0, 0]
n.backward(torch.FloatTensor([[1, 0]]), retain_graph=True)
jacobian[:, 0] = m.grad.data
m.grad.data.zero_()
n.backward(torch.FloatTensor([[0, 1]]))
jacobian[:, 1] = m.grad.data
print("jacobian", jacobian)

# an overwritten element passes nothing on
m = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
k = m * 2
k[1] = 100.0
k[2] = m[0] * 5
print(k)
k.sum().backward()
print(m.grad)

# rows, slices, masks
m = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
k = m * m
k[0] = k[1]
k[:, 2] = torch.tensor([7.0, 8.0])
k[k > 20] = 0.0
print(k)
k.backward(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
print(m.grad)
