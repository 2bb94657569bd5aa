"""How a line of the table becomes functions: the text of each is written (:mod:`.forward_text`, :mod:`.rules_text`), compiled,
and given what is the op's own.

The text depends on the op's form only, so ops of one form share one code object; what differs (kernel, node class, rules) is
in its closure.
"""

from __future__ import annotations

import inspect
import linecache
import operator
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import saved, views
from ..autograd.handles import observers
from ..autograd.modes import special, state
from ..autograd.nodes import BORROWED, Node, leaf_edge, orders
from ..autograd.source_lines import here
from ..backend import numpy as backend
from ..backend.many import as_many, plain_arrays
from ..backend.pointwise import FOR_COMPLEX, of_many
from ..base.arguments import is_own
from ..tensor import PLAIN, Tensor
from . import dispatch, promotion
from .forward_text import call_source, function_source
from .rules_text import rules_source

if TYPE_CHECKING:
    from .plain_cases import Case
    from .table import Op


UNSAID: Any = object()  # an argument that was not given
_NO_TENSORS = frozenset((int, float, bool, complex, type(None)))


def unusual(*inputs: Any, packs: bool = True) -> bool:
    """While ``special.active``, whether an op of these inputs must know of it; ``packs`` where it knows of saved-tensor hooks only
    by asking. In inference mode compiled ops record nothing and mark what they make."""
    if special.hidden or (packs and state.saved_hooks and state.grad_enabled):
        return True
    marked = state.inference is None  # whether it matters that an input was made in inference mode
    if not marked and state.grad_enabled:
        return True
    forward = state.forward_levels
    for each in inputs:
        kind = each.__class__
        if kind in PLAIN:
            if marked and each._inference is not None:
                return True
            if forward:
                tangents = each._tangents
                if tangents or (each._base is not None and each._base._tangents):
                    return True
        elif kind not in _NO_TENSORS:
            return True
    return False


def watched() -> bool:
    """While ``special.active``, whether calls of public functions are for somebody else to look at first."""
    return bool(state.function_modes) or state.autocast


_makers: dict[str, Callable[..., Any]] = {}
compile_lock = threading.RLock()  # held while an op is compiled: threads that use it first at once get one node class
_BY_NAME: tuple[Any, ...] = (
    Tensor, np.ndarray, np.asarray, backend.laid_out, backend.number, promotion.together, promotion.beside_number,
    leaf_edge, views.in_inference, dispatch.failed, here, unusual, watched, of_many, as_many, plain_arrays,
    saved.Packed, saved.array_of, saved.array_of_list, saved.output_array, saved.tensor_of, saved.tensor_of_list, saved.output_tensor,
)  # fmt: skip
GLOBALS: dict[str, Any] = {
    "__name__": "rushlight.ops.compiled",
    **{one.__name__: one for one in _BY_NAME},
    "BORROWED": BORROWED,
    "COMPLEX": frozenset(map(np.dtype, (np.complex64, np.complex128))),
    "FOR_COMPLEX": FOR_COMPLEX,
    "dtype_of": operator.attrgetter("dtype"),
    "shape_of": operator.attrgetter("shape"),
    "getframe": sys._getframe,
    "meta_of": operator.attrgetter("shape", "dtype"),
    "is_own": is_own,
    "new": object.__new__,
    "next_order": orders.__next__,
    "observers": observers,
    "plain": PLAIN,
    "refresh": views.refresh_to_record,
    "special": special,
    "state": state,
    "unsaid": UNSAID,
}


def _make(source: str, **bound: Any) -> Callable[..., Any]:
    text = f"def make({', '.join(bound)}):\n" + "\n".join("    " + line for line in source.splitlines()) + "\n"
    with compile_lock:
        if text not in _makers:
            filename = f"<rushlight op form {len(_makers)}>"
            linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
            scope: dict[str, Any] = {}
            exec(compile(text, filename, "exec"), GLOBALS, scope)
            _makers[text] = scope["make"]
    return _makers[text](**bound)


def compiled_call(
    entry: Op, general: Callable[..., Any], where: str = "", hooked: bool = False, public: bool = False
) -> Callable[..., Any]:
    """The function that runs an op on Tensors and records it; ``general`` takes what is out of the ordinary."""
    bound = {f"default_{name}": default for name, default in entry.params if default is not inspect.Parameter.empty}
    source = call_source(entry, where, hooked=hooked, public=public) + "\nreturn call"
    function = _make(source, op=entry, compute=entry.kernel, general=general, **bound)
    function.__name__ = function.__qualname__ = entry.name
    return function


def compiled_function(entry: Op, full: Callable[..., Any], general: Callable[..., Any]) -> Callable[..., Any]:
    """An op as PyTorch's function.

    ``full(args, named)`` takes calls with arguments by other names, and all while something special is on; ``general(op, args)``
    the rest of what is out of the ordinary.
    """
    source = function_source(entry) + "\nreturn call"
    return _make(source, op=entry, compute=entry.kernel, general=general, full=full)


def compiled_case(entry: Op, case: Case, fewer: Callable[..., Any], spoken: Callable[..., Any]) -> Callable[..., Any]:
    """A public function that is an op in the plain case.

    ``spoken`` takes the calls that are not plain, ``fewer`` those with fewer arguments.
    """
    source = call_source(entry, case.where, case) + "\nreturn call"
    return _make(source, op=entry, compute=entry.kernel, fewer=fewer, spoken=spoken, **case.names)


def compiled_rules(entry: Op, over_tensors: bool, xp: Any) -> Callable[..., Any]:
    """The method of an op's nodes that runs the rules; ``xp`` is what they know the other ops by."""
    if not entry.rules and entry.joint is None:
        return Node.vjp
    rules = entry.rules if entry.joint is None else {"joint": entry.joint}
    bound = {f"rule_{name}": rule for name, rule in rules.items()}
    return _make(rules_source(entry, over_tensors) + "\nreturn vjp", xp=xp, **bound)
