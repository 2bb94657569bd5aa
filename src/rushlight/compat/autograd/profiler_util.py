"""torch.autograd.profiler_util: the events of a profile, and tables of them."""

from rushlight.profiler import table
from rushlight.profiler.event_list import EventList
from rushlight.profiler.events import (
    FormattedTimesMixin,
    FunctionEvent,
    FunctionEventAvg,
    Interval,
    Kernel,
    MemRecordsAcc,
    StringTable,
)
from rushlight.profiler.events import _filter_name as _filter_name
from rushlight.profiler.events import _rewrite_name as _rewrite_name

__all__ = [
    "EventList",
    "FormattedTimesMixin",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kernel",
    "MemRecordsAcc",
    "StringTable",
]

_format_time, _format_memory, _format_time_share = table.format_time, table.format_memory, table.format_share
