"""What is known of functions: which of this package's look at no values although they take arrays, which are to be called anew each
time, and which built-in ones depend on nothing but their arguments.

A function of this package that is in none of these lists and takes a tensor's array for more than its form ends a recording.
"""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

# What happens at the call of these, by the names of the functions of watching.py.
SPECIAL = {
    "autograd.seeds:_ones": "_begins",
    "autograd.views:bump": "_counts",
    "autograd.views:write": "_writes",
    "ops.subscripts:_item": "_indexes",
    "ops.slicing:tensor_split": "_splits",
    "autograd.tensor_methods:InGraph.data": "_data",
    "autograd.tensor_methods:InGraph.grad": "_grad",
    "autograd.tensor_methods:InGraph.grad_fn": "_grad_fn",
    "compat._dynamo.__init__:graph_break": "_breaks",
    "tensors.memory:InMemory.storage_offset": "_asks_place",
    "tensors.meta:_Alive.__init__": "_is_on_meta",
}

# They hand arrays on, compare their identity or read their form; and what a kernel reads, it reads again each time.
LOOKS_AT_NO_VALUE = frozenset(
    """
    autograd.engine:BackwardPass._fitted autograd.engine:BackwardPass._from_tensor autograd.engine:BackwardPass._unbroadcast
    autograd.forward_ad:as_leaf autograd.forward_ad:dual autograd.forward_ad:laid_like autograd.forward_ad:without_tangent
    autograd.function_calls:_keep autograd.seeds:_given_seed autograd.gradients:_without_graph
    autograd.hooks:HookCalls.shown autograd.hooks:HookCalls.note_given autograd.hooks:HookCalls.note_given.<locals>.<dictcomp>
    autograd.mirrors:Mirror.__init__ autograd.mirrors:mirror autograd.mirrors:where_it_is autograd.observed_pass:ObservedPass._pull
    autograd.overlaps:_check_overlap autograd.overlaps:_check_places autograd.overlaps:check_memory autograd.overlaps:check_shared
    autograd.overlaps:check_turned
    autograd.overlaps:check_write autograd.overlaps:geometry autograd.saved:Packed.placed
    autograd.saved:open_function_saved autograd.saved:tensor_of autograd.expanded_gradients:laid_by.<locals>.laid
    autograd.tensor_methods:InGraph.detach
    autograd.views:CopySlices.vjp_tensors autograd.views:_adopt autograd.views:become autograd.views:inplace
    autograd.write_errors:check_result ops.activations:_between ops.activations:prelu ops.adaptive_pooling:_adaptive_avg ops.attention:_added
    ops.attention:bilinear ops.attention:scaled_dot_product_attention ops.attention_masks:added
    ops.choice:_into_itself.<locals>.call ops.choice:_filled ops.scatter:_check_places ops.complex_numbers:view_as_complex
    ops.convolution:conv_tbc ops.distances:cdist ops.dropout:_noise ops.dropout:_noise.<locals>.draw
    ops.embedding:_bags ops.embedding:one_hot ops.extremes:_extreme
    ops.extremes:_middle ops.extremes:_place ops.extremes:aminmax ops.extremes:kthvalue
    ops.extremes:kthvalue.<locals>.<genexpr> ops.least_squares:lstsq ops.margin_losses:multi_margin_loss
    ops.margin_losses:multilabel_margin_loss ops.losses:gaussian_nll_loss ops.extremes:mode ops.forward_arrays:run_with_tangents
    ops.forward_rules:_apply_rule ops.forward_rules:_shaped ops.index:_check_rows ops.index:index_add ops.index:index_copy
    ops.index:index_fill ops.index:index_reduce ops.index:index_select ops.index:put ops.index:take
    ops.inplace:binary.<locals>.call ops.inplace:by_result.<locals>.call ops.inplace:plain_write
    ops.inplace:scaled.<locals>.call ops.inplace:unary.<locals>.call ops.linalg:check_system ops.linear:linear
    ops.class_losses:_check_classes ops.class_losses:cross_entropy ops.losses:binary_cross_entropy ops.matmul:_check_bmm
    ops.matmul:_check_sizes ops.matmul:_check_vectors ops.matmul:addmv ops.matmul:matmul_of ops.matmul:mv
    ops.normalization:_batch_norm ops.normalization:_instance_norm ops.normalization:rms_norm ops.norms:vector_norm
    ops.operands:check_batches ops.operands:product_shape ops.operands:product_shape.<locals>.<genexpr>
    ops.out:_check_dtype ops.out:_check_dtypes ops.out:_check_shared ops.out:_let_see
    ops.out:_reads_what_it_writes ops.out:store ops.out:write_out ops.out_dtypes:check_same ops.out_dtypes:key_of
    ops.out_dtypes:key_of.<locals>.<genexpr>
    ops.products:inner ops.products:kron ops.products:linalg_cross ops.products:multi_dot ops.rearrange:repeat_each
    ops.rearrange:slice_scattered ops.reduce:std ops.reduce:var ops.reflectors:householder_product ops.reflectors:ldl_solve
    ops.reflectors:ormqr ops.scatter:_check_scatter ops.scatter:gather ops.scatter:_scattered ops.shape:_reshaped
    ops.shape:_view_dtype ops.shape:reshape ops.shape:view ops.solve:_is_vector ops.solve:check_solvable ops.sort:_quantile
    ops.sort:searchsorted ops.strides:_as_strided_node ops.strides:_strided_node ops.strides:as_strided ops.subscripts:_put
    ops.subscripts:_setitem ops.subscripts:_walk ops.subscripts:_written ops.subscripts:index_put
    ops.subscripts:_index_put_in_place ops.subscripts:_index_put_in_place.<locals>.<genexpr>
    ops.subscripts:index_put.<locals>.<genexpr> ops.writing:copy_
    ops.writing:fill ops.writing:fill_ ops.writing:zero_ overrides.torch_dispatch:_write_below
    overrides.torch_dispatch:BelowAutograd.function.<locals>.<genexpr>
    tensor:Tensor.device tensors.conversion.to_dtype:_convert tensors.memory:InMemory.is_contiguous tensors.memory:InMemory.is_cpu
    tensors.memory:InMemory.is_meta
    tensors.memory:InMemory.stride tensors.python_protocols:InPython.__len__ transforms.batched_tensors:along
    transforms.batched_tensors:batched transforms.batched_tensors:left transforms.example_graph:entrance
    transforms.example_graph:tracked_anew transforms.example_graph:_array transforms.example_graph:_record
    transforms.example_graph:_kept transforms.example_graph:Result.__init__ transforms.example_graph:Result.open
    transforms.example_graph:_of_graph transforms.example_graph:gradients_of transforms.shared_tensors:shared_by_all
    transforms.derivatives:_tracked transforms.derivatives:linearize transforms.derivatives:_copied ops.dispatch:_kept
    ops.parameters:_dimensions ops.parameters:is_index base.arguments:axis_of
    ops.linalg:value_of ops.pointwise:_is_complex ops.padding:pad ops.padding:constant_pad_nd
    """.split()
)

# Asked of every op once there has been a meta tensor; while one lives nothing is recorded.
OF_META_TENSORS = "tensors.meta:"

# They give what the library itself keeps as a number or a text, which no check looks at.
READS_STATE = frozenset(
    """
    autograd.tensor_methods:InGraph._version random:Generator.initial_seed random:Generator.seed random:initial_seed random:seed
    tensors.runtime:are_deterministic_algorithms_enabled tensors.runtime:get_deterministic_debug_mode
    tensors.runtime:get_float32_matmul_precision tensors.runtime:get_num_interop_threads tensors.runtime:get_num_threads
    tensors.runtime:is_deterministic_algorithms_warn_only_enabled
    """.split()
)

# They change what the library itself keeps.
SETS_STATE = frozenset(
    """
    base.device:set_default_device distributions.distribution:Distribution.set_default_validate_args
    tensors.runtime:set_deterministic_debug_mode tensors.runtime:set_fill_uninitialized tensors.runtime:set_float32_matmul_precision
    tensors.runtime:set_flush_denormal tensors.runtime:set_num_interop_threads tensors.runtime:set_num_threads
    tensors.runtime:set_warn_always tensors.runtime:use_deterministic_algorithms
    """.split()
)

# Ops, and functions that are called anew, whose results have a shape that depends on values.
OF_ANY_SHAPE = frozenset(
    """
    nonzero masked_select unique unique_consecutive unique_dim bincount histc repeat_interleave argwhere ops.ctc:_checked
    ops.subscripts:_indices_of_mask ops.masks:_nonzero_by_element
    ops.rearrange:_places_repeated
    ops.statistics:bincount compiled.xla.indices:refused_indices
    """.split()
)

BY_NAME = frozenset((getattr, hasattr, vars, dir))
# What reads attributes by names that are texts, in calls that nobody sees.
BY_TEXT = frozenset(("attrgetter", "methodcaller", "format", "format_map", "__getattribute__", "__dict__"))
BY_GIVEN = frozenset(("map", "reduce", "starmap", "accumulate"))  # by a function that they are given, unseen too
_PURE_BUILTINS = frozenset(
    getattr(builtins, name)
    for name in (
        "abs all any ascii bin callable chr divmod format hex isinstance issubclass iter len max min next oct ord pow repr round "
        "sorted sum __build_class__"
    ).split()
)
_PURE_MODULES = frozenset((math.__name__, operator.__name__, "_operator", "_functools"))
_PURE_CLASSES = (list, dict, tuple, str, bytes, int, float, complex, bool, set, frozenset, range, slice)


def pure(function: Any) -> bool:
    """Whether a built-in function depends on its arguments alone; what it changes is among what is compared before and after."""
    owner = getattr(function, "__self__", None)
    if function in _PURE_BUILTINS:
        return True
    if isinstance(owner, type(math)):
        return owner.__name__ in _PURE_MODULES
    if owner is None:
        owner_class = getattr(function, "__objclass__", None)
        return owner_class in _PURE_CLASSES
    if isinstance(owner, type):
        return owner in _PURE_CLASSES or owner is object  # tuple.__new__, by which named tuples are made, dict.fromkeys
    return isinstance(owner, _PURE_CLASSES) and type(owner).__module__ in ("builtins", "collections", "torch")


# They draw, make arrays of numbers, look at values only to refuse them, or move statistics.
ANEW = frozenset(
    """
    random:Generator.get_state random:Generator.set_state random:Generator.manual_seed
    tensors.creation.from_data:tensor
    ops.activations:_slopes ops.dropout:_drawn ops.dropout:_scaled_noise ops.embedding:_renormalized ops.normalization:_keep_up
    tensors.creation.sampling:_sample_dirichlet
    """.split()
)
# They make what depends on forms and numbers alone.
CONSTANT = frozenset(("ops.linalg:on_diagonal", "ops.meshgrid:_choices"))
# Of those that are called anew, the ones that neither draw nor write.
CHANGES_NOTHING = frozenset(
    """
    distributions.distribution:_require ops.embedding:_check_bags ops.embedding:_check_classes
    autograd.forward_ad:zeros_laid_like autograd.functional:_unit autograd.functional:_zeros autograd.functional:_zeros_like
    autograd.overlaps:like_base backend.flat_indices:check backend.flat_indices:check_along func.jacobians:_units
    ops.forward_rules:_ones ops.forward_rules:_zeros ops.promotion:number_array ops.ctc:_checked
    ops.stft:_check_overlap ops.sort:_check_quantiles ops.subscripts:_indices_of_mask
    ops.masks:_nonzero_by_element ops.decompositions:_check_phase
    ops.index:_within ops.rule_functions:checked ops.least_squares:tolerances ops.operands:check_not_negative ops.margin_losses:_check_targets
    ops.masks:unravel_index ops.rearrange:_places_repeated ops.sort:isin ops.statistics:_check_weights ops.statistics:bincount
    ops.statistics:histc ops.statistics:histogram
    """.split()
)
CREATION = frozenset("allocation filling from_sizes like matrices random_tensors ranges sampling windows".split())


def called_anew(where: str) -> bool:
    """Whether a function is an instruction of its own: where it draws random numbers, makes tensors of none, or steps."""
    room, _, name = where.partition(":")
    if where in ANEW or where in CHANGES_NOTHING or where in CONSTANT:
        return True
    if room.startswith("tensors.creation.") and room.rpartition(".")[2] in CREATION:
        return not name.rpartition(".")[2].startswith("_")
    if room.startswith("optim.") and "." in name:
        return name.rpartition(".")[2] in ("step", "zero_grad")
    return False


def moves_rates(function: Any) -> bool:
    """Whether it is a schedule's step, which gives an optimizer's groups other numbers."""
    return function.__name__ == "step" and function.__module__.partition(".")[2].startswith("optim.lr_scheduler")


def stops(error: BaseException) -> bool:
    """Whether the recomputation of a checkpoint ends with this, all that was asked for being there, whatever the values are."""
    kind = type(error)
    return kind.__qualname__ == "_Stop" and kind.__module__ in ("rushlight.utils.recomputation", "torch.utils.recomputation")


def where(function: Any) -> str:
    """The name by which a function is listed here."""
    return f"{function.__module__.partition('.')[2]}:{function.__name__}"


def changes_nothing(function: Any) -> bool:
    """Whether a function that is called anew only makes tensors, or looks at them: neither draws nor writes."""
    if getattr(function, "changes_nothing", False):
        return True
    if where(function) in CHANGES_NOTHING:
        return True
    room = function.__module__.partition(".")[2]
    made = ("filling", "from_sizes", "like", "matrices", "ranges")
    return room.startswith("tensors.creation.") and room.rpartition(".")[2] in made and "rand" not in function.__name__
