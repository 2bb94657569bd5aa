# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import TypedStorage as TypedStorage
from rushlight import UntypedStorage as UntypedStorage
