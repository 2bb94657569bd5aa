"""functorch.experimental: what functorch had not settled yet, without a warning."""

from rushlight.func import functionalize, hessian, jacfwd, jvp

from .._functorch.apis import chunk_vmap
from .._functorch.batch_norm_replacement import replace_all_batch_norm_modules_

__all__ = ["chunk_vmap", "functionalize", "hessian", "jacfwd", "jvp", "replace_all_batch_norm_modules_"]
