"""torch.profiler: which ops a program runs, how long they take and what memory, also for some steps of many.

>>> import rushlight as torch
>>> x = torch.randn(3, 3)
>>> with torch.profiler.profile(record_shapes=True) as prof:
...     with torch.profiler.record_function("square"):
...         _ = x @ x
>>> for event in prof.events():
...     print(event.name, event.input_shapes)
square []
aten::matmul [[3, 3], [3, 3]]
aten::mm [[3, 3], [3, 3]]
"""

from ..autograd.recorder import record_function
from ..base.missing_names import lazy_names
from . import itt, profiler
from .autograd_profiler import KinetoStepTracker, kineto_available
from .kinds import DeviceType, ProfilerActivity, RecordScope
from .profiler import ProfilerAction, _KinetoProfile, profile, schedule, supported_activities, tensorboard_trace_handler

__getattr__, __dir__ = lazy_names(__name__)

__all__ = [
    "DeviceType",
    "KinetoStepTracker",
    "ProfilerAction",
    "ProfilerActivity",
    "RecordScope",
    "_KinetoProfile",
    "itt",
    "kineto_available",
    "profile",
    "profiler",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]
