"""What assert_close says of sparse tensors, and writes into sparse tensors of another dtype."""

import warnings

import torch

warnings.simplefilter("ignore")


def tell(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, error)


first = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
layouts = {
    "coo": torch.Tensor.to_sparse,
    "csr": torch.Tensor.to_sparse_csr,
    "csc": torch.Tensor.to_sparse_csc,
    "bsr": lambda x: x.to_sparse_bsr((1, 1)),
    "bsc": lambda x: x.to_sparse_bsc((1, 1)),
}
for laid in layouts.values():
    for second in (first, torch.tensor([[0.0, 1.0], [0.0, 2.0]]), torch.tensor([[1.0, 0.0], [0.0, 3.0]]), torch.ones(2, 2)):
        tell(lambda: torch.testing.assert_close(laid(first), laid(second)))
    tell(lambda: torch.testing.assert_close(laid(first), first))
    tell(lambda: torch.testing.assert_close(laid(first), first, check_layout=False))
    tell(lambda: torch.testing.assert_close(laid(first), first.to_sparse(), check_layout=False))
tell(lambda: torch.testing.assert_close(torch.ones(2, 2).to_sparse(1), torch.ones(2, 2).to_sparse()))

for have in (torch.uint8, torch.float32, torch.int32, torch.bool):
    for other in (torch.int8, torch.float64, torch.complex64, torch.bool, torch.float16):
        for name in ("add_", "mul_") if have is not other else ():  # PyTorch adds no booleans
            s = torch.tensor([0, 1, 1]).to(have).to_sparse()
            tell(lambda: getattr(s, name)(torch.tensor([1, 0, 1]).to(other).to_sparse()))
            tell(lambda: (s.dtype, s.to_dense()))

for have in (torch.uint8, torch.int8, torch.float32, torch.bfloat16):
    s = torch.tensor([0, 1, 2]).to(have).to_sparse()
    for factor in (-5, 300, 2.5, torch.tensor(-3), torch.tensor(2.5, dtype=torch.float64), True):
        tell(lambda: (s * factor).to_dense())
