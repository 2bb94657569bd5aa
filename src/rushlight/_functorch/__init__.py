"""torch._functorch: where PyTorch keeps the function transforms; the public names are in torch.func."""

from ..as_torch.missing import module_getattr

__getattr__ = module_getattr(
    __name__,
    frozenset(
        "apis autograd_function batch_norm_replacement deprecated eager_transforms functional_call make_functional pyfunctorch "
        "python_key utils vmap".split()
    ),
)
