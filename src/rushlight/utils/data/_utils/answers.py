"""What workers answer, and its way through a pipe.

First goes a pickle with what it is about, then the memory of large arrays: read straight to where it stays.
"""

from __future__ import annotations

import io
import os
import pickle
import struct
from dataclasses import dataclass, field
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

import numpy as np

from ....base import dtypes
from ....base.attributes import OWN_ATTRIBUTES, held
from ....random import memory_axes
from ....tensor import Tensor, new_tensor

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

BATCH, ERROR, END, RESUMED = range(4)

_LARGE = 1 << 14  # bytes, from which on an array goes by itself
_HEAD = struct.Struct("<BqI")  # kind, number of the task, how many arrays go by themselves; then their sizes


@dataclass
class Answer:
    """``kind`` is one of the four above, ``number`` the task's, the rest a pickled value."""

    kind: int
    number: int
    text: bytes | memoryview
    blocks: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, kind: int, number: int, value: Any) -> Answer:
        """Raises what pickle raises. The value may change afterwards."""
        blocks: list[bytes] = []

        def stays(buffer: pickle.PickleBuffer) -> bool:
            memory = buffer.raw()
            if memory.nbytes < _LARGE:
                return True
            blocks.append(bytes(memory))
            return False

        stream = io.BytesIO()
        pickler = ForkingPickler(stream, pickle.HIGHEST_PROTOCOL, True, stays)
        pickler.dispatch_table[Tensor] = _reduced
        pickler.dump(value)
        return cls(kind, number, stream.getvalue(), blocks)

    def send(self, pipe: Connection) -> None:
        sizes = struct.pack(f"<{len(self.blocks)}q", *map(len, self.blocks))
        pipe.send_bytes(_HEAD.pack(self.kind, self.number, len(self.blocks)) + sizes + self.text)
        for block in self.blocks:
            if os.name != "posix":
                pipe.send_bytes(block)
                continue
            left = memoryview(block)
            while left:
                left = left[os.write(pipe.fileno(), left) :]

    @classmethod
    def receive(cls, pipe: Connection) -> Answer:
        """EOFError or OSError where the sender is gone."""
        message = memoryview(pipe.recv_bytes())
        kind, number, count = _HEAD.unpack_from(message)
        sizes = struct.unpack_from(f"<{count}q", message, _HEAD.size)
        blocks = [np.empty(size, np.uint8) for size in sizes]
        for block in blocks:
            if os.name != "posix":
                pipe.recv_bytes_into(block)
                continue
            left = memoryview(block)  # type: ignore[arg-type]
            while left:
                got = os.readv(pipe.fileno(), [left])
                if not got:
                    raise EOFError
                left = left[got:]
        return cls(kind, number, message[_HEAD.size + 8 * count :], blocks)

    def value(self) -> Any:
        return pickle.loads(self.text, buffers=self.blocks)


def _reduced(tensor: Tensor) -> Any:
    """A tensor's own elements, where pickle would send all the memory that it is a view of."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support crossing "
            "process boundaries.  If you just want to transfer the data, call detach() on the tensor before serializing "
            "(e.g., putting it on the queue)."
        )
    array = tensor._array
    if array.base is None or held(tensor).keys() - OWN_ATTRIBUTES:
        return tensor.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
    axes = memory_axes(array)
    return _restored, (array.transpose(axes).copy(), axes, tensor.requires_grad)


def _restored(array: np.ndarray[Any, Any], axes: tuple[int, ...], requires_grad: bool) -> Tensor:
    tensor = new_tensor(dtypes.known(array).transpose(np.argsort(axes)))
    return tensor.requires_grad_() if requires_grad else tensor
