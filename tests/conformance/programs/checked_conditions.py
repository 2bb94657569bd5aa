"""Conditions that libraries hold their arguments to, and what they ask of PyTorch's parts on the way."""

import typing
import warnings

import torch
from torch.torch_version import TorchVersion
from torch.utils._pytree import is_namedtuple_instance, is_structseq_instance

checks = (torch._check, torch._check_index, torch._check_value, torch._check_type, torch._check_not_implemented)
for check in checks:
    for args in ((True,), (False,), (False, lambda: "no"), (False, lambda: 3), (1,), (torch.tensor(True),), (False, "text")):
        try:
            print(check.__name__, check(*args))
        except Exception as error:
            print(check.__name__, type(error).__name__, error)
for condition in (True, torch.tensor([True]), torch.tensor([True, False]), torch.ones(2)):
    try:
        print(torch._check_tensor_all(condition, lambda: "not all"))
    except Exception as error:
        print(type(error).__name__, error)
try:
    torch._check_with(KeyError, False, lambda: "key")
except KeyError as error:
    print(repr(error))
for expected in (((2, 3), (3, 1), torch.float32), ((2,),), (None, [1, 2]), (None, None, torch.int64), ([2, 3], None, None)):
    for options in ({}, {"device": "meta"}, {"layout": torch.sparse_csr}, {"layout": torch.sparse_coo, "device": "cpu"}):
        try:
            print(torch._assert_tensor_metadata(torch.ones(2, 3), *expected, **options))
        except RuntimeError as error:
            print(error)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for size in (3, -1):
        try:
            print(torch._check_is_size(size))
        except RuntimeError as error:
            print(error)
print([(one.category.__name__, str(one.message)) for one in caught])

version = TorchVersion("1.10.0a")
print(type(torch.__version__), version > "1.9", version >= (1, 9), version == "1.10.0a", version, torch.__version__ > (2, 12))
print(is_structseq_instance(torch.max(torch.ones(1, 1), 0)), is_namedtuple_instance((1,)))


class Net(torch.nn.Module):
    size: int
    layer: torch.nn.Linear


class Mine(torch.Tensor):
    name: str


print({name: hint for name, hint in typing.get_type_hints(Net).items() if name in ("size", "layer")})
print({name: hint for name, hint in typing.get_type_hints(Mine).items() if name == "name"})


# A subclass of Parameter says that it is a parameter.
class Weight(torch.nn.Parameter):
    pass


class Told(torch.nn.Parameter):
    def __repr__(self):
        return "Told: " + torch.Tensor.__repr__(self)


print(Weight(torch.ones(2)), [Told(torch.ones(1, 2))], f"{Told(torch.zeros(0))}")
print(torch.nn.Parameter(torch.ones(2).as_subclass(Mine)))
print(torch.ops.aten._pin_memory.default, torch.ops.aten.is_pinned, torch.onnx.is_in_onnx_export())
parse = torch._C._nn._parse_to
for args, options in (
    (("cpu",), {}),
    ((torch.float32,), {}),
    (("cpu", torch.float16, True), {}),
    ((torch.ones(1).double(),), {}),
    ((), {"dtype": torch.int8, "device": "cpu"}),
    ((), {"memory_format": torch.channels_last}),
    (("nowhere",), {}),
):
    try:
        print(parse(*args, **options))
    except RuntimeError as error:
        print(str(error))
