# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight._inner import _OfTraces
from typing import Any
from typing import NoReturn
from typing import TypeVar

_T = TypeVar('_T')

class Graph(_OfTraces):
    """A traced program."""
class GraphModule(_OfTraces):
    """A module that runs a traced program."""
class Interpreter(_OfTraces):
    """What runs a traced program step by step."""
class Node(_OfTraces):
    """A step of a traced program."""
class Proxy(_OfTraces):
    """What stands for a value while a program is traced."""
class Tracer(_OfTraces):
    """What traces a program."""
class Transformer(Interpreter):
    """What makes another program of a traced one."""
def symbolic_trace(root: Any, concrete_args: Any = None) -> NoReturn:
    """NotImplementedError: programs are not traced."""
    ...
def wrap(fn_or_name: _T) -> _T:
    """The function as it is: only where programs are traced does it matter which functions are one step."""
    ...
