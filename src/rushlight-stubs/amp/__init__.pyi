# Written by tools/stubs.py; `make stubs` writes it anew.

from . import autocast_mode as autocast_mode
from . import grad_scaler as grad_scaler
from rushlight.amp.autocast_mode import autocast as autocast
from rushlight.amp.autocast_mode import custom_bwd as custom_bwd
from rushlight.amp.autocast_mode import custom_fwd as custom_fwd
from rushlight.amp.autocast_mode import is_autocast_available as is_autocast_available
from rushlight.amp.grad_scaler import GradScaler as GradScaler
