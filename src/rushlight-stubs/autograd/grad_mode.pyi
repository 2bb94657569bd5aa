# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import enable_grad as enable_grad
from rushlight import inference_mode as inference_mode
from rushlight import no_grad as no_grad
from rushlight import set_grad_enabled as set_grad_enabled
from rushlight.autograd import enforce_grad_layout_policy as enforce_grad_layout_policy
from rushlight.autograd import set_multithreading_enabled as set_multithreading_enabled
