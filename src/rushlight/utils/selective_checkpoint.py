"""Checkpoints that keep the results of some ops: a policy says which, and only the others run again in the backward pass."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ..overrides.overloads import OpOverload, OpOverloadPacket, aten
from ..overrides.torch_dispatch import TorchDispatchMode
from ..tensor import Tensor
from ._pytree import tree_map


class CheckpointPolicy(enum.Enum):
    """What becomes of an op's result: ``MUST_SAVE`` and ``PREFER_SAVE`` keep it, the ``RECOMPUTE`` ones do not."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_SAVED = frozenset({"MUST_SAVE", "PREFER_SAVE", "MUST_CPU_OFFLOAD", "PREFER_CPU_OFFLOAD"})

# These only look at a tensor.
SAC_IGNORED_OPS = {aten.detach.default, aten.alias.default}


class SelectiveCheckpointContext:
    """What a policy is told beside the op: whether the function runs again."""

    def __init__(self, *, is_recompute: bool) -> None:
        self.is_recompute = is_recompute


class _VersionWrapper:
    """A kept value, and the version it had."""

    def __init__(self, value: Any) -> None:
        self.val = value.detach() if isinstance(value, Tensor) else value
        self.version = value._counter[0] if isinstance(value, Tensor) else None

    def get_val(self, allow_cache_entry_mutation: bool) -> Any:
        if self.version is not None and not allow_cache_entry_mutation and self.val._counter[0] != self.version:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.val


_RUN_AGAIN, _GIVEN_OUT = object(), object()
Storage = dict[OpOverload, dict[int, Any]]


class _CachingTorchDispatchMode(TorchDispatchMode):
    """The first run: keeps what the policy says, by op and by how many of that op came before."""

    def __init__(self, policy_fn: Callable[..., Any], storage: Storage) -> None:
        self.policy_fn, self.storage = policy_fn, storage
        self.func_counter: Counter[OpOverload] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in SAC_IGNORED_OPS:
            return func(*args, **kwargs)
        index = self.func_counter[func]
        self.func_counter[func] += 1
        policy = self.policy_fn(SelectiveCheckpointContext(is_recompute=False), func, *args, **kwargs)
        out = func(*args, **kwargs)
        keeps = policy is True or getattr(policy, "name", None) in _SAVED
        self.storage.setdefault(func, {})[index] = tree_map(_VersionWrapper, out) if keeps else _RUN_AGAIN
        return out


class _CachedTorchDispatchMode(TorchDispatchMode):
    """The second run: gives out what was kept, each value once."""

    def __init__(self, storage: Storage, allow_cache_entry_mutation: bool) -> None:
        self.storage, self.allow_cache_entry_mutation = storage, allow_cache_entry_mutation
        self.func_counter: Counter[OpOverload] = Counter()

    def __enter__(self) -> Any:
        self.func_counter.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in SAC_IGNORED_OPS:
            return func(*args, **kwargs)
        index = self.func_counter[func]
        self.func_counter[func] += 1
        entries = self.storage.get(func)
        if entries is None or index not in entries:
            which = str(func) if entries is None else f"{func} invocation index {index}"
            raise RuntimeError(
                f"{which} encountered during backward but not found in storage. This can happen if the operations in the "
                "checkpointed region are nondeterministic or depend on global state that changed between forward and backward."
            )
        kept = entries[index]
        if kept is _GIVEN_OUT:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under selective "
                "activation checkpoint."
            )
        if kept is _RUN_AGAIN:
            return func(*args, **kwargs)
        entries[index] = _GIVEN_OUT
        return tree_map(lambda one: one.get_val(self.allow_cache_entry_mutation), kept)


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable[..., Any] | Sequence[OpOverload], allow_cache_entry_mutation: bool = False
) -> tuple[_CachingTorchDispatchMode, _CachedTorchDispatchMode]:
    """The two contexts for ``checkpoint(..., context_fn=...)`` that keep the results of some ops between the runs.

    ``policy_fn_or_list``            ``policy_fn(ctx, op, *args, **kwargs)`` that returns a :class:`CheckpointPolicy` (or a
                                     bool: whether to keep), or a list of the ops to keep
    ``allow_cache_entry_mutation``   whether what was kept may be written to in between

    ValueError for what is no ``torch.ops.aten.name.overload``; RuntimeError in the second run where it does other ops than the
    first, where a kept tensor was written to, and in a second backward pass.

    >>> import functools
    >>> import rushlight as torch
    >>> from rushlight.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> keep = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    >>> x = torch.ones(2, 2, requires_grad=True)
    >>> y = checkpoint(lambda x: (x.cos() @ x).sin().sum(), x, use_reentrant=False, context_fn=keep)
    >>> y.backward()
    >>> x.grad.shape
    torch.Size([2, 2])
    """
    if isinstance(policy_fn_or_list, (list, tuple)):
        for one in policy_fn_or_list:
            if not isinstance(one, OpOverload):
                extra = (
                    "Please update the OpOverloadPacket to a specific OpOverload.For example, if you have `torch.ops.aten.mm`, "
                    "change it to `torch.ops.aten.mm.default`."
                    if isinstance(one, OpOverloadPacket)
                    else ""
                )
                raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {one} of type {type(one)}. {extra}")
        kept = frozenset(policy_fn_or_list)

        def policy_fn(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
            return op in kept

    elif callable(policy_fn_or_list):
        policy_fn = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: Storage = {}
    return _CachingTorchDispatchMode(policy_fn, storage), _CachedTorchDispatchMode(storage, allow_cache_entry_mutation)
