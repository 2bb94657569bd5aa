"""torch.Stream, and torch.DeviceObjType of TorchScript: on the CPU there is one order in which work is done."""

from __future__ import annotations

import rushlight as torch
from rushlight import device as device_class
from rushlight.base.arguments import type_name
from rushlight.base.device import as_device


class Stream:
    """The order in which a device does its work. The CPU's is the program's own: whatever was asked for is done.

    >>> import rushlight as torch
    >>> stream = torch.Stream(device="cpu")
    >>> stream.query(), stream
    (True, torch.Stream device_type=cpu, device_index=-1, stream_id=0)
    """

    def __init__(self, device: device_class | str | None = None, *, priority: int = 0) -> None:
        if not isinstance(priority, int) or isinstance(priority, bool):
            raise TypeError(f"Stream(): argument 'priority' must be int, not {type_name(priority)}")
        self.device = torch.get_default_device() if device is None else as_device(device, "Stream")
        if self.device.type != "cpu":
            raise RuntimeError(f"PyTorch is not linked with support for {self.device.type} devices")
        self.stream_id, self.device_index, self.device_type = 0, -1, 1

    def query(self) -> bool:
        """True: all is done."""
        return True

    def synchronize(self) -> None:
        """Waits for nothing."""

    def wait_stream(self, stream: Stream) -> None:
        """Waits for nothing."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other.device == self.device

    def __hash__(self) -> int:
        return hash((self.device, self.stream_id))

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __repr__(self) -> str:
        return f"torch.Stream device_type={self.device.type}, device_index={self.device_index}, stream_id={self.stream_id}"


class DeviceObjType:
    """TorchScript's type of devices."""

    def __init__(self) -> None:
        raise TypeError("torch._C.DeviceObjType: No constructor defined!")

    @staticmethod
    def get() -> DeviceObjType:
        """The one object of the type."""
        return _DEVICE_TYPE

    def kind(self) -> str:
        """What TorchScript calls its class."""
        return "DeviceObjType"

    def __repr__(self) -> str:
        return "Device"


_DEVICE_TYPE = object.__new__(DeviceObjType)
