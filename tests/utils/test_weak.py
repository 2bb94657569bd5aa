"""Dictionaries by tensor that keep none alive, and other small things tools look for."""

from __future__ import annotations

import rushlight as torch
from rushlight._C._profiler import gather_traceback, symbolize_tracebacks
from rushlight.utils._dtype_abbrs import dtype_abbrs
from rushlight.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakIdRef, WeakTensorKeyDictionary


def test_keys_are_compared_by_identity_and_go():
    x, y = torch.ones(2), torch.ones(2)
    kept = WeakTensorKeyDictionary()
    kept[x], kept[y] = 1, 2
    assert kept[x] == 1 and kept.pop(y) == 2 and y not in kept and "text" not in kept
    assert next(iter(kept)) is x and kept.get(y, 7) == 7
    other = kept.copy()
    assert isinstance(other, WeakIdKeyDictionary) and other[x] == 1 and kept.keyrefs()[0]() is x
    del x
    assert len(kept) == 0 == len(other)


def test_references_outlive_what_they_refer_to():
    x = torch.ones(2)
    first, second, of_tensor = WeakIdRef(x), WeakIdRef(x), TensorWeakRef(x)
    assert first == second and hash(first) == hash(second) and of_tensor() is x
    del x
    assert first() is None is of_tensor() and first != second and first == first


def test_tracebacks_and_names_of_dtypes():
    def inner():
        return gather_traceback(python=True, script=True, cpp=True)

    (frames,) = symbolize_tracebacks([inner()])
    assert [frame["name"] for frame in frames[:2]] == ["inner", "test_tracebacks_and_names_of_dtypes"]
    assert frames[0]["filename"] == __file__
    assert dtype_abbrs[torch.float32] == "f32" and dtype_abbrs[torch.bool] == "b8"
