"""Making tensors: from data, filled, like others, on a grid."""

import numpy as np
import torch

print(torch.tensor(3), torch.tensor(3.0), torch.tensor(True), torch.tensor([1, 2.5]), torch.tensor([[1, 2], [3, 4]]))
print(torch.tensor([]), torch.tensor([[]]).shape, torch.tensor(((1, 2), (3, 4))), torch.tensor(range(3)))
print(torch.tensor(np.array([1.0, 2.0])), torch.tensor(np.float32(1.5)), torch.tensor([np.int64(3), 4]))
print(torch.tensor([torch.tensor(1), torch.tensor(2)]))
print(torch.tensor([1, 2], dtype=torch.float16), torch.tensor([True, 2]))
print(torch.tensor([1, 2], device="cpu").device, torch.as_tensor([1, 2]), torch.as_tensor(torch.ones(1)))
print(torch.zeros(2, 3), torch.zeros((2,)), torch.zeros([1, 2]), torch.zeros(torch.Size([2])), torch.zeros(()))
print(torch.ones(2, dtype=torch.int32), torch.ones(2, 2, dtype=torch.bool), torch.zeros(size=(1, 2)))
print(torch.full((2, 2), 7), torch.full((2,), 1.5), torch.full((2,), True))
print(torch.full([], 3), torch.full((1,), 2, dtype=torch.double))
print(torch.eye(2), torch.eye(2, 3), torch.eye(2, dtype=torch.int64), torch.empty(2, 3).shape, torch.empty(0))
base = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
print(torch.zeros_like(base), torch.ones_like(base, dtype=torch.int16))
print(torch.full_like(base, 3), torch.empty_like(base).dtype)
print(base.new_zeros(2), base.new_ones(1, 2), base.new_full((2,), 9), base.new_tensor([1, 2]), base.new_empty(3).shape)
print(base.new_zeros((2,), dtype=torch.int32), torch.rand_like(base).dtype, torch.randn_like(base).shape)
print(torch.randint_like(base, 1, 2), torch.zeros_like(torch.tensor(3)), torch.ones_like(torch.tensor([True])))
print(torch.complex(torch.tensor([1.0]), torch.tensor([2.0])), torch.polar(torch.tensor([1.0]), torch.tensor([0.0])))
print(torch.tril_indices(3, 3), torch.triu_indices(2, 3, 1), torch.combinations(torch.tensor([1, 2, 3])))
print(torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4])), torch.vander(torch.tensor([1, 2, 3])))
print(torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"))
print(torch.meshgrid(torch.arange(2), torch.arange(3), indexing="xy")[0])
print(torch.block_diag(torch.ones(1, 2), torch.full((2, 1), 2.0)), torch.diag_embed(torch.tensor([1.0, 2.0])))
print(torch.scalar_tensor(2.0), torch.zeros(2).fill_(3), torch.empty(2).fill_(1), torch.zeros(2, 2).fill_diagonal_(5))
print(torch.asarray([1.0, 2.0]), torch.asarray(np.arange(3)))
print(torch.heaviside(torch.tensor([-1.0, 0.0, 2.0]), torch.tensor(0.5)))
for attempt in (
    lambda: torch.tensor([[1, 2], [3]]),
    lambda: torch.tensor("text"),
    lambda: torch.tensor([1, "a"]),
    lambda: torch.zeros(-1),
    lambda: torch.tensor(None),
    lambda: torch.eye(-2),
):
    try:
        print(attempt())
    except (RuntimeError, ValueError, TypeError) as error:
        print(type(error).__name__, str(error))
