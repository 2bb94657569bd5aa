"""How samples become a batch: the values of each place in a sample are put together, through lists, tuples and mappings."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ....autograd.modes import special
from ....base import dtypes
from ....ops.public import registry
from ....tensor import Tensor, new_tensor
from ....tensors.creation.from_data import as_tensor, tensor

CollateMap = dict[Any, Callable[..., Any]]

np_str_obj_array_pattern = re.compile("[SaUO]")
default_collate_err_msg_format = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_convert(data: Any) -> Any:
    """NumPy arrays and numbers in ``data`` as tensors (arrays share their memory), tuples as lists, the rest as it is.

    What a :class:`DataLoader` without batches does with a sample.

    >>> import numpy as np
    >>> from rushlight.utils.data import default_convert
    >>> default_convert({"x": np.array([0.5, 1.5]), "y": (1, np.float32(2))})
    {'x': tensor([0.5000, 1.5000], dtype=torch.float64), 'y': [1, tensor(2.)]}
    """
    if isinstance(data, Tensor):
        return data
    if type(data).__module__ == "numpy" and not isinstance(data, np.str_):
        if isinstance(data, np.ndarray) and np_str_obj_array_pattern.search(data.dtype.str):
            return data
        return as_tensor(data)
    if isinstance(data, Mapping):
        return _mapping_like(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(value) for value in data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        values = [default_convert(value) for value in data]
        return values if isinstance(data, tuple) else _sequence_like(data, values)
    return data


def collate(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Puts samples together: by the function in ``collate_fn_map`` for the type of the first, else place by place.

    The functions are called with the batch and ``collate_fn_map``; a key may be a tuple of types. A batch of mappings gives a
    mapping of batches, one of sequences a sequence. TypeError for a type that is in neither, RuntimeError for sequences of
    different lengths.

    >>> from rushlight.utils.data._utils.collate import collate, collate_tensor_fn, default_collate_fn_map
    >>> def as_text(batch, *, collate_fn_map=None):
    ...     return "+".join(map(str, batch))
    >>> collate([(1, 2.5), (3, 4.5)], collate_fn_map={int: as_text, **{float: as_text}})
    ['1+3', '2.5+4.5']
    """
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        function = collate_fn_map.get(kind)
        if function is None:
            function = next((found for types, found in collate_fn_map.items() if isinstance(first, types)), None)
        if function is not None:
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        values = {key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map) for key in first}
        return _mapping_like(first, values)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(collate(place, collate_fn_map=collate_fn_map) for place in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        size = len(first)
        if any(len(sample) != size for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        places = [collate(place, collate_fn_map=collate_fn_map) for place in zip(*batch, strict=True)]
        return places if isinstance(first, tuple) else _sequence_like(first, places)
    raise TypeError(default_collate_err_msg_format.format(kind))


def _mapping_like(data: Mapping[Any, Any], values: dict[Any, Any]) -> Any:
    """The values in a mapping of the class of ``data``, with what else it carries; a dict where the class cannot be made."""
    if type(data) is dict:
        return values
    try:
        if isinstance(data, MutableMapping):
            clone = copy.copy(data)
            clone.update(values)
            return clone
        return type(data)(values)  # type: ignore[call-arg]
    except TypeError:
        return values


def _sequence_like(data: Sequence[Any], values: list[Any]) -> Any:
    """The values in a sequence of the class of ``data``; a list where the class cannot be made."""
    if type(data) is list:
        return values
    try:
        if isinstance(data, MutableSequence):
            clone = copy.copy(data)
            for place, value in enumerate(values):
                clone[place] = value
            return clone
        return type(data)(values)  # type: ignore[call-arg]
    except TypeError:
        return values


def plain_arrays(tensors: Iterable[Any]) -> list[np.ndarray[Any, Any]] | None:
    """The arrays of tensors that nothing but their values matters of; None where one is of a subclass or has a gradient."""
    if special.active:
        return None
    arrays = []
    for one in tensors:
        if type(one) is not Tensor or one._needs_grad or (one._base is not None and one._base._needs_grad):
            return None
        arrays.append(one._array)
    return arrays


def _joined(arrays: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any] | None:
    """The arrays as rows of a new one, in one step; None where they differ in shape or type."""
    first = arrays[0].dtype
    if first.kind not in "fiubc" or len({one.dtype for one in arrays}) > 1:
        return None
    try:
        joined = np.array(arrays)
    except ValueError:
        return None
    return joined if joined.size else None  # of arrays without elements NumPy takes different shapes as one


def collate_tensor_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Tensors of one shape as rows of a new one."""
    arrays = plain_arrays(batch)
    joined = None if arrays is None else _joined(arrays)
    if joined is not None:
        return new_tensor(joined)
    return registry["torch"]["stack"](batch, 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """NumPy arrays of one shape as rows of a tensor. TypeError for arrays of text or objects."""
    kind = batch[0].dtype
    if np_str_obj_array_pattern.search(kind.str):
        raise TypeError(default_collate_err_msg_format.format(kind))
    if collate_fn_map is not None and collate_fn_map.get(Tensor) is collate_tensor_fn and kind.isnative:
        is_plain = all(type(one) is np.ndarray and one.flags.c_contiguous and one.flags.writeable for one in batch)
        joined = _joined(batch) if is_plain else None
        if joined is not None:
            return as_tensor(joined)
    return collate([as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Numbers of NumPy as a tensor."""
    return as_tensor(batch)


def collate_float_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Python's floats as a tensor in double precision."""
    return tensor(batch, dtype=dtypes.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Python's ints, or bools, as a tensor."""
    return tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Text stays as it is."""
    return batch


default_collate_fn_map: CollateMap = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """Puts samples together into a batch whose tensors have one dimension more, of the size ``len(batch)``, in front.

    Tensors and NumPy arrays of shape ``S`` become a tensor of shape ``(len(batch), *S)``; numbers one of shape
    ``(len(batch),)``, floats in double precision; text stays a list. Mappings, named tuples and sequences are gone through:
    a tuple becomes a list. TypeError for anything else, RuntimeError where shapes or lengths differ, KeyError where a key of
    the first sample is missing in another. More types: put a function into ``_utils.collate.default_collate_fn_map``.

    >>> import rushlight as torch
    >>> from rushlight.utils.data import default_collate
    >>> default_collate([(torch.zeros(2), 3), (torch.ones(2), 4)])
    [tensor([[0., 0.],
            [1., 1.]]), tensor([3, 4])]
    >>> default_collate([{"x": 0.5, "name": "a"}, {"x": 1.5, "name": "b"}])
    {'x': tensor([0.5000, 1.5000], dtype=torch.float64), 'name': ['a', 'b']}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
