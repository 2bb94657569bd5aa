"""The text of the function that runs an op on Tensors and records it, part by part.

``source_of("mul")`` shows a whole one. In it, for each input ``a``, ``x_a`` is the array, ``r_a`` whether it needs a gradient,
``s_a`` and ``v_a`` what the node keeps of it and its version. The result is ``result`` around the array ``out``; of several, each
named one has its name behind that, and a list of any length is ``results``.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from ..backend.pointwise import FOR_COMPLEX, FOR_MANY
from .many_text import many

if TYPE_CHECKING:
    from .plain_cases import Case
    from .table import Op


def call_source(
    entry: Op, where: str = "", case: Case | None = None, asked: bool = False, hooked: bool = False, public: bool = False
) -> str:
    """The text of the function that runs an op on Tensors.

    ``where``   what must be true of its arrays ``x_<input>``
    ``asked``   whether nothing unusual is left where its body begins
    ``hooked``  whether saved-tensor hooks pack what the node keeps; what is out of the ordinary is NotImplemented then
    ``public``  whether programs call it, so that others may be asked about the call
    """
    return _Forward(entry, where, case, asked, hooked, public).text()


def function_source(entry: Op) -> str:
    """The text of an op of one or two inputs as PyTorch's function ``f(input, other, *, out=None)``; ``full`` takes other names."""
    names = tuple(entry.inputs) if entry.inputs == ["x", "n"] else ("input", "other")[: len(entry.inputs)]
    _, rest = call_source(entry, asked=True).split("\n", 1)
    lines = [
        f"def call({'=unsaid, '.join(names)}=unsaid, *more, **named):",
        f"    if named or more or (special.active and (watched() or unusual({', '.join(names)}))):",
        f"        return full(({', '.join(names)}, *more), named)",
        *(f"    {own} = {name}" for own, name in zip(entry.inputs, names, strict=True)),
    ]
    return "\n".join([*lines, rest])


def _inside(*lines: str) -> list[str]:
    return ["    " + line for line in lines]


class _Forward:
    """One form of an op: each method writes a part of its text, in the order in which the parts run."""

    def __init__(self, entry: Op, where: str, case: Case | None, asked: bool, hooked: bool, public: bool) -> None:
        self.entry, self.where, self.case, self.asked, self.hooked = entry, where, case, asked, hooked
        self.public = public or case is not None
        names = [*entry.inputs, *(name for name, _ in entry.params)] if case is None else case.arguments.split()
        self.everything = "(" + ", ".join(names) + ",)"
        # What takes the call where something is out of the ordinary.
        self.general = f"return general(op, {self.everything})" if case is None else f"return spoken({', '.join(names)})"
        if hooked:
            self.general = "return NotImplemented"
        self.first = entry.inputs[0]
        pointwise = entry.promote is not None
        self.number_for = entry.inputs[1] if pointwise and len(entry.inputs) == 2 and entry.numbers != "none" else None
        self.kept_inputs = {name for kind, name, _ in entry.keep if kind == "input"}

    def text(self) -> str:
        head = [f"def call({_parameter_list(self.entry)}):"] if self.case is None else _case_head(self.entry, self.case)
        body = [
            *self.questions(),
            *(line for name in self.entry.inputs for line in self.read(name)),
            *self.brought_to_one_dtype(),
            *([f"if not ({self.where}):", f"    {self.general}"] if self.where else []),
            *([f"{name} = {value}" for name, value in self.case.settings.items()] if self.case else []),
            *(self.packed() if self.hooked else []),
            *self.computed(),
            *self.laid_out(),
            *(self.list_of_results() if self.entry.is_list else [*self.results(), *self.recorded()]),
            f"return {self.returned()}",
        ]
        return "\n".join([*head, *_inside(*body)])

    def questions(self) -> list[str]:
        """Whether the call is ordinary: plain tensors, nobody who looks on."""
        entry = self.entry
        packs = ", packs=False" if self.hooked or not entry.keeps_tensors else ""
        question = f"unusual({', '.join(f'*{name}' if name == entry.variadic else name for name in entry.inputs)}{packs})"
        if self.public:
            question = f"(watched() or {question})"
        elif entry.is_of_several:
            question = f"(state.inference or {question})"
        checks = [] if self.asked else [f"special.active and {question}"]
        for name in entry.inputs:
            if name not in (self.number_for, entry.variadic):
                given = f"{name} is not None and " if name in entry.optional else ""
                checks.append(f"{given}{name}.__class__ not in plain")
        return [f"if {' or '.join(checks)}:", f"    {self.general}"] if checks else []

    def read(self, name: str) -> list[str]:
        """What is to be known of an input: a tensor, a number for one, a list of tensors, or None."""
        kept = name in self.kept_inputs
        if name == self.number_for:
            return self.tensor_or_number(name)
        if name == self.entry.variadic:
            return self.list_of_tensors(name, kept)
        if name in self.entry.optional:
            nothing = f"x_{name} = {f's_{name} = v_{name} = ' if kept else ''}None"
            return [f"if {name} is None:", *_inside(nothing, f"r_{name} = False"), "else:", *_inside(*self.tensor(name))]
        return self.tensor(name)

    def tensor(self, name: str) -> list[str]:
        lines = [f"x_{name} = {name}._array"]
        if self.entry.view and name == self.first:
            lines += [
                f"base, version = {name}._base, {name}._counter",
                "if base is None:",
                f"    base = {name}",
                f"elif {name}._seen != version[0]:",
                f"    refresh({name})",
                f"r_{name} = {name}._needs_grad",
            ]
        elif name in self.entry.sources:
            lines += [
                f"if {name}._base is not None and {name}._seen != {name}._counter[0]:",
                f"    refresh({name})",
                f"r_{name} = {name}._needs_grad",
            ]
        if name in self.kept_inputs:
            lines += [f"s_{name} = {name}", f"v_{name} = {name}._counter[0]"]
        return lines

    def list_of_tensors(self, name: str, kept: bool) -> list[str]:
        return [
            f"x_{name} = []",
            f"r_{name} = False",
            *([f"s_{name} = tuple({name})", f"v_{name} = []"] if kept else []),
            f"for each in {name}:",
            "    if each.__class__ not in plain:",
            "        if each is not None:",
            f"            {self.general}",
            f"        x_{name}.append(None)",
            *([f"        v_{name}.append(None)"] if kept else []),
            "        continue",
            "    if each._base is not None and each._seen != each._counter[0]:",
            "        refresh(each)",
            "    if each._needs_grad:",
            f"        r_{name} = True",
            f"    x_{name}.append(each._array)",
            *([f"    v_{name}.append(each._counter[0])"] if kept else []),
            *([f"v_{name} = tuple(v_{name})"] if kept else []),
        ]

    def tensor_or_number(self, name: str) -> list[str]:
        """The second operand of two; ``grids`` is how many dimensions both may have."""
        entry, first, general = self.entry, self.first, self.general
        if entry.promote == "float" or entry.check is not None:
            unfit = [general]
        else:
            unfit = [
                f"met = beside_number(x_{first}, {name})",
                "if met is None:",
                f"    {general}",
                f"x_{first}, x_{name} = met",
            ]
        return [
            f"kind = {name}.__class__",
            "if kind in plain:",
            *_inside(*self.tensor(name), *self.meeting(name), f"grids = x_{name}.ndim"),
            "elif kind is float or kind is int:",
            *_inside(f"x_{name} = number({name}, x_{first}.dtype)", f"if x_{name} is None:", *_inside(*unfit)),
            *_inside(f"r_{name} = False", "grids = 0"),
            *(_inside(f"s_{name} = x_{name}", f"v_{name} = None") if name in self.kept_inputs else []),
            "else:",
            f"    {general}",
        ]

    def brought_to_one_dtype(self) -> list[str]:
        if self.entry.promote is None or self.number_for is not None:
            return []
        return [line for name in self.entry.inputs[1:] for line in self.meeting(name)]

    def meeting(self, name: str) -> list[str]:
        """Where an array differs in dtype from the first: they are brought to one, or the general path is asked."""
        first, entry = self.first, self.entry
        lines = [f"if x_{first}.dtype is not x_{name}.dtype:"]
        if len(entry.inputs) > 2 or entry.check is not None:
            return [*lines, f"    {self.general}"]
        return [
            *lines,
            f"    met = together(x_{first}, x_{name}, {entry.promote == 'float'})",
            "    if met is None:",
            f"        {self.general}",
            f"    x_{first}, x_{name} = met",
        ]

    def packed(self) -> list[str]:
        """Where saved-tensor hooks are on: the inputs that the node will keep are packed before the op runs, as the second run of
        a checkpoint may end with one of them."""
        lines = [f"if ({' or '.join(f'r_{name}' for name in self.entry.sources)}) and state.grad_enabled:"]
        lines.append("    hooks = state.saved_hooks[-1]")
        for kind, name, users in self.entry.keep:
            if kind == "input":
                lines.append(f"    if v_{name} is not None and ({' or '.join(f'r_{user} is True' for user in users)}):")
                lines.append(f"        s_{name}, v_{name} = Packed(s_{name}, hooks), -1")
        return lines

    def computed(self) -> list[str]:
        entry, case = self.entry, self.case
        arguments = ", ".join([*(f"x_{name}" for name in entry.inputs), *(name for name, _ in entry.params)])
        out = f"compute({arguments}, out=...)" if entry.is_ufunc else (case and case.value) or f"compute({arguments})"
        if entry.kernel in FOR_COMPLEX:
            out = f"FOR_COMPLEX[compute]({arguments}) if x_{self.first}.dtype in COMPLEX else {out}"
        if entry.kernel in FOR_MANY:
            out = f"of_many(compute)({arguments}) if {many(f'x_{self.first}')} else {out}"
        failed = f"return failed(op, {self.everything}, error, general)" if case is None else self.general
        name = "outs" if len(entry.outputs) > 1 or entry.is_list else "out"
        lines = ["try:", f"    {name} = {out}", "except Exception as error:", f"    {failed}"]
        return [*lines, *_made_array("out")] if name == "out" and not entry.is_ufunc else lines

    def laid_out(self) -> list[str]:
        """NumPy lays a result out in C order as soon as one operand is; in PyTorch the first operand counts. Operands that are
        all stretched say by the strides of dimensions of size 1, for which the flags do not look."""
        entry = self.entry
        lines = []
        if entry.promote is not None and len(entry.inputs) > 1 and not entry.optional:
            if self.number_for is None:
                lines.append("grids = out.ndim")
            in_order = " and ".join(f"x_{name}.flags.c_contiguous" for name in entry.inputs)
            stretched = " and ".join(f"out.shape != x_{name}.shape" for name in entry.inputs)
            lines.append(f"if grids > 1 and (not ({in_order}) or (grids > 2 and {stretched})):")
            lines.append(f"    out = laid_out(out, ({', '.join(f'x_{name}' for name in entry.inputs)}))")
        if entry.promote == "float":
            lines += [f"if out.dtype is not x_{self.first}.dtype:", f"    {self.general}"]
        return lines

    def results(self) -> list[str]:
        entry = self.entry
        if len(entry.outputs) > 1:
            return [line for number, name in enumerate(entry.outputs) for line in (
                f"out_{name} = outs[{number}]", *_made_array(f"out_{name}"),
                f"result_{name} = new(Tensor)", f"result_{name}._array = out_{name}", f"result_{name}._counter = [0]",
            )]  # fmt: skip
        if not entry.view:
            return ["result = new(Tensor)", "result._array = out", "result._counter = version = [0]"]
        return [
            *_view("result"),
            "if not state.grad_enabled:",
            "    result._made = 'no_grad'",
            "    result._needs_grad = BORROWED if base._needs_grad else False",
            f"    return in_inference(result, {self.first}) if special.active and state.inference else result",
            f"if {self.first}._made is not None and (base is not {self.first} or version.__class__ is not list):",  # a view, a mirror
            f"    result._made = {self.first}._made",
        ]

    def list_of_results(self) -> list[str]:
        """Any number of results, all of one dtype: parts of the input, views or copies; the node, if any, is there before them."""
        made, one = [], ["result = new(Tensor)", "result._array = out", "result._counter = [0]"]
        if self.entry.view:
            made = ["made, borrowed = ('several', False) if state.grad_enabled else ('no_grad', base._needs_grad)"]
            one = [*_view("result"), "result._made = made", "if borrowed:", "    result._needs_grad = BORROWED"]
        edge = ["if node is not None:", "    result._needs_grad = True", "    result._edge = (node, number)"]
        loop = ["for number, out in enumerate(outs):", *_inside(*one, *edge, "results.append(result)")]
        return ["node = None", *self.recorded(), *made, "results = []", *loop]

    def returned(self) -> str:
        if self.entry.is_list:
            return "tuple(results)"
        return ", ".join(f"result_{name}" for name in self.entry.outputs) if len(self.entry.outputs) > 1 else "result"

    def recorded(self) -> list[str]:
        """The node, where an input needs a gradient; the mark of inference mode, where there is none."""
        entry = self.entry
        flags = " or ".join(f"r_{name}" for name in entry.sources)
        lines = []
        if entry.sources:
            several_flags = f"({flags})" if len(entry.sources) > 1 else flags
            known = entry.view and not entry.is_list  # a view of its own has been given back where nothing is recorded
            lines.append(f"if {flags if known else f'{several_flags} and state.grad_enabled'}:")
            lines += _inside(*self.node())
        if not (entry.view or entry.is_of_several):
            lines.append(f"{'elif' if entry.sources else 'if'} special.active and state.inference:")
            lines.append("    result._inference = state.inference")
        return lines

    def node(self) -> list[str]:
        entry = self.entry
        edges = [f"({name}._edge or leaf_edge({name})) if r_{name} else None" for name in entry.sources]
        if entry.variadic in entry.sources:
            needing = "each is not None and each._needs_grad"
            edges = [f"*[(each._edge or leaf_edge(each)) if {needing} else None for each in {entry.variadic}]"]
        elif len(edges) == 1:
            edges = [f"{entry.sources[0]}._edge or leaf_edge({entry.sources[0]})"]
        keeping = keeping_lines(entry)
        lines = ["Node = op.Node", "node = Node()", f"node.next = ({', '.join(edges)},)"]
        lines += [] if self.hooked else keeping
        lines.append("node.order = next_order()")
        if entry.keeps_tensors:
            lines += WHERE
        lines += self.edges_of_results()
        if self.hooked:  # last: where a hook raises the node is empty, as a result that it kept would keep the node
            if any(kind == "output" for kind, _, _ in entry.keep):
                lines.append("out, version = Packed(result, hooks), Packed._counter")
            lines += keeping
        if entry.node_name == "NotImplemented":  # which leaves have their gradients before it raises is seen
            lines.append("observers.present = True")
        return lines

    def edges_of_results(self) -> list[str]:
        """What the node is to know of its results, and the results of the node."""
        if self.entry.is_list:
            return ["node.metas = [*map(meta_of, outs)]"]
        names = [f"_{name}" for name in self.entry.differentiable] if len(self.entry.outputs) > 1 else [""]
        lines = [f"node.shape = out{names[0]}.shape", f"node.dtype = out{names[0]}.dtype"]
        if len(names) > 1:
            lines = [f"node.metas = [{', '.join(f'(out{name}.shape, out{name}.dtype)' for name in names)}]"]
        for number, name in enumerate(names):
            place = [f"result{name}._needs_grad = True", f"result{name}._edge = (node, {number})"]
            lines += [f"if out{name}.dtype.kind in 'fcV':", *_inside(*place)] if name else place
        return lines


def _made_array(name: str) -> list[str]:
    return [f"if {name}.__class__ is not ndarray:", f"    {name} = asarray({name})"]


def _view(name: str) -> list[str]:
    """A view ``out`` of ``base``."""
    fields = {"_array": "out", "_counter": "version", "_base": "base", "_seen": "version[0]"}
    return [f"{name} = new(Tensor)", *(f"{name}.{field} = {value}" for field, value in fields.items())]


WHERE = [
    "frame = getframe(1)",
    "code = frame.f_code",
    "node.where = here(frame) if is_own[code.co_filename] else (code, frame.f_lasti)",
]
"""The lines that keep which line of the program made a node."""


def keeping_lines(entry: Op) -> list[str]:
    """The lines by which a node keeps what its rules ask for, and whether it is freed of that."""
    items: list[str] = []
    for kind, name, users in entry.keep:
        # A view made in no_grad has no place in the graph: nothing is kept for its cotangent.
        condition = "" if entry.keeps_anyhow(kind, users) else f" if r_{users[0]} is True else None"
        if kind == "input":
            items += [f"s_{name}{condition}", f"v_{name}{condition}"]
        elif kind == "output":
            words = ["out", "version", "0"] if len(entry.outputs) == 1 else [f"out_{name}", f"result_{name}._counter", "0"]
            items += [f"{word}{condition}" for word in words]
        elif kind == "param":
            items.append(name)
        else:  # the shape, the dtype or the strides of an input, whose name comes before that word
            of = name.removesuffix("_" + kind)
            if of == entry.variadic:
                items.append(f"[*map({kind}_of, x_{of})]")
            else:
                items.append(f"{f'None if x_{of} is None else ' if of in entry.optional else ''}x_{of}.{kind}")
    saved = f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    if not entry.frees_if:
        return [f"node.saved = {saved}"] if items else []
    kept = " or ".join(f"saved[{place}] is not None" for place in entry.frees_if)
    return [f"node.saved = saved = {saved}", f"node.frees = {kept}"]


def _parameter_list(entry: Op) -> str:
    """The op's parameters; defaults are bound in the closure as ``default_<name>``."""
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
