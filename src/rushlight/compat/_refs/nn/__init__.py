"""torch._refs.nn: the functions of torch.nn.functional."""

from rushlight.base.missing_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__, frozenset({"functional"}))
