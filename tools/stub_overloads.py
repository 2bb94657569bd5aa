"""What the stubs say that no annotation of the package can: overloads, and types that go by a parameter's name.

``tests/typing/test_stubs.py`` holds what functions return against it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, Self, TypeVar

import numpy as np

import rushlight as torch
from rushlight.base import return_types
from rushlight.distributions.utils import lazy_property

Tensor = torch.Tensor
Tensors = tuple[Tensor, ...]
Operand = Tensor | complex | np.ndarray[Any, Any] | np.generic  # complex: to type checkers bool, int and float are complex too
Device = torch.device | str | int | None
Ints = int | Sequence[int]
Wrapped = TypeVar("Wrapped", bound=Callable[..., Any])
Result = TypeVar("Result")
Wide = TypeVar("Wide", Tensor, list[Tensor], tuple[Tensor, ...])
Made = TypeVar("Made", bound=Tensor)
Layer = TypeVar("Layer", bound=torch.nn.Module)
Given = TypeVar("Given", Tensor, tuple[Tensor, ...])  # what functions of torch.autograd.functional take
Came = TypeVar("Came", Tensor, tuple[Tensor, ...])  # what those given to them return
Symbolic = int | float | torch.SymInt | torch.SymFloat

# What <Name> means in the signatures below.
TYPES: dict[str, Any] = {
    "Any": Any, "Tensor": Tensor, "Tensors": Tensors, "Operand": Operand, "Ints": Ints, "int": int, "bool": bool, "float": float,
    "str": str, "True": Literal[True], "False": Literal[False], "Size": torch.Size, "Self": Self, "Wrapped": Wrapped,
    "Result": Result, "Function": Callable[[], Result], "FunctionOfAny": Callable[..., Result], "Wide": Wide, "Made": Made,
    "Class": type[Made], "object": object, "TensorList": Sequence[Tensor], "IntTuple": tuple[int, ...], "Iterator": Iterator[Tensor],
    "Packed": torch.nn.utils.rnn.PackedSequence, "Module": torch.nn.Module, "Parameter": torch.nn.Parameter, "slice": slice,
    "Pair": tuple[Tensor, Tensor], "Three": tuple[Tensor, Tensor, Tensor], "Two": tuple[Tensor, tuple[Tensor, Tensor]],
    "PackedPair": tuple[torch.nn.utils.rnn.PackedSequence, Tensor],
    "PackedTwo": tuple[torch.nn.utils.rnn.PackedSequence, tuple[Tensor, Tensor]],
    "Decorator": Callable[[Wrapped], Wrapped], "CustomOp": torch.library.CustomOpDef,
    "Definer": Callable[[Callable[..., Any]], torch.library.CustomOpDef], "names": str | Iterable[str],
    "Layer": Layer, "LayerClass": type[Layer], "Given": Given, "Came": Came, "FunctionToCame": Callable[..., Came],
    "FunctionToTensor": Callable[..., Tensor], "FunctionToTensors": Callable[..., Tensors], "Symbolic": Symbolic,
    "Kept": lazy_property.__parameters__[0], "TypedStorage": torch.TypedStorage, "UntypedStorage": torch.UntypedStorage,
    "Registry": torch.distributions.constraint_registry.Factory,
    "dtype": torch.dtype, "optional dtype": torch.dtype | None, "Callable": Callable[..., Any],
    **{f"types.{name}": value for name, value in vars(return_types).items() if isinstance(value, type)},
}  # fmt: skip


def _all(kind: Any, module: str, names: str) -> dict[str, Any]:
    return {f"rushlight{'.' if module else ''}{module}.{name}": kind for name in names.split()}


_COPIES = "alias as_strided detach diagonal expand permute select slice squeeze t transpose unfold unsqueeze view_as_complex view_as_real view"
_WINDOWS = "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser nuttall"

# What functions return whose annotations say Any: what makes them knows no better.
RETURNS: dict[str, Any] = {
    **_all(Tensor, "", " ".join(f"{name}_copy" for name in _COPIES.split())),
    **_all(Tensors, "", "split_copy split_with_sizes_copy unbind_copy hsplit vsplit dsplit"),
    **_all(
        Tensor, "", "alpha_dropout dropout feature_alpha_dropout feature_dropout binary_cross_entropy_with_logits hinge_embedding_loss "
        "cosine_embedding_loss kl_div margin_ranking_loss poisson_nll_loss triplet_margin_loss igamma igammac xlogy max_pool1d "
        "max_pool2d max_pool3d get_rng_state nonzero_static",
    ),
    **_all(
        Tensor, "nn.functional", "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d alpha_dropout avg_pool2d avg_pool3d celu "
        "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d dropout dropout1d dropout2d dropout3d elu "
        "feature_alpha_dropout hardsigmoid hardswish hardtanh leaky_relu lp_pool1d lp_pool2d lp_pool3d max_unpool1d max_unpool2d "
        "max_unpool3d mish relu relu6 selu silu threshold",
    ),
    **_all(tuple[Tensor, Tensor], "", "adaptive_max_pool1d"),
    **_all(
        tuple[Tensor, Tensor], "nn.functional", "adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices "
        "adaptive_max_pool3d_with_indices fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices "
        "max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices",
    ),
    **_all(Tensor, "masked", "amax amin argmax argmin cumprod cumsum log_softmax logaddexp logsumexp mean median norm normalize prod "
        "softmax softmin std sum var"),
    **_all(Tensor, "signal.windows", _WINDOWS),
    **_all(Tensor, "special", "xlog1py zeta"),
    **_all(Tensor, "sparse", "addmm mm sum"),
    **_all(Tensor, "Tensor", "H T mH mT"),
    **_all(Tensor, "Tensor", "__invert__ __reversed__ coalesce indices values ccol_indices col_indices crow_indices row_indices"),
    **_all(bool, "Tensor", "is_coalesced"),
    **_all(Self, "Tensor", "__deepcopy__"),
    **_all(Tensor, "random", "get_rng_state"),
    **_all(Tensor, "random.Generator", "get_state"),
    **_all(Tensor, "quasirandom.SobolEngine", "draw draw_base2"),
    **_all(Tensor, "testing", "make_tensor"),
    **_all(Tensor, "nn.modules.pooling._FractionalMaxPoolNd", "forward"),
    **_all(Tensor, "nn.modules.pooling._AdaptiveMaxPoolNd", "forward"),
    **{f"rushlight.nn.modules.pooling.AdaptiveMaxPool{n}d.forward": Tensor for n in (1, 2, 3)},
    **_all(torch.nn.Parameter, "nn.modules.container.ParameterList", "__getitem__"),
    **_all(Tensor | torch.nn.Module, "nn.modules.module.Module", "__getattr__"),
    **_all(dict[str, Any], "nn.modules.module.Module", "state_dict"),
    **_all(dict[str, Any], "nn.modules.state_dicts", "collect"),
    **_all(Tensor | None, "autograd.SavedTensor", "unpack"),
    **_all(Tensor, "distributions.constraints.multinomial", "check"),
    **_all(str | None, "Tensor", "name"),
    **_all(type, "serialization", "normalize_storage_type"),
    **_all(type(None), "autograd.function.Function", "setup_context"),
    "rushlight.nn.modules.module.Module.to": Self,
    "rushlight.autograd.grad": Tensors,
    "rushlight.Tensor.requires_grad_": Self,
    "rushlight.amp.grad_scaler.GradScaler.step": float | None,
    "rushlight.torch_version.TorchVersion.__hash__": int,
    "rushlight.fx.Proxy.__hash__": int,
}  # fmt: skip
LEFT_OUT: frozenset[str] = frozenset(_all(None, "Tensor", "__array_namespace__ __idiv__ __rdiv__ __setattr__")) | {
    "rushlight.nn.modules.module.Module.__call__",
    "rushlight.dtype.__getattr__",  # it only says what is wrong, as checkers do
    "rushlight.nn.modules.linear_cross_entropy_options.LinearCrossEntropyOptions.__delattr__",  # the same
    "rushlight.nn.modules.linear_cross_entropy_options.LinearCrossEntropyOptions.__setattr__",
}
MORE_MODULES = ("rushlight.explain",)
# Modules of Python whose functions one of ours passes on: what they return is told there.
PASSED_ON = {"rushlight.multiprocessing": "multiprocessing"}

_ARITHMETIC = (
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__ __rmod__ __pow__ "
    "__rpow__ __matmul__ __rmatmul__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ __lshift__ __rlshift__ __rshift__ __rrshift__ "
    "__lt__ __le__ __gt__ __ge__ __eq__ __ne__"
)
_IN_PLACE = (
    "__iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__"
)
_BY_AXIS = ["() -> <Tensor>", "(dim: <int>, keepdim: <bool> = False) -> <types.{0}>"]
_EXTREME = [*_BY_AXIS, "(other: <Tensor>) -> <Tensor>"]
_DECORATOR = ["(cls) -> <Self>", "(cls, function: <Wrapped>) -> <Wrapped>"]
_OF_REAL = [
    "(a: <int>, b: <int>) -> <int>",
    "(a: <float>, b: <float>) -> <float>",
    "(a: <Symbolic>, b: <Symbolic>) -> <Symbolic>",
]
_STRICT = "create_graph: <bool> = False, strict: <bool> = False"
_AT_ONCE = f"{_STRICT}, vectorize: <bool> = False"


def _register(first: str, last: str = "") -> list[str]:
    """A function that registers another: a decorator where that is left out."""
    return [f"({first}, func: None = None, /{last}) -> <Decorator>", f"({first}, func: <Wrapped>, /{last}) -> <Wrapped>"]


def _with_input(form: str) -> str:
    return "(input: <Tensor>" + ("" if form.startswith("()") else ", ") + form[1:]


FORMS: dict[str, list[str]] = {
    **_all(["(other: <Operand>) -> <Tensor>"], "Tensor", _ARITHMETIC),
    **_all(["(other: <Operand>) -> <Self>"], "Tensor", _IN_PLACE),
    "rushlight.Tensor.__getitem__": ["(index: <Any>) -> <Tensor>"],
    "rushlight.Tensor.__setitem__": ["(index: <Any>, value: <Operand>) -> None"],
    "rushlight.Tensor.size": ["() -> <Size>", "(dim: <int>) -> <int>"],
    "rushlight.Tensor.stride": ["() -> <IntTuple>", "(dim: <int>) -> <int>"],
    "rushlight.Tensor.nonzero": ["(*, as_tuple: <False> = False) -> <Tensor>", "(*, as_tuple: <True>) -> <Tensors>"],
    "rushlight.nonzero": [
        "(input: <Tensor>, *, as_tuple: <False> = False, out: <Tensor> | None = None) -> <Tensor>",
        "(input: <Tensor>, *, as_tuple: <True>) -> <Tensors>",
    ],
    "rushlight.Tensor.type": ["() -> <str>", "(dtype: <Any>, non_blocking: <bool> = False) -> <Tensor>"],
    "rushlight.where": [
        "(condition: <Tensor>) -> <Tensors>",
        "(condition: <Tensor>, input: <Operand>, other: <Operand>, *, out: <Tensor> | None = None) -> <Tensor>",
    ],
    "rushlight._inner._GradMode.__init__": ["(function: <Callable> | None = None) -> None"],
    "rushlight.einsum": ["(equation: <str>, *operands: <Any>) -> <Tensor>"],
    "rushlight.Size.__getitem__": ["(index: <int>) -> <int>", "(index: <slice>) -> <Size>"],
    "rushlight.nn.modules.rnn.LSTM.forward": [
        "(input: <Tensor>, hx: tuple[<Tensor>, <Tensor>] | None = None) -> <Two>",
        "(input: <Packed>, hx: tuple[<Tensor>, <Tensor>] | None = None) -> <PackedTwo>",
    ],
    "rushlight.Tensor.as_subclass": ["(cls: <Class>) -> <Made>"],
    "rushlight.optim.lbfgs.LBFGS.step": ["(closure: <Function>) -> <Result>"],
    "rushlight.amp.grad_scaler.GradScaler.scale": ["(outputs: <Wide>) -> <Wide>"],
    "rushlight.utils.checkpoint.checkpoint": [
        "(function: <FunctionOfAny>, *args: <Any>, use_reentrant: <bool> | None = None, context_fn: <Callable> = ..., "
        "determinism_check: <str> = 'default', debug: <bool> = False, early_stop: <bool> = True, **kwargs: <Any>) -> <Result>"
    ],
    "rushlight.compiler.compile": [
        f"(model: {kind}, *, fullgraph: <bool> = False, dynamic: <bool> | None = None, "
        "backend: <Any> = None, mode: <str> | None = None, options: dict[<str>, <Any>] | None = None, name: <str> | None = None, "
        "disable: <bool> = False, recompile_limit: <int> | None = None, isolate_recompiles: <bool> = False, shapes_spec: <Any> = None"
        f") -> <{back}>"
        for kind, back in (("<Wrapped>", "Wrapped"), ("None = None", "Decorator"))
    ],
    "rushlight.compiler.allow_in_graph": ["(fn: <Wrapped>) -> <Wrapped>"],
    "rushlight.jit.export": ["(fn: <Wrapped>) -> <Wrapped>"],
    "rushlight.compiler.assume_constant_result": ["(fn: <Wrapped>) -> <Wrapped>"],
    "rushlight.compiler.disable": [
        "(fn: <Wrapped>, recursive: <bool> = True, *, reason: <str> | None = None) -> <Wrapped>",
        "(fn: None = None, recursive: <bool> = True, *, reason: <str> | None = None) -> <Decorator>",
    ],
    "rushlight.compiler.nested_compile_region": [
        "(fn: <Wrapped>, **options: <object>) -> <Wrapped>",
        "(fn: None = None, **options: <object>) -> <Decorator>",
    ],
    "rushlight.cuda.amp.custom_bwd": ["(bwd: <Wrapped>) -> <Wrapped>"],
    "rushlight.cuda.amp.custom_fwd": [
        "(fwd: None = None, *, cast_inputs: <optional dtype> = None) -> <Decorator>",
        "(fwd: <Wrapped>, *, cast_inputs: <optional dtype> = None) -> <Wrapped>",
    ],
    "rushlight.library.CustomOpDef.register_kernel": [
        "(device_types: <Any>, fn: None = None, /) -> <Decorator>",
        "(device_types: <Any>, fn: <Wrapped>, /) -> <Wrapped>",
    ],
    "rushlight.library.CustomOpDef.register_vmap": ["(func: None = None) -> <Decorator>", "(func: <Wrapped>) -> <Wrapped>"],
    "rushlight.library.register_kernel": _register("op: <Any>, device_types: <Any>", ", *, lib: <Any> = None"),
    "rushlight.library.register_fake": _register("op: <Any>", ", *, lib: <Any> = None, allow_override: <bool> = False"),
    "rushlight.library.register_vmap": _register("op: <Any>", ", *, lib: <Any> = None"),
    "rushlight.library.impl": [
        "(qualname: <Any>, types: <Any>, func: <Wrapped>, *, lib: <Any> = None) -> <Wrapped>",
        "(qualname: <Any>, types: <Any>, func: <str> | None = None, *, lib: <Any> = None) -> <Decorator>",
    ],
    "rushlight.distributions.constraint_registry.ConstraintRegistry.register": [
        "(constraint: <Any>, factory: <Registry>) -> <Registry>",
        "(constraint: <Any>, factory: None = None) -> <Decorator>",
    ],
    "rushlight.distributions.utils.lazy_property.__get__": [
        "(instance: None, owner: <Any> = None) -> <Self>",
        "(instance: <object>, owner: <Any> = None) -> <Kept>",
    ],
    "rushlight.nn.utils.init.skip_init": ["(module_cls: <LayerClass>, *args: <Any>, **kwargs: <Any>) -> <Layer>"],
    "rushlight.TypedStorage.type": [
        "(dtype: None = None, non_blocking: <bool> = False) -> <str>",
        "(dtype: <Any>, non_blocking: <bool> = False) -> <TypedStorage>",
    ],
    "rushlight.UntypedStorage.type": [
        "(dtype: None = None, non_blocking: <bool> = False) -> <str>",
        "(dtype: <dtype>, non_blocking: <bool> = False) -> <TypedStorage>",
    ],
    "rushlight.UntypedStorage.__getitem__": ["(index: <int>) -> <int>", "(index: <slice>) -> <UntypedStorage>"],
    **_all(_OF_REAL, "", "sym_max sym_min"),
    "rushlight.sym_sum": ["(*args: <Any>) -> <Symbolic>"],
    "rushlight.sym_ite": ["(b: <bool>, t: <Result>, f: <Result>) -> <Result>"],
    # `**kwargs` so that a checker lets a Function name the gradients that it takes.
    **_all(["(ctx: <Any>, *grad_outputs: <Any>, **kwargs: <Any>) -> <Any>"], "autograd.function.Function", "backward vjp"),
    "rushlight.autograd.function.Function.jvp": ["(ctx: <Any>, *grad_inputs: <Any>, **kwargs: <Any>) -> <Any>"],
    "rushlight.func.vjp": [
        "(func: <FunctionOfAny>, *primals: <Any>, has_aux: <False> = False) -> tuple[<Result>, <Callable>]",
        "(func: <Callable>, *primals: <Any>, has_aux: <True>) -> tuple[<Any>, <Callable>, <Any>]",
    ],
    "rushlight.func.jvp": [
        "(func: <FunctionOfAny>, primals: <Any>, tangents: <Any>, *, strict: <bool> = False, has_aux: <False> = False) -> "
        "tuple[<Result>, <Result>]",
        "(func: <Callable>, primals: <Any>, tangents: <Any>, *, strict: <bool> = False, has_aux: <True>) -> tuple[<Any>, <Any>, <Any>]",
    ],
    "rushlight.autograd.functional.vjp": [
        f"(func: <FunctionToCame>, inputs: <Given>, v: <Any> = None, {_STRICT}) -> tuple[<Came>, <Given>]"
    ],
    "rushlight.autograd.functional.jvp": [
        f"(func: <FunctionToCame>, inputs: <Given>, v: <Any> = None, {_STRICT}) -> tuple[<Came>, <Came>]"
    ],
    **_all(
        [f"(func: <FunctionToTensor>, inputs: <Given>, v: <Any> = None, {_STRICT}) -> tuple[<Tensor>, <Given>]"],
        "autograd.functional",
        "hvp vhp",
    ),
    "rushlight.autograd.functional.jacobian": [
        f"(func: <FunctionTo{came}>, inputs: <{given}>, {_AT_ONCE}, strategy: <str> = 'reverse-mode') -> {back}"
        for came, given, back in (
            ("Tensor", "Tensor", "<Tensor>"),
            ("Tensor", "Tensors", "<Tensors>"),
            ("Tensors", "Tensor", "<Tensors>"),
            ("Tensors", "Tensors", "tuple[<Tensors>, ...]"),
        )
    ],
    "rushlight.autograd.functional.hessian": [
        f"(func: <FunctionToTensor>, inputs: <{given}>, {_AT_ONCE}, outer_jacobian_strategy: <str> = 'reverse-mode') -> {back}"
        for given, back in (("Tensor", "<Tensor>"), ("Tensors", "tuple[<Tensors>, ...]"))
    ],
    **_all(
        [
            "(fwd: None = None, *, device_type: <str>, cast_inputs: <optional dtype> = None) -> <Decorator>",
            "(fwd: <Wrapped>, *, device_type: <str>, cast_inputs: <optional dtype> = None) -> <Wrapped>",
        ],
        "amp.autocast_mode",
        "custom_fwd",
    ),
    **_all(
        ["(bwd: None = None, *, device_type: <str>) -> <Decorator>", "(bwd: <Wrapped>, *, device_type: <str>) -> <Wrapped>"],
        "amp.autocast_mode",
        "custom_bwd",
    ),
    "rushlight.library.custom_op": [
        "(name: <str>, fn: None = None, /, *, mutates_args: <names>, device_types: <Any> = None, schema: <str> | None = None, "
        "tags: <Any> = None) -> <Definer>",
        "(name: <str>, fn: <Callable>, /, *, mutates_args: <names>, device_types: <Any> = None, schema: <str> | None = None, "
        "tags: <Any> = None) -> <CustomOp>",
    ],
    "rushlight.library.triton_op": [
        "(name: <str>, fn: None = None, /, *, mutates_args: <names>, schema: <str> | None = None) -> <Definer>",
        "(name: <str>, fn: <Callable>, /, *, mutates_args: <names>, schema: <str> | None = None) -> <CustomOp>",
    ],
    "rushlight.nn.modules.container.Sequential.__getitem__": ["(index: <int>) -> <Module>", "(index: <slice>) -> <Self>"],
    "rushlight.nn.modules.container.ModuleList.__getitem__": ["(index: <int>) -> <Module>", "(index: <slice>) -> <Self>"],
}
for _name in "optimizer.Optimizer by_rule.RuleOptimizer sparse_adam.SparseAdam".split():
    FORMS[f"rushlight.optim.{_name}.step"] = ["(closure: None = None) -> None", "(closure: <Function>) -> <Result>"]
for _name in ("max", "min"):
    FORMS[f"rushlight.Tensor.{_name}"] = [form.format(_name) for form in _EXTREME]
for _name in ("median", "nanmedian"):
    FORMS[f"rushlight.Tensor.{_name}"] = [form.format(_name) for form in _BY_AXIS]
for _name in ("max", "min", "median", "nanmedian"):
    FORMS[f"rushlight.{_name}"] = [_with_input(form) for form in FORMS[f"rushlight.Tensor.{_name}"]]
for _name in ("RNN", "GRU"):
    FORMS[f"rushlight.nn.modules.rnn.{_name}.forward"] = [
        "(input: <Tensor>, hx: <Tensor> | None = None) -> <Pair>",
        "(input: <Packed>, hx: <Tensor> | None = None) -> <PackedPair>",
    ]
for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    FORMS[f"rushlight.{_name}"] = ["(tensor: <Tensor>, /) -> <Tensor>", "(*tensors: <Any>) -> <Tensors>"]
for _prefix, _first in (("rushlight.", "input: <Tensor>, "), ("rushlight.Tensor.", "")):
    FORMS[f"{_prefix}unique"] = [
        f"({_first}sorted: <bool> = True, return_inverse: {inverse}, return_counts: {counts}, dim: <int> | None = None) -> {back}"
        for inverse, counts, back in (
            ("<False> = False", "<False> = False", "<Tensor>"), ("<True> = ...", "<False> = False", "<Pair>"),
            ("<False> = False", "<True> = ...", "<Pair>"), ("<True> = ...", "<True> = ...", "<Three>"),
        )
    ]  # fmt: skip
    FORMS[f"{_prefix}unique_consecutive"] = [form.replace("sorted: <bool> = True, ", "") for form in FORMS[f"{_prefix}unique"]]
_POOL = "(input: <Tensor>, {0}, return_indices: {1}) -> {2}"
_SIZES = (
    "kernel_size: <Ints>, stride: <Ints> | None = None, padding: <Ints> = 0, dilation: <Ints> = 1, ceil_mode: <bool> = False"
)
for _n in (1, 2, 3):
    for _name, _sizes in ((f"max_pool{_n}d", _SIZES), (f"adaptive_max_pool{_n}d", "output_size: <Any>")):
        FORMS[f"rushlight.nn.functional.{_name}"] = [
            _POOL.format(_sizes, "<False> = False", "<Tensor>"), _POOL.format(_sizes, "<True> = ...", "<Pair>"),
        ]  # fmt: skip
    if _n > 1:
        _sizes = "kernel_size: <Ints>, output_size: <Any> = None, output_ratio: <Any> = None"
        FORMS[f"rushlight.nn.functional.fractional_max_pool{_n}d"] = [
            _POOL.format(_sizes, "<False> = False", "<Tensor>").replace(") ->", ", _random_samples: <Any> = None) ->"),
            _POOL.format(_sizes, "<True> = ...", "<Pair>").replace(") ->", ", _random_samples: <Any> = None) ->"),
        ]

# A module is called as its forward is: `nn.Linear(2, 3)(x)` is a Tensor, and so is what a program's own module returns that says so.
MORE_TEXT = {
    "rushlight.nn.modules.module": """\
from typing import ParamSpec as _ParamSpec, Protocol as _Protocol, TypeVar as _TypeVar
_Input = _ParamSpec("_Input")
_Output = _TypeVar("_Output", covariant=True)
class _Forward(_Protocol[_Input, _Output]):
    @property
    def forward(self) -> _Callable[_Input, _Output]: ...
from collections.abc import Callable as _Callable"""
}
MORE_MEMBERS: dict[str, list[str]] = {
    "rushlight.nn.modules.module.Module": [
        "def __call__(self: _Forward[_Input, _Output], *args: _Input.args, **kwargs: _Input.kwargs) -> _Output: ..."
    ]
}


def forms(qualified: str) -> list[str]:
    """The signatures of a function of which one is not enough, or is not told by what makes it."""
    return FORMS.get(qualified, [])


def returned(qualified: str) -> Any:
    """What a function returns, where it is known here; None where not."""
    if qualified in RETURNS:
        return RETURNS[qualified]
    space, _, name = qualified.rpartition(".")
    if space == "rushlight.Tensor" and f"rushlight.{name}" in RETURNS:
        return RETURNS[f"rushlight.{name}"]
    if space in ("rushlight", "rushlight.Tensor", "rushlight.linalg"):
        return getattr(return_types, ("linalg_" if space.endswith("linalg") else "") + name, None)
    return Tensor if space.startswith("rushlight.return_types.") else None


_BY_NAME: dict[str, Any] = {
    "dtype": torch.dtype | None,
    "device": Device,
    "layout": torch.layout | None,
    "memory_format": torch.memory_format | None,
    "generator": torch.Generator | None,
}
# Of functions of the op table: what is told by the name of a parameter that has no type of its own.
_OF_OPS: dict[str, Any] = {
    "input": Tensor, "self": Tensor, "weight": Tensor, "bias": Tensor, "out": Any, "tensor1": Tensor, "tensor2": Tensor, "mat1": Tensor,
    "mat2": Tensor, "mat": Tensor, "vec": Tensor, "vec1": Tensor, "vec2": Tensor, "batch1": Tensor, "batch2": Tensor, "mask": Tensor,
    "other": Operand, "dims": Ints, "size": Ints, "shape": Ints, "sizes": Ints, "repeats": Ints | Tensor, "tensors": Any,
}  # fmt: skip
_NUMBERS_TOO = frozenset(
    "pow float_power remainder xlogy xlog1py zeta where rsub result_type can_cast bitwise_left_shift bitwise_right_shift bitwise_and "
    "bitwise_or bitwise_xor copysign fmod true_divide div divide floor_divide mul multiply".split()
)


def parameter(parameter: inspect.Parameter, qualified: str, is_op: bool) -> Any:
    """The type of a parameter whose annotation says Any; None where it stays at that."""
    if parameter.name in _BY_NAME:
        return _BY_NAME[parameter.name]
    name = qualified.rpartition(".")[2]
    if not is_op or (parameter.name == "input" and name in _NUMBERS_TOO):
        return None
    return _OF_OPS.get(parameter.name)
