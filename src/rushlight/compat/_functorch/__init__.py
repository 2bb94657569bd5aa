"""torch._functorch: where PyTorch keeps the function transforms; the public names are in torch.func."""

from rushlight.base.missing_names import lazy_names

__getattr__, __dir__ = lazy_names(
    __name__,
    frozenset(
        "apis autograd_function batch_norm_replacement deprecated eager_transforms functional_call make_functional pyfunctorch "
        "python_key utils vmap".split()
    ),
)
