"""The kinds of things that profilers speak of: devices, activities, ways to record."""

from __future__ import annotations

from enum import Enum, EnumType

__all__ = ["DeviceType", "ProfilerActivity", "ProfilerState", "RecordScope"]


class _KindType(EnumType):
    def __call__(cls, *args: object, **kwargs: object) -> object:  # type: ignore[override]
        """One by its number alone: Enum's way to make further enumerations is not PyTorch's."""
        if len(args) + len(kwargs) != 1 or (kwargs and "value" not in kwargs):
            raise _no_number(cls)
        return super().__call__(*args, **kwargs)  # type: ignore[call-overload]


def _no_number(kind: type) -> TypeError:
    return TypeError(
        "__init__(): incompatible constructor arguments. The following argument types are supported:\n"
        f"    1. {kind.__name__}(value: typing.SupportsInt)\n"
    )


class _Kind(Enum, metaclass=_KindType):
    @classmethod
    def _missing_(cls, value: object) -> _Kind:
        try:
            number = None if isinstance(value, (str, bytes, float)) else int(value)  # type: ignore[call-overload]
        except Exception:
            number = None
        if number is None or not -(2**31) <= number < 2**31:
            raise _no_number(cls)
        known = next((one for one in cls if one.value == number), None)
        if known is None:  # PyTorch's are numbers with names, of which some have none
            known = object.__new__(cls)
            known._name_, known._value_ = "???", number
        return known

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __int__(self) -> int:
        return int(self.value)

    __index__ = __int__


class DeviceType(_Kind):
    """What an event ran on: always the CPU here."""

    CPU, CUDA, MKLDNN, OPENGL, OPENCL, IDEEP, HIP, FPGA = range(8)
    MAIA, XLA, Vulkan, Metal, XPU, MPS, Meta, HPU, VE, Lazy, IPU, MTIA, PrivateUse1 = range(8, 21)


class ProfilerActivity(_Kind):
    """What to profile: ``CPU`` is what there is.

    >>> from rushlight.profiler import ProfilerActivity
    >>> ProfilerActivity.CPU
    <ProfilerActivity.CPU: 0>
    """

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = 0, 1, 4, 2, 3, 5


class ProfilerState(_Kind):
    """How a profiler records."""

    Disabled, CPU, CUDA, NVTX, ITT, PRIVATEUSE1, KINETO, KINETO_GPU_FALLBACK = range(8)
    KINETO_PRIVATEUSE1_FALLBACK, KINETO_PRIVATEUSE1 = 8, 9


class RecordScope(_Kind):
    """Where an event comes from."""

    FUNCTION, BACKWARD_FUNCTION, TORCHSCRIPT_FUNCTION, KERNEL_FUNCTION_DTYPE, CUSTOM_CLASS, BUILD_FEATURE = range(6)
    LITE_INTERPRETER, USER_SCOPE, STATIC_RUNTIME_OP, STATIC_RUNTIME_MODEL = 6, 7, 8, 9
