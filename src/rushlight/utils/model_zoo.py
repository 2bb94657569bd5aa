"""torch.utils.model_zoo: :mod:`rushlight.hub` under its older name."""

from __future__ import annotations

from importlib import import_module

_hub = import_module("rushlight.hub")
load_url, tqdm = _hub.load_state_dict_from_url, _hub.tqdm
