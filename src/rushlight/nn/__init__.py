"""torch.nn: modules, their parameters, and the functions they are made of."""

from ..missing import module_getattr
from . import functional
from . import init, modules, parameter
from .modules import *
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__getattr__ = module_getattr(__name__, frozenset({"utils"}))
