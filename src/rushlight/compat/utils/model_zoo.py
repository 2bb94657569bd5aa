"""torch.utils.model_zoo: :mod:`rushlight.hub` under its older name."""

from rushlight.hub import load_state_dict_from_url as load_url
from rushlight.hub import tqdm

__all__ = ["load_url", "tqdm"]
