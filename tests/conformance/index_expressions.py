"""Expressions that index, put, view and resize, right and wrong, for test_indexing.py.

`torch` is PyTorch or rushlight, `put(key, value)` a copy of `x` after `x[key] = value`; `x` is 3 by 3, `t` 2 by 3 by 4.
"""

SUBSCRIPTS = """
x[byte]
x[byte, byte]
x[byte0]
x[[0, 1], byte0]
x[[True, False, True]]
x["0":"1"]
x[0.5:]
x[::0]
x[::-1]
x[:, ::0]
x[torch.tensor(1):]
x[torch.tensor(1.0):]
x[torch.tensor([1]):]
x[torch.tensor([1, 2]):]
x["a"]
x[:, "a"]
x[["a"]]
x[{}]
x[1 + 2j]
x[[1.5]]
x[[1.0, 2.0]]
x[[[0, 1], [1]]]
x[range(2)]
x[UserList([0, 2])]
x[UserList([True, False, True])]
x[:, UserList([0, 2])]
x[UserList([slice(0, 1)])]
x[UserList([UserList([0, 1])])]
x[UserList(["a"])]
x[b"a"]
put(UserList([0, 2]), 5.0)
put(UserList([None]), 5.0)
x[[range(2)]]
x[[range(2), range(2)]]
x[[[0, 1]]]
x[[(0, 1)]]
x[[[0]] * 32]
x[[[0]] * 31]
x[[slice(0, 1)]]
x[[0, slice(0, 1)]]
x[[None]]
x[[torch.tensor(0), torch.tensor(1)]]
x[[torch.tensor(0), 1]]
x[1 << 64]
x[1 << 64, 0]
x[-4]
x[0, -4]
x[torch.tensor(5)]
x[0, 0, 0]
x[torch.tensor([5])]
x[torch.tensor([0]), torch.tensor([5])]
x[[0, 1], [0, 1, 2]]
x[:, [4]]
x[torch.tensor([True, False])]
x[:, torch.tensor([True, False])]
x[torch.ones(3, 3, 3, dtype=torch.bool)]
x[torch.tensor(0.5)]
x[torch.tensor([0.5])]
x[False, [0, 1], ...]
x[True, [0, 1], True, True, [1]]
x[False, True, ...].shape
number[0]
number[0, 0]
number[:]
number[..., 0]
number[1]
number[first[0]]
number[0.5]
number[0,]
number[[0]]
number.__setitem__(slice(None), 1.0)
number.__setitem__(2, 1.0)
number.__setitem__(first[0], 1.0)
x[0.5, 0, 0]
x.__delitem__(0)
torch.ones(10, 0)[:, [0, 1]]
torch.ones(10, 0)[[], []].shape
"""

ASSIGNMENTS = """
put(byte, 1.0)
put(byte0, 1.0)
put((byte, byte), 1.0)
put(([0, 1], byte0), 1.0)
put(byte, torch.tensor([3.0, 4.0, 5.0]))
put(x > 4, torch.tensor([1, 2]))
put(x > 4, torch.tensor([]))
put(x > 4, torch.tensor([1.0, 2.0]))
put(x > 4, torch.tensor(1))
put(x > 4, torch.tensor([1]))
put(0, torch.ones(2))
put(0, torch.ones(2, 3))
put(0, torch.ones(1, 1, 3))
put(slice(None), torch.ones(2))
put(0, "a")
put(0, [1, 2, 3])
put(0, None)
put(0, 1 + 2j)
put([0], 1 + 2j)
put(0, 2**63)
put(([0, 1], [0, 1, 2]), 0)
put(([0, 1, 2], [0]), torch.tensor([1.0, 2.0, 3.0]))
put((slice(None), [0, 2]), torch.ones(3, 1))
put(True, torch.ones(1, 1, 3, 3))
put(True, torch.ones(5, 1, 3, 3))
put(False, 5.0)
put(7, 1.0)
put([7], 1.0)
put([7], torch.ones(3))
x.index_put([], torch.tensor([1.0, 2.0]))
x.index_put((torch.tensor([0]),), torch.tensor([1]))
x.index_put((torch.tensor([0]),), torch.ones(2, 3))
x.index_put((torch.tensor([0]),), torch.ones(2, 3, dtype=torch.int64))
x.index_put((torch.tensor([0.0]),), torch.ones(3))
x.index_put((torch.tensor([0]),) * 3, torch.ones(3))
x.index_put((torch.tensor([7]),), torch.ones(3), True)
x.index_put((torch.tensor([0, 1]), torch.tensor([0, 1, 2])), torch.ones(3))
x.index_put((torch.tensor([0, 0], dtype=torch.int32),), torch.tensor(1.0), accumulate=True)
x.index_put((byte,), x[byte], accumulate=True)
number.index_put([], torch.tensor([1.0]), True)
"""

VECTORS = """
x.index_copy(1, torch.tensor([-1]), torch.ones(3, 1))
x.index_copy(1, torch.tensor([5]), torch.ones(3, 1))
x.index_copy(1, first, torch.ones(2, 1))
x.index_copy(1, torch.tensor([[0]]), torch.ones(3, 1))
x.index_copy(1, torch.tensor([0, 1]), torch.ones(3, 1))
x.index_copy(1, first.int(), torch.ones(3, 1))
x.index_copy(1, first, torch.ones(3))
x.index_copy(1, first, torch.tensor(1.0))
x.index_copy(0, first, torch.ones(1, 3).double())
t.index_copy(1, first, torch.ones(2, 1, 5))
t.index_copy(1, torch.tensor([0, 1]), torch.tensor(1.0))
number.index_copy(0, first, torch.ones(2))
number.index_copy(0, torch.tensor(1), torch.ones(1))
torch.tensor([1.0, 2.0]).index_copy(0, torch.tensor(1), torch.tensor(5.0))
x.index_fill(1, first, 1 + 1j)
x.bool().index_fill(1, first, 1 + 1j)
x.index_fill(1, first, torch.tensor(1 + 1j))
x.index_fill(1, first, torch.tensor([1.0]))
x.index_fill(1, torch.tensor([5]), 1)
x.index_fill(1, torch.tensor([-1]), 1)
x.index_fill(1, torch.tensor([[0]]), 1)
x.index_fill(1, first.int(), 1)
x.int().index_fill(1, first, 1.5)
x.to(torch.uint8).index_fill(1, first, 300)
x.index_add(1, torch.tensor([-1]), torch.ones(3, 1))
x.index_add(1, torch.tensor([5]), torch.ones(3, 1))
x.index_add(0, first.float(), torch.ones(1, 3))
x.index_add(0, torch.tensor([[0]]), torch.ones(1, 3))
x.index_add(0, torch.tensor([0, 1]), torch.ones(1, 3))
x.index_add(0, first, torch.ones(1, 4))
x.index_add(0, first, torch.ones(1, 3).int())
x.index_add(0, first, torch.ones(1, 3), alpha=1j)
number.index_add(0, first, torch.tensor(2.0))
number.index_add(0, torch.tensor(0), torch.ones(1))
x.index_reduce(0, torch.tensor([-1]), torch.ones(1, 3), "mean")
x.index_reduce(0, first, torch.ones(1, 3), "max")
x.index_reduce(0, first, torch.ones(2, 3), "mean")
x.index_reduce(0, first, torch.ones(1, 3).int(), "mean")
x.index_reduce(0, first.float(), torch.ones(1, 3), "mean")
x.bool().index_reduce(0, first, torch.ones(1, 3).bool(), "mean")
x.cfloat().index_reduce(0, first, torch.ones(1, 3).cfloat(), "prod")
x.to(torch.uint8).index_reduce(0, first, torch.ones(1, 3, dtype=torch.uint8), "mean")
x.index_select(0, torch.tensor([-1]))
x.index_select(0, torch.tensor([5]))
x.index_select(1, torch.tensor([5]))
x.index_select(0, first.float())
x.index_select(0, torch.tensor([[0]]))
number.index_select(0, torch.tensor([1]))
number.index_select(0, torch.tensor([0, 0]))
torch.empty(0, 3).index_select(0, first)
x.take(torch.tensor([9]))
x.take(torch.tensor([-10]))
x.take(first.int())
torch.empty(0).take(first)
x.put(torch.tensor([9]), torch.ones(1))
x.put(first, torch.ones(2))
x.put(first, torch.ones(1, dtype=torch.int64))
x.put(first.float(), torch.ones(1))
x.put(torch.tensor([-1]), torch.ones(1))
torch.empty(0).put(first, torch.ones(1))
torch.take_along_dim(x, torch.tensor([[5]]), 0)
torch.take_along_dim(x, torch.tensor([[-4]]), 0)
torch.take_along_dim(x, torch.tensor([[1]]), -7)
torch.take_along_dim(x, torch.tensor([1]), 0)
torch.take_along_dim(x, torch.tensor([[1]], dtype=torch.int32), 0)
"""

SCATTERED = """
x.gather(0, torch.tensor([[5]]))
x.gather(0, torch.tensor([5]))
x.gather(0, torch.tensor([[0.0]]))
x.gather(0, torch.zeros(1, 4, dtype=torch.int64))
x.gather(0, torch.tensor([[1]], dtype=torch.int32))
torch.tensor([1.0, 2.0]).gather(0, torch.tensor(1))
torch.tensor([1.0, 2.0]).scatter(0, torch.tensor(1), 5.0)
torch.tensor([1.0, 2.0]).scatter(0, torch.tensor(1), torch.tensor(5.0))
x.scatter(0, torch.tensor([[5]]), 1.0)
x.scatter(0, torch.tensor([[0]]), torch.ones(1, 1, dtype=torch.int64))
x.scatter(0, torch.tensor([[0]]), 1 + 2j)
x.scatter(0, torch.tensor([[0]]), 1.0, reduce="bad")
x.scatter(0, torch.tensor([[0]]), 2, reduce="multiply")
x.scatter(0, torch.empty(0, dtype=torch.long), 1.0)
x.scatter(0, torch.zeros(4, 4, dtype=torch.int64), torch.ones(4, 4))
x.scatter_add(0, torch.tensor([[-1]]), torch.ones(1, 1))
x.scatter_add(0, torch.tensor([[0]]), torch.ones(1, 1).int())
x.scatter_reduce(0, torch.tensor([[0]]), torch.ones(1, 1), "bad")
x.scatter_reduce(0, torch.tensor([[0, 1], [0, 1]]), torch.ones(2, 2), "min", include_self=False)
x.bool().scatter_reduce(0, torch.tensor([[0]]), torch.zeros(1, 1).bool(), "min", include_self=False)
x.char().scatter_reduce(0, torch.tensor([[0, 1], [0, 1]]), torch.ones(2, 2).char(), "max", include_self=False)
x.cfloat().scatter_reduce(0, torch.tensor([[0]]), torch.ones(1, 1).cfloat(), "max")
torch.autograd.grad(x.requires_grad_().scatter_reduce(0, torch.tensor([[0]]), torch.ones(1, 1), "min").sum(), x)
torch.autograd.grad(x.scatter_reduce(0, torch.tensor([[0]]), torch.ones(1, 1).requires_grad_(), "max").sum(), x)
x.bool().scatter_reduce(0, torch.tensor([[0]]), torch.ones(1, 1).bool(), "mean")
x.cfloat().scatter_reduce(0, torch.tensor([[0]]), torch.ones(1, 1).cfloat(), "amax")
x.cfloat().scatter_reduce(0, torch.tensor([[0]]), torch.ones(1, 1).cfloat(), "mean")
x.char().scatter_reduce(0, torch.tensor([[0]]), torch.ones(1, 1).char(), "mean")
x.masked_select(byte.view(3, 1))
x.masked_fill(byte, 1.0)
x.masked_fill(x > 3, torch.ones(2))
x.masked_fill(x > 3, 1 + 2j)
x.masked_scatter(x > 3, torch.ones(2))
x.masked_scatter(byte, torch.ones(9))
x.masked_scatter(x > 3, torch.ones(9, dtype=torch.int64))
torch.nonzero(torch.tensor([1, 0, 1]), out=torch.empty(0))
torch.nonzero(torch.tensor(5))
torch.argwhere(torch.tensor(0)).shape
torch.unravel_index(torch.tensor(0.5), (2, 2))
torch.unravel_index(torch.tensor([1]), 2.5)
torch.unravel_index(torch.tensor([1]), (1, 2, 2.0))
torch.unravel_index(torch.tensor(0), (2, -3))
torch.unravel_index(torch.tensor([1, 7]), (2, 2))
torch.unravel_index(torch.tensor([-1]), (2, 2))
torch.unravel_index(torch.tensor([3]), ())
torch.unravel_index(torch.tensor([3]), (2, 0))
torch.unravel_index(torch.tensor(3, dtype=torch.int32), (2, 2))
"""

VIEWS = """
number.view(torch.int64)
x.t().view(torch.int16)
x.view(torch.int64)
x.view(torch.int16)
x.view(torch.int32)
x.view(dtype=torch.bfloat16).shape
x.view(int)
x[:, :2].view(torch.float64)
x[:, 1:].view(torch.int64)
torch.ones(4, 4, 2).as_strided((4, 4, 2), (2, 1, 1)).view(torch.int64)
torch.ones(2, dtype=torch.complex64).conj().view(torch.float64)
torch.zeros(0, 5, 64).view(torch.int64)
torch.zeros(0, 5, 64).view(torch.int8)
torch.ones(3, requires_grad=True).view(torch.int32)
torch.ones(3, requires_grad=True).view(torch.float32)
torch.ones(3).expand(1, 1, 3)
torch.ones(3).expand(2, 1, 3)
torch.ones(3).expand(1, 2, 3)
number.expand(1, 1)
number.T
number.mT
number.H
number.mH
number.adjoint()
torch.tensor(1 + 2j).mH
torch.ones(3).mT
torch.ones(3).adjoint()
t.H
x.narrow(0, torch.tensor(0.0), 1)
x.narrow(0, torch.tensor([0]), 1)
x.narrow(0, torch.tensor(True), 1)
x.narrow(0, torch.tensor(1, dtype=torch.int32), 1)
x.tensor_split(torch.tensor(1.5))
x.tensor_split(torch.tensor([[1]]))
x.tensor_split(torch.tensor(2, dtype=torch.int32))
x.tensor_split(torch.tensor([1, 2]))
torch.broadcast_shapes(1, (1, -2))
torch.broadcast_shapes((3, 5), (2, 4, 1))
torch.broadcast_shapes(3, (1,), (2, 1))
torch.broadcast_shapes(1.5)
torch.broadcast_shapes((0,), (1,))
torch.broadcast_shapes((0,), (2,))
torch.empty(()).resize_([2, 4, 2**29, 2**30])
torch.empty(()).resize_([8, 8, 2**29, 2**29])
torch.ones(2).resize_(-1)
torch.ones(2).resize_(2, memory_format=torch.channels_last)
torch.ones(2).resize_(2, 1, memory_format=torch.preserve_format)
torch.ones(2, requires_grad=True).resize_(1)
torch.ones(8).resize_(2, 2, 2, 1, memory_format=torch.channels_last)
torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
torch.ones(2, 3, 4, 5).clone(memory_format=torch.channels_last)
torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.preserve_format)
t.mT.contiguous(memory_format=torch.preserve_format)
torch.ones(3).resize_as_(torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)).stride()
torch.ones(3).resize_as_(
    torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last), memory_format=torch.preserve_format).stride()
"""

# Numbers that a dtype may not hold, put into a tensor of it in several ways.
FILLS = [
    f"torch.zeros(2, dtype=torch.{dtype}){way.format(number)}"
    for dtype in ("uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "bool")
    for number in ("300", "-1", "-300", "1e10", "1e39", "float('inf')", "float('nan')", "2**63", "-2**63", "1.5", "3+2j")
    for way in (".fill_({})", ".masked_fill(torch.tensor(True), {})", ".scatter(0, torch.tensor([0]), {})")
]
