"""How a line of the table becomes functions: the text of each is written, compiled, and given what is the op's own.

The text depends on the op's form only, so ops of one form share one code object; what differs (kernel, node class, rules) is
in its closure.
"""

from __future__ import annotations

import dis
import inspect
import linecache
import operator
import sys
import threading
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import views
from ..autograd.graph import BORROWED, Node, leaf_edge, observers, orders
from ..autograd.modes import special, state
from ..backend import alignment, blockwise
from ..backend import numpy as backend
from ..backend.parted_array import parted, whole
from . import dispatch, saved, saved_attributes, several
from .reading import conj

if TYPE_CHECKING:
    from .plain_cases import Case
    from .table import Op, Rule


def unseen() -> bool:
    """Whether nobody looks at cotangents while a pass runs: neither hooks nor a profiler nor anomaly detection."""
    return not observers.present and not state.anomaly and state.recorder is None


UNSAID: Any = object()  # an argument that was not given
_plain: set[type] = set()  # the classes of ordinary tensors; see bind()
_NO_TENSORS = frozenset((int, float, bool, complex, type(None)))


def unusual(*inputs: Any, packs: bool = True) -> bool:
    """While ``special.active``, whether an op of these inputs must know of it; ``packs`` where it knows of saved-tensor hooks only
    by asking. In inference mode compiled ops record nothing and mark what they make."""
    if special.active != special.plain_to_see or (packs and state.saved_hooks and state.grad_enabled):
        return True
    marked = state.inference is None  # whether it matters that an input was made in inference mode
    if not marked and state.grad_enabled:
        return True
    forward = state.forward_levels
    for each in inputs:
        kind = each.__class__
        if kind in _plain:
            if marked and each._inference is not None:
                return True
            if forward:
                tangents = each._tangents
                if tangents or (tangents is None and each._base is not None and each._base._tangents):
                    return True
        elif kind not in _NO_TENSORS:
            return True
    return False


def watched() -> bool:
    """While ``special.active``, whether calls of public functions are for somebody else to look at first."""
    return bool(state.function_modes) or state.autocast is not None


_makers: dict[str, Callable[..., Any]] = {}
compile_lock = threading.RLock()  # held while an op is compiled: threads that use it first at once get one node class
GLOBALS: dict[str, Any] = {
    "__name__": "rushlight.ops.compiled",
    "BORROWED": BORROWED,
    "OVER": blockwise.OVER,
    "LARGE": min(alignment.FROM, blockwise.SPREAD),
    "SHARED": blockwise.SPREAD,
    "asarray": np.asarray,
    "dtype_of": operator.attrgetter("dtype"),
    "shape_of": operator.attrgetter("shape"),
    "getframe": sys._getframe,
    "leaf_edge": leaf_edge,
    "ndarray": np.ndarray,
    "new": object.__new__,
    "next_order": orders.__next__,
    "laid_out": backend.laid_out,
    "number": backend.number,
    "observers": observers,
    "Packed": saved.Packed,
    "refresh": views.refresh_to_record,
    "unsaid": UNSAID,
    "unusual": unusual,
    "watched": watched,
    "unseen": unseen,
    "special": special,
    "in_inference": views.in_inference,
    "parted": parted,
    "spread": blockwise.spread,
    "whole": whole,
    "within": alignment.within,
    "state": state,
    "failed": dispatch.failed,
    "array_of": saved.array_of,
    "array_of_list": saved.array_of_list,
    "output_array": saved.output_array,
    "tensor_of": saved.tensor_of,
    "together": dispatch.together,
    "tensor_of_list": saved.tensor_of_list,
    "output_tensor": saved.output_tensor,
    "beside_number": dispatch.beside_number,
    "here": saved.here,
    "inside": saved.INSIDE,
}


def bind(tensor_class: type, plain: set[type]) -> None:
    """Tells compiled ops which class to make, and which classes may take the fast path; called once by tensor.py."""
    GLOBALS["Tensor"] = tensor_class
    global _plain
    GLOBALS["plain"] = _plain = plain


def parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """The names of a plain function's parameters with their defaults (``inspect.signature`` takes ten times as long)."""
    function = getattr(function, "__wrapped__", function)
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    given = [inspect.Parameter.empty] * (len(names) - len(defaults)) + list(defaults)
    return dict(zip(names, given, strict=True))


def _make(source: str, **bound: Any) -> Callable[..., Any]:
    text = f"def make({', '.join(bound)}):\n" + "\n".join("    " + line for line in source.splitlines()) + "\n"
    with compile_lock:
        maker = _makers.get(text)
        if maker is None:
            maker = _makers[text] = _compiled_maker(text)
    return maker(**bound)


def _compiled_maker(text: str) -> Callable[..., Any]:
    filename = f"<rushlight op form {len(_makers)}>"
    saved.INSIDE.add(filename)
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    scope: dict[str, Any] = {}
    exec(compile(text, filename, "exec"), GLOBALS, scope)
    maker: Callable[..., Any] = scope["make"]
    return maker


def keeps_tensors(entry: Op) -> bool:
    """Whether nodes of an op save tensors."""
    return any(kind in ("input", "output") for kind, _, _ in entry.keep)


def kept_anyhow(entry: Op, kind: str, users: list[str]) -> bool:
    """Whether nodes keep what the rules of ``users`` ask for whichever inputs need a gradient: as in PyTorch outputs, and what
    several rules ask for."""
    return kind == "output" or len(users) > 1 or users == entry.sources


def releaser(entry: Op) -> Callable[[Node], None]:
    """How nodes free what they saved, where it depends on the inputs that need a gradient whether there is a tensor."""
    places, place = [], 0
    for kind, _, _ in entry.keep:
        if kind in ("input", "output"):
            places.append(place)
        place += {"input": 2, "output": 3}.get(kind, 1)

    def release(node: Node) -> None:
        saved = node.saved
        if saved is not None:
            for place in places:
                if saved[place] is not None:
                    node.saved = None
                    return

    return release


def _keep_tuple(entry: Op, optional: set[str]) -> str:
    """The expression for ``node.saved``, given ``r_<input>`` flags, ``v_<input>`` versions and ``x_<input>`` arrays."""
    items: list[str] = []
    for kind, name, users in entry.keep:
        # A view made in no_grad has no place in the graph: nothing is kept for its cotangent.
        condition = "" if kept_anyhow(entry, kind, users) else f" if r_{users[0]} is True else None"
        if kind == "input":
            items += [f"s_{name}{condition}", f"v_{name}{condition}"]
        elif kind == "output":
            words = ["out", "version", "0"] if len(entry.outputs) == 1 else several.output_words(name)
            items += [f"{word}{condition}" for word in words]
        elif kind == "param":
            items.append(name)
        elif kind in ("shape", "dtype") and name[:-6] == entry.variadic:
            items.append(f"[*map({kind}_of, x_{name[:-6]})]")
        elif kind == "shape":
            items.append(
                f"x_{name[:-6]}.shape"
                if name[:-6] not in optional
                else f"None if x_{name[:-6]} is None else x_{name[:-6]}.shape"
            )
        else:
            items.append(
                f"x_{name[:-6]}.dtype"
                if name[:-6] not in optional
                else f"None if x_{name[:-6]} is None else x_{name[:-6]}.dtype"
            )
    return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"


def _arguments(entry: Op) -> str:
    """The op's parameter list; defaults are bound in the closure as ``default_<name>``."""
    words = []
    for name in entry.inputs:
        words.append(f"{name}=None" if name in entry.optional else name)
    for name, default in entry.params:
        words.append(name if default is inspect.Parameter.empty else f"{name}=default_{name}")
    return ", ".join(words)


def _case_head(entry: Op, case: Case) -> list[str]:
    """The first lines of a public function that is an op in the plain case: what is not said in its place goes elsewhere."""
    names = case.arguments.split()
    inputs = case.inputs or dict(zip(entry.inputs, names, strict=False))
    *fixed, rest = names if names[-1][0] == "*" else [*names, "*rest"]
    said = [f"spoken({''.join(f'{one}, ' for one in fixed[:count])}**kwargs)" for count in range(len(fixed))]
    return [
        f"def call({''.join(f'{name}=unsaid, ' for name in fixed)}/, {rest}, **kwargs):",
        f"    if kwargs{' or rest' if rest == '*rest' else ''}:",
        *(f"        if {name} is unsaid:\n            return {call}" for name, call in zip(fixed, said, strict=True)),
        f"        return spoken({', '.join(fixed)}, {rest}, **kwargs)",
        f"    if {fixed[-1]} is unsaid{f' or ({fixed[-1]} is None and not special.active)' if case.last_may_be_none else ''}:",
        f"        return fewer({', '.join(fixed[:-1])})",
        *([f"    if not ({case.before}):", f"        return spoken({', '.join(names)})"] if case.before else []),
        *(f"    {own} = {name}" for own, name in inputs.items() if own != name),
    ]


def _meeting(entry: Op, first: str, name: str, general: str) -> list[str]:
    """Where two arrays differ in dtype: they are brought to one, or the general path is asked."""
    lines = [f"if x_{first}.dtype is not x_{name}.dtype:"]
    if len(entry.inputs) > 2 or entry.check is not None:
        return [*lines, f"    {general}"]
    return [
        *lines,
        f"    met = together(x_{first}, x_{name}, {entry.promote == 'float'})",
        "    if met is None:",
        f"        {general}",
        f"    x_{first}, x_{name} = met",
    ]


def _packing(entry: Op) -> list[str]:
    """Where saved-tensor hooks are on: the inputs that the node will keep are packed before the op runs, as the second run of a
    checkpoint may end with one of them."""
    lines = [f"    if ({' or '.join(f'r_{name}' for name in entry.sources)}) and state.grad_enabled:"]
    lines.append("        hooks = state.saved_hooks[-1]")
    for kind, name, users in entry.keep:
        if kind == "input":
            lines.append(f"        if v_{name} is not None and ({' or '.join(f'r_{user} is True' for user in users)}):")
            lines.append(f"            s_{name}, v_{name} = Packed(s_{name}, hooks), -1")
    return lines


def call_source(entry: Op, where: str = "", case: Case | None = None, asked: bool = False, hooked: bool = False) -> str:
    """The text of the function that runs an op on Tensors.

    ``where``   what must be true of its arrays ``x_<input>``
    ``asked``   whether nothing :func:`unusual` is left where its body begins
    ``hooked``  whether saved-tensor hooks pack what the node keeps; what is out of the ordinary is NotImplemented then
    """
    names = [*entry.inputs, *(name for name, _ in entry.params)] if case is None else case.arguments.split()
    everything = "(" + ", ".join(names) + ",)"
    general = f"return general(op, {everything})" if case is None else f"return spoken({', '.join(names)})"
    if hooked:
        general = "return NotImplemented"
    lines = [f"def call({_arguments(entry)}):"] if case is None else _case_head(entry, case)
    add = lines.append
    pointwise = entry.promote is not None
    if entry.variadic or len(entry.outputs) > 1 or entry.outputs == ["*"]:
        return several.forward_source(entry, _arguments(entry), _keep_tuple, keeps_tensors(entry))
    number_for = entry.inputs[1] if pointwise and len(entry.inputs) == 2 and entry.numbers != "none" else None
    packs = ", packs=False" if hooked or not keeps_tensors(entry) else ""
    question = f"unusual({', '.join(entry.inputs)}{packs})"
    checks = [] if asked else [f"special.active and {question if case is None else f'(watched() or {question})'}"]
    for name in entry.inputs:
        if name != number_for:
            given = f"{name} is not None and " if name in entry.optional else ""
            checks.append(f"{given}{name}.__class__ not in plain")
    if checks:
        add(f"    if {' or '.join(checks)}:")
        add(f"        {general}")
    kept_inputs = {name for kind, name, _ in entry.keep if kind == "input"}
    for name in entry.inputs:
        body = [f"x_{name} = {name}._array"]
        if entry.view and name == entry.inputs[0]:
            body += [
                f"base, version = {name}._base, {name}._counter",
                "if base is None:",
                f"    base = {name}",
                f"elif {name}._seen != version[0]:",
                f"    refresh({name})",
                f"r_{name} = {name}._needs_grad",
            ]
        elif name in entry.sources:
            body += [
                f"if {name}._base is not None and {name}._seen != {name}._counter[0]:",
                f"    refresh({name})",
                f"r_{name} = {name}._needs_grad",
            ]
        if name in kept_inputs:
            body.append(f"s_{name} = {name}")
            body.append(f"v_{name} = {name}._counter[0]")
        if name == number_for:
            first = entry.inputs[0]
            add(f"    kind = {name}.__class__")
            add("    if kind in plain:")
            lines.extend("        " + line for line in body)
            lines.extend("        " + line for line in _meeting(entry, first, name, general))
            add(f"        grids = x_{name}.ndim")
            add("    elif kind is float or kind is int:")
            add(f"        x_{name} = number({name}, x_{first}.dtype)")
            add(f"        if x_{name} is None:")
            if entry.promote == "float" or entry.check is not None:
                add(f"            {general}")
            else:
                add(f"            met = beside_number(x_{first}, {name})")
                add("            if met is None:")
                add(f"                {general}")
                add(f"            x_{first}, x_{name} = met")
            add(f"        r_{name} = False")
            add("        grids = 0")
            if name in kept_inputs:
                add(f"        s_{name} = x_{name}")
                add(f"        v_{name} = None")
            add("    else:")
            add(f"        {general}")
        elif name in entry.optional:
            add(f"    if {name} is None:")
            add(f"        x_{name} = {'s_' + name + ' = v_' + name + ' = ' if name in kept_inputs else ''}None")
            add(f"        r_{name} = False")
            add("    else:")
            lines.extend("        " + line for line in body)
        else:
            lines.extend("    " + line for line in body)
    if pointwise and number_for is None:
        first = entry.inputs[0]
        for name in entry.inputs[1:]:
            lines.extend("    " + line for line in _meeting(entry, first, name, general))
    if where:
        add(f"    if not ({where}):")
        add(f"        {general}")
    if case is not None:
        lines.extend(f"    {name} = {value}" for name, value in case.settings.items())
    if hooked:
        lines += _packing(entry)
    arguments = ", ".join([*(f"x_{name}" for name in entry.inputs), *(name for name, _ in entry.params)])
    add("    try:")
    if entry.is_ufunc:
        size = f"x_{entry.inputs[0]}.size"
        large = f"spread(compute, {arguments})"
        if alignment.PAYS:
            large = f"within(compute, {arguments}) if {size} < SHARED else within(spread, compute, {arguments})"
        add(f"        out = compute({arguments}, out=...) if {size} < LARGE else {large}")
    elif alignment.PAYS and not (entry.view or entry.inputs[0] in entry.optional or (case and case.value)):
        size = f"x_{entry.inputs[0]}.size"
        add(f"        out = compute({arguments}) if {size} < LARGE else within(compute, {arguments})")
    else:
        add(f"        out = {(case and case.value) or f'compute({arguments})'}")
    add("    except Exception as error:")
    add(f"        return failed(op, {everything}, error, general)" if case is None else f"        {general}")
    if not entry.is_ufunc:
        add("    if out.__class__ is not ndarray:")
        add("        out = asarray(out)")
    if pointwise and len(entry.inputs) > 1 and not entry.optional:
        # NumPy lays a result out in C order as soon as one operand is; in PyTorch the first operand counts. Operands that
        # are all stretched say by the strides of dimensions of size 1, for which the flags do not look.
        if number_for is None:
            add("    grids = out.ndim")
        in_order = " and ".join(f"x_{name}.flags.c_contiguous" for name in entry.inputs)
        stretched = " and ".join(f"out.shape != x_{name}.shape" for name in entry.inputs)
        add(f"    if grids > 1 and (not ({in_order}) or (grids > 2 and {stretched})):")
        add(f"        out = laid_out(out, ({', '.join(f'x_{name}' for name in entry.inputs)}))")
    if entry.promote == "float":
        add(f"    if out.dtype is not x_{entry.inputs[0]}.dtype:")
        add(f"        {general}")
    add("    result = new(Tensor)")
    add("    result._array = out")
    if entry.view:
        first = entry.inputs[0]
        add("    result._counter = version")
        add("    result._base = base")
        add("    result._seen = version[0]")
        add("    if not state.grad_enabled:")
        add("        result._made = 'no_grad'")
        add("        result._needs_grad = BORROWED if base._needs_grad else False")
        add(f"        return in_inference(result, {first}) if special.active and state.inference else result")
        add(f"    if base is not {first} and {first}._made is not None:")  # what is no view was not made as one
        add(f"        result._made = {first}._made")
    else:
        add("    result._counter = version = [0]")
    differentiable = entry.sources
    if differentiable:
        flags = " or ".join(f"r_{name}" for name in differentiable)
        recorded = flags if entry.view else f"{'(' + flags + ')' if len(differentiable) > 1 else flags} and state.grad_enabled"
        add(f"    if {recorded}:")
        edges = []
        for name in differentiable:
            if len(differentiable) == 1:
                edges.append(f"{name}._edge or leaf_edge({name})")
            else:
                edges.append(f"({name}._edge or leaf_edge({name})) if r_{name} else None")
        add("        result._needs_grad = True")
        add("        node = Node()")
        add(f"        node.next = ({', '.join(edges)},)")
        if entry.keep and not hooked:
            add(f"        node.saved = {_keep_tuple(entry, entry.optional)}")
        add("        node.shape = out.shape")
        add("        node.dtype = out.dtype")
        add("        node.order = next_order()")
        if keeps_tensors(entry):
            add("        frame = getframe(1)")
            add("        code = frame.f_code")
            add("        node.where = here(frame) if code.co_filename in inside else (code, frame.f_lasti)")
        add("        result._edge = (node, 0)")
        if hooked:  # last: where a hook raises the node is empty, as a result that it kept would keep the node
            if any(kind == "output" for kind, _, _ in entry.keep):
                add("        out, version = Packed(result, hooks), Packed._counter")
            add(f"        node.saved = {_keep_tuple(entry, entry.optional)}")
        if entry.node_name == "NotImplemented":  # which leaves have their gradients before it raises is seen
            add("        observers.present = True")
    if not entry.view:
        add(f"    {'elif' if differentiable else 'if'} special.active and state.inference:")
        add("        result._inference = state.inference")
    add("    return result")
    return "\n".join(lines)


def compiled_call(entry: Op, general: Callable[..., Any], where: str = "", hooked: bool = False) -> Callable[..., Any]:
    """The function that runs an op on Tensors and records it; ``general`` takes what is out of the ordinary."""
    bound: dict[str, Any] = {"op": entry, "compute": entry.kernel, "general": general, "Node": entry.node_class}
    for name, default in entry.params:
        if default is not inspect.Parameter.empty:
            bound[f"default_{name}"] = default
    function = _make(call_source(entry, where, hooked=hooked) + "\nreturn call", **bound)
    function.__name__ = function.__qualname__ = entry.name
    return function


_FREE = "op", "compute", "general", "Node", "full"


def function_source(entry: Op) -> str:
    """The text of an op of one or two inputs as PyTorch's function ``f(input, other, *, out=None)``.

    An op without derivatives would not name Node otherwise: see :func:`give_compiled_code`.
    """
    names = ("input", "other")[: len(entry.inputs)]
    _, rest = call_source(entry, asked=True).split("\n", 1)
    lines = [
        f"def call({', '.join(names)}, *, out=None):",
        f"    if out is not None or Node is None or (special.active and (watched() or unusual({', '.join(names)}))):",
        f"        return full(({', '.join(names)},), out)",
        *(f"    {own} = {name}" for own, name in zip(entry.inputs, names, strict=True)),
    ]
    return "\n".join([*lines, rest])


def waiting_function(entry: Op, full: Any, general: Callable[..., Any]) -> Callable[..., Any]:
    """An op as PyTorch's function, which calls ``full.first_call`` so long as :func:`give_compiled_code` was not called.

    ``full(args, out)`` takes calls with ``out``, and all while something special is on; ``general(op, args)`` the rest of what
    is out of the ordinary.
    """
    names = ("input", "other")[: len(entry.inputs)]
    text = f"def call({', '.join(names)}, *, out=None):\n    {'; '.join(_FREE)}\n"
    text += f"    return full.first_call(({', '.join(names)},), out)\nreturn call"
    return _make(text, op=entry, compute=entry.kernel, general=general, Node=None, full=full)


def give_compiled_code(function: Callable[..., Any], entry: Op) -> None:
    """Makes a waiting function the compiled one: who holds it holds that then, and no call lies between (a fifth of a small op).

    Code goes only with as many free variables as the function was made with, in the same order, so both name all of them.
    """
    _give_code(function, entry, _FREE, function_source(entry))


def _give_code(function: Any, entry: Op, names: tuple[str, ...], source: str) -> None:
    cells: dict[str, Any] = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells["Node"].cell_contents = entry.node_class
    made: Any = _make(source + "\nreturn call", **{name: cells[name].cell_contents for name in names})
    function.__defaults__, function.__code__ = made.__defaults__, made.__code__


_OF_CASES = "compute", "Node", "fewer", "spoken", "first_call"


def waiting_case(
    entry: Op, first_call: Callable[..., Any], fewer: Callable[..., Any], spoken: Callable[..., Any]
) -> Callable[..., Any]:
    """A plain case that calls ``first_call(args, kwargs)`` so long as :func:`compile_case` was not called.

    ``spoken`` takes the calls that are not plain, ``fewer`` those with fewer arguments.
    """
    text = f"def call(*args, **kwargs):\n    {'; '.join(_OF_CASES)}\n    return first_call(args, kwargs)\nreturn call"
    return _make(text, compute=entry.kernel, Node=None, fewer=fewer, spoken=spoken, first_call=first_call)


def compile_case(function: Any, entry: Op, case: Case) -> None:
    """Gives a waiting plain case its code, as :func:`give_compiled_code` does."""
    all_named = f"\n    {'; '.join(_OF_CASES)}"  # behind the last return
    _give_code(function, entry, _OF_CASES, call_source(entry, case.where, case) + all_named)


def _opened_as(entry: Op, kind: str, name: str) -> tuple[bool, str]:
    """Where a saved value comes in PyTorch's order, in which the first that was changed is the error: inputs by PyTorch's
    names, then outputs."""
    return kind == "output", saved_attributes.saved_name(entry, kind, name)


def rules_source(entry: Op, over_tensors: bool) -> str:
    """The function that runs an op's rules: opens what was kept, then calls the rules that are needed."""
    lines = ["def vjp(node, g, edges):"]
    add = lines.append
    if entry.keep:
        add("    saved = node.saved")
        add("    if saved is None:")
        add("        raise node.freed()")
        targets = []
        for kind, name, _ in entry.keep:
            if kind == "input":
                targets += [f"k_{name}", f"v_{name}"]
            elif kind == "output":
                targets += [f"k_{name}", f"l_{name}", f"v_{name}"]
            else:
                targets.append(f"k_{name}")
        add(f"    {', '.join(targets)}, = saved")
        for kind, name, _ in sorted(entry.keep, key=lambda kept: _opened_as(entry, kept[0], kept[1])):
            if kind == "input" and name == entry.variadic:
                add(f"    k_{name} = {'tensor_of_list' if over_tensors else 'array_of_list'}(node, k_{name}, v_{name})")
            elif kind == "input":
                add(f"    if v_{name} is not None:")
                position = entry.sources.index(name) if name in entry.sources else -1
                if over_tensors:
                    add(f"        k_{name} = tensor_of(node, {position}, k_{name}, v_{name})")
                else:
                    add(f"        if k_{name}._counter[0] == v_{name}:")
                    add(f"            k_{name} = k_{name}._array")
                    add("        else:")
                    add(f"            k_{name} = array_of(node, {position}, k_{name}, v_{name})")
                if over_tensors and entry.promote is not None:
                    add(f"    elif k_{name} is not None:")
                    add(f"        k_{name} = k_{name}.item()")
            elif kind == "output":
                number = entry.outputs.index(name)
                if over_tensors:
                    add(f"    if l_{name} is not None:")
                    add(f"        k_{name} = output_tensor(node, {number}, k_{name}, l_{name}, v_{name})")
                else:
                    add(f"    if l_{name} is not None and l_{name}[0] != v_{name}:")
                    add(f"        k_{name} = output_array(node, {number}, k_{name}, l_{name}, v_{name})")

    rules = [*entry.rules.values(), *([entry.joint] if entry.joint is not None else [])]
    opened = [name for kind, name, _ in entry.keep if kind in ("input", "output")]
    if opened and entry.promote is not None and not over_tensors and not any("xp" in parameters(rule) for rule in rules):
        # Of 0-dim arrays NumPy makes scalars, which among themselves are ten times as fast.
        add("    if g.__class__ is not ndarray:")
        for name in opened:
            add(f"        if k_{name} is not None:")
            add(f"            k_{name} = k_{name}[()]")

    def call(rule: Rule, label: str) -> str:
        words = []
        for name in parameters(rule):
            if name in ("g", "xp", "edges"):
                words.append(name)
            elif name == "needs":
                words.append("tuple([edge is not None for edge in edges])")
            else:
                words.append(f"k_{name}")
        return f"{label}({', '.join(words)})"

    if entry.over is not None and not over_tensors:
        add("    if g.nbytes >= OVER and not node.hooked:")
        add(f"        found = {call(entry.over, 'over')}")
        add("        if found is not None:")
        add("            return found")
    if entry.joint is not None:
        add(f"    return {call(entry.joint, 'rule_joint')}")
    elif entry.variadic in entry.sources:
        add(f"    return {call(entry.rules[entry.variadic], 'rule_' + entry.variadic)}")
    else:
        results = []
        for index, name in enumerate(entry.sources):
            result = call(entry.rules[name], "rule_" + name)
            if name in entry.late and not over_tensors:
                add(f"    late = edges[{index}] is not None and edges[{index}][0].is_leaf_sink and unseen()")
                result = f"(late and late_{name}(g, {', '.join(f'k_{other}' for other in entry.sources if other != name)})) or {result}"
            results.append(f"{result} if edges[{index}] is not None else None")
        if not over_tensors and not entry.late and rules and all(_is_of_operators(rule) for rule in rules):
            add("    if g.__class__ is ndarray and g.size >= SHARED:")
            add("        g = parted(g)")
            lines.extend(f"        k_{name} = parted(k_{name})" for name in opened)
            add(f"        return ({', '.join(f'whole({result})' for result in results)},)")
        add(f"    return ({', '.join(results)},)")
    return "\n".join(lines)


_OPERATORS = frozenset("+-*/")
_REST = "LOAD_FAST", "LOAD_CONST", "LOAD_SMALL_INT", "LOAD_GLOBAL", "RETURN", "RESUME", "CALL", "PRECALL", "PUSH_NULL", "CACHE"


def _is_of_operators(rule: Any) -> bool:
    """Whether a rule is made of numbers, ``conj`` and operators, so that it can be read over arrays that have nothing else."""
    if rule.__class__ is not FunctionType:
        return False
    steps = [step for step in dis.get_instructions(rule) if not step.opname.startswith(_REST)]
    names = [rule.__globals__.get(name) for name in rule.__code__.co_names]
    return (
        bool(steps)
        and all(
            step.opname == "UNARY_NEGATIVE" or (step.opname == "BINARY_OP" and step.argrepr in _OPERATORS) for step in steps
        )
        and all(value is conj or isinstance(value, float) for value in names)
        and not any(isinstance(value, complex) for value in rule.__code__.co_consts)
    )


def compiled_rules(entry: Op, over_tensors: bool, xp: Any) -> Callable[..., Any]:
    """The method of an op's nodes that runs the rules; ``xp`` is what they know the other ops by."""
    if not entry.rules and entry.joint is None:
        return Node.vjp
    bound: dict[str, Any] = {f"rule_{name}": rule for name, rule in entry.rules.items()}
    if entry.joint is not None:
        bound["rule_joint"] = entry.joint
    if entry.over is not None and not over_tensors:
        bound["over"] = entry.over
    if not over_tensors:
        bound.update({f"late_{name}": kernel for name, kernel in entry.late.items()})
    bound["xp"] = xp
    return _make(rules_source(entry, over_tensors) + "\nreturn vjp", **bound)
