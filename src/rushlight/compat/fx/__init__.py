"""torch.fx: programs as graphs that are looked at, changed, and written out as Python again.

:func:`symbolic_trace` runs a module or function on stand-ins for its inputs and records its steps; the :class:`Graph` of them is
ordinary data, and a :class:`GraphModule` runs it.

>>> import rushlight as torch
>>> traced = torch.fx.symbolic_trace(lambda x, y: torch.relu(x) + y)
>>> print(traced.graph)
graph():
    %x : [num_users=1] = placeholder[target=x]
    %y : [num_users=1] = placeholder[target=y]
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
    %add : [num_users=1] = call_function[target=operator.add](args = (%relu, %y), kwargs = {})
    return add
"""

from rushlight.base.missing_names import lazy_names

from ._symbolic_trace import PH, Tracer, symbolic_trace, wrap
from .graph import CodeGen, Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_arg
from .passes import shape_prop
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern

__all__ = [
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "Tracer",
    "Transformer",
    "has_side_effect",
    "map_arg",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]

__getattr__, __dir__ = lazy_names(__name__, frozenset({"experimental", "passes"}))
