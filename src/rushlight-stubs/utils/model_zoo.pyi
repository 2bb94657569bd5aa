# Written by tools/stubs.py; `make stubs` writes it anew.

from tqdm.std import tqdm as _tqdm
from typing import TypeAlias
from rushlight.hub import load_state_dict_from_url as load_url

tqdm: TypeAlias = _tqdm
