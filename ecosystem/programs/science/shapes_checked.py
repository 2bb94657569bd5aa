"""jaxtyping, beartype and opt_einsum: shapes checked as functions run, and sums of products in a good order."""

import opt_einsum
import torch
from beartype import beartype
from jaxtyping import Float, Int, TypeCheckError, jaxtyped


@jaxtyped(typechecker=beartype)
def attention(q: Float[torch.Tensor, "*batch n d"], k: Float[torch.Tensor, "*batch m d"]) -> Float[torch.Tensor, "*batch n m"]:  # noqa: F722
    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1)


torch.manual_seed(0)
q, k = torch.randn(2, 3, 4, requires_grad=True), torch.randn(2, 5, 4)
attention(q, k).square().sum().backward()
print(attention(q, k).sum((1, 2)), q.grad.sum(2))
for wrong in (lambda: attention(q, k[..., :3]), lambda: attention(q.long(), k)):
    try:
        wrong()
    except TypeCheckError as error:
        print(type(error).__name__, "attention" in str(error))
print(isinstance(torch.ones(2, 2), Float[torch.Tensor, "a a"]), isinstance(torch.ones(2), Int[torch.Tensor, "..."]))
parts = [torch.randn(*shape, requires_grad=True) for shape in ((3, 4), (4, 5, 2), (2, 6), (6, 3))]
out = opt_einsum.contract("ab,bcd,de,ea->c", *parts)
out.sum().backward()
print(out, [one.grad.abs().sum().item() for one in parts], opt_einsum.contract_path("ab,bcd,de,ea->c", *parts)[0])
ready = opt_einsum.contract_expression("ab,bc->ac", (3, 4), torch.ones(4, 2), constants=[1])
print(ready(parts[0]).sum())
with opt_einsum.shared_intermediates() as shared:
    print(
        opt_einsum.contract("ab,bcd->acd", *parts[:2]).sum(),
        opt_einsum.contract("ab,bcd->acd", *parts[:2]).sum(),
        len(shared) > 0,
    )
