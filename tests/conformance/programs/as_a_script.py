"""What a script knows of itself, and the imports that scripts make."""

import sys
from pathlib import Path

import torch
import torch.autograd as autograd
import torch.nn.functional as F
from torch import Tensor, nn, no_grad, optim, tensor
from torch.autograd import Function, Variable, grad
from torch.autograd.functional import jacobian
from torch.nn import functional

print(__name__, Path(__file__).name, len(sys.argv), Path(sys.argv[0]).name, __doc__.split(",")[0])
print(autograd is torch.autograd, F is functional, nn.functional is F, Tensor is torch.Tensor, tensor is torch.tensor)
print(Function is autograd.Function, grad is torch.autograd.grad)
print(callable(jacobian), no_grad is torch.no_grad, optim.SGD, optim.__name__)
print(torch.__name__, nn.__name__, F.__name__, nn.Linear, torch.Tensor, torch.__version__.split("+")[0], "torch" in sys.modules)
print(sys.modules["torch"] is torch, isinstance(torch.__version__, str))
print(Variable(tensor([1.0])), sys.modules["torch.nn.functional"] is F, torch.version.__version__ == torch.__version__)


def main():
    x = tensor([1.0, 2.0], requires_grad=True)
    F.relu(x * 2 - 3).sum().backward()
    print(x.grad)


class Model:
    def __init__(self):
        self.w = torch.ones(2, requires_grad=True)

    def __call__(self, x: Tensor) -> Tensor:
        return (self.w * x).sum()

    def parameters(self):
        yield self.w


if __name__ == "__main__":
    main()
    model = Model()
    model(tensor([3.0, 4.0])).backward()
    print([p.grad for p in model.parameters()])
    try:
        torch.this_name_is_not_there
    except AttributeError as error:
        print(type(error).__name__)
    try:
        from torch import nothing_like_this  # noqa: F401
    except ImportError as error:
        print(type(error).__name__)
    print(hasattr(torch, "add"), hasattr(torch, "no_such_function"), getattr(torch, "no_such_function", "absent"))
