"""torch.utils._pytree: the trees of ``base/pytree.py`` under PyTorch's name."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..base.pytree import *  # noqa: F403
from ..base.pytree import BUILT_IN, SUPPORTED_NODES, NodeDef, tree_leaves
from ..base.pytree import LEAF as LEAF
from ..base.pytree import _deregister_pytree_node as _deregister_pytree_node
from ..base.pytree import _get_node_type as _get_node_type
from ..base.pytree import broadcast_prefix as broadcast_prefix
from ..base.pytree_json import _register_namedtuple as _register_namedtuple
from ..base.pytree_json import treespec_dumps as treespec_dumps
from ..base.pytree_json import treespec_loads as treespec_loads
from ..base.pytree_json import treespec_pprint as treespec_pprint

Context = Any  # what a node is besides its children


def arg_tree_leaves(*args: object, **kwargs: object) -> list[object]:
    """The leaves of the arguments of a call.

    >>> from rushlight.utils._pytree import arg_tree_leaves
    >>> arg_tree_leaves(1, [2], key={"a": 3})
    [1, 2, 3]
    """
    return [leaf for one in (*args, *kwargs.values()) for leaf in tree_leaves(one)]


def __getattr__(name: str) -> Any:
    """What libraries build kinds of their own from: ``_list_flatten``, ``_list_unflatten``, ``_list_flatten_with_keys`` and so on."""
    cls, _, what = name.removeprefix("_").partition("_")
    kind = next((kind for key, kind in SUPPORTED_NODES.items() if key in BUILT_IN and key.__name__.lower() == cls), None)
    if kind is None or name[0] != "_":
        raise AttributeError(f"module 'torch.utils._pytree' has no attribute {name!r}")
    if what == "flatten":
        return kind.flatten_fn
    if what == "unflatten":
        return kind.unflatten_fn
    if what == "flatten_with_keys" and kind.keys is not None:
        return partial(_flattened_with_keys, kind)
    raise AttributeError(f"module 'torch.utils._pytree' has no attribute {name!r}")


def _flattened_with_keys(kind: NodeDef, tree: Any) -> tuple[list[tuple[Any, Any]], Any]:
    children, context = kind.flatten_fn(tree)
    return list(zip(kind.keys(tree), children, strict=True)), context  # type: ignore[misc]
