"""torch.nn.utils: what is done to parameters and gradients."""

from ...missing import module_getattr
from . import parametrize, rnn
from .clip_grad import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from .convert_parameters import parameters_to_vector, vector_to_parameters
from .weight_norm import remove_weight_norm, weight_norm

__getattr__ = module_getattr(__name__)
