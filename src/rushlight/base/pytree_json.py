"""The forms of trees as JSON: what PyTorch's ``treespec_dumps`` writes and ``treespec_loads`` reads."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from enum import Enum
from importlib import import_module

from .pytree import LEAF, SUPPORTED_NODES, TreeSpec, tree_unflatten
from .size import Size

_PROTOCOLS = [1]
_NAMES: dict[object, str] = {
    list: "builtins.list",
    tuple: "builtins.tuple",
    dict: "builtins.dict",
    Size: "torch.Size",
    OrderedDict: "collections.OrderedDict",
    defaultdict: "collections.defaultdict",
    deque: "collections.deque",
    namedtuple: "collections.namedtuple",
}
_named_tuples: dict[type, str] = {}


def _register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    """Gives a class of named tuples the name by which :func:`treespec_dumps` writes it."""
    _named_tuples[cls] = serialized_type_name


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """The form of a tree as JSON.

    >>> from rushlight.utils._pytree import tree_structure, treespec_dumps
    >>> treespec_dumps(tree_structure(3))
    '[1, {"type": null, "context": null, "children_spec": []}]'
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    if protocol is not None and protocol not in _PROTOCOLS:
        raise _unknown(protocol)
    return json.dumps((1, _written(treespec)), default=_value_of)


def treespec_loads(serialized: str) -> TreeSpec:
    """The form of a tree that :func:`treespec_dumps` wrote.

    >>> from rushlight.utils._pytree import tree_structure, treespec_dumps, treespec_loads
    >>> treespec_loads(treespec_dumps(tree_structure([1, 2])))
    TreeSpec(list, None, [*,
      *])
    """
    protocol, form = json.loads(serialized)
    if protocol not in _PROTOCOLS:
        raise _unknown(protocol)
    return _read(form)


class _Star:
    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """The tree with a star for each leaf.

    >>> from rushlight.utils._pytree import tree_structure, treespec_pprint
    >>> treespec_pprint(tree_structure({"a": [1, 2]}))
    "{'a': [*, *]}"
    """
    return repr(tree_unflatten([_Star() for _ in range(treespec.num_leaves)], treespec))


def _unknown(protocol: object) -> ValueError:
    return ValueError(f"Unknown protocol {protocol}. Available protocols: {_PROTOCOLS}")


def _value_of(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _written(spec: TreeSpec) -> dict[str, object]:
    if spec.type is None:
        return {"type": None, "context": None, "children_spec": []}
    if spec.type not in SUPPORTED_NODES:
        raise NotImplementedError(f"Serializing {spec.type} in pytree is not registered.")
    name = _NAMES.get(spec.type) or SUPPORTED_NODES[spec.type].written_as
    if name is None:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call with a "
            "`serialized_type_name` kwarg."
        )
    return {"type": name, "context": _context_written(spec), "children_spec": [_written(one) for one in spec.children_specs]}


def _context_written(spec: TreeSpec) -> object:
    context, write = spec.context, SUPPORTED_NODES[spec.type].write_context
    if write is not None:
        return write(context)
    if spec.type is namedtuple:
        if context not in _named_tuples:
            raise NotImplementedError(
                f"Can't serialize TreeSpec of namedtuple class {context} because we didn't register a serializated_type_name. "
                "Please register using `_register_namedtuple`."
            )
        return _named_tuples[context]
    if spec.type is defaultdict:
        factory, keys = context
        module, name = factory.__module__, factory.__qualname__
        return {"default_factory_module": module, "default_factory_name": name, "dict_context": keys}
    try:
        return json.dumps(context, default=_value_of)
    except TypeError as error:
        raise TypeError(
            "Unable to serialize context. Please make the context json dump-able, or register a custom serializer using "
            "_register_pytree_node."
        ) from error


def _read(form: dict[str, object]) -> TreeSpec:
    name, context = form["type"], form["context"]
    if name is None:
        return LEAF
    kind = next((kind for kind, known in _NAMES.items() if known == name), None)
    if kind is None:
        kind = next((kind for kind, node in SUPPORTED_NODES.items() if node.written_as == name), None)
    if kind is None:
        raise NotImplementedError(f"Deserializing {name} in pytree is not registered.")
    children: list[dict[str, object]] = form["children_spec"]  # type: ignore[assignment]
    return TreeSpec(kind, _context_read(kind, context), tuple(_read(one) for one in children))


def _context_read(kind: object, context: object) -> object:
    read = SUPPORTED_NODES[kind].read_context
    if read is not None:
        return read(context)
    if kind is namedtuple:
        for cls, name in _named_tuples.items():
            if name == context:
                return cls
        raise NotImplementedError(
            f"Can't deserialize TreeSpec of namedtuple class {context} because we couldn't find a serializated name."
        )
    if isinstance(context, dict):  # of a defaultdict
        factory = getattr(import_module(context["default_factory_module"]), context["default_factory_name"])
        return [factory, context["dict_context"]]
    return json.loads(str(context))
