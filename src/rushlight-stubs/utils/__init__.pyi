# Written by tools/stubs.py; `make stubs` writes it anew.

from . import _import_utils as _import_utils
from . import checkpoint as checkpoint
from . import collect_env as collect_env
from . import data as data
from . import deterministic as deterministic
from . import dlpack as dlpack
from . import flop_counter as flop_counter
from . import hooks as hooks
from . import model_zoo as model_zoo
from . import recomputation as recomputation
from . import selective_checkpoint as selective_checkpoint
from . import swapping as swapping
from . import weak as weak
from rushlight.utils.swapping import swap_tensors as swap_tensors
