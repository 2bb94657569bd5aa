"""The table of a profile: times and bytes as people read them, a line for each event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

WIDTH = 12  # of a column of numbers
GAP = 2  # blanks behind each column
STACK_LINES = 5  # so many lines of a stack are shown

UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}


def format_time(microseconds: float, unit: str | None = None) -> str:
    """Microseconds in the unit that suits them, or in ``unit``.

    >>> from rushlight.profiler.table import format_time
    >>> format_time(12.5), format_time(1234567), format_time(1500, "us")
    ('12.500us', '1.235s', '1500.000us')
    """
    if unit is None:
        unit = next((unit for unit, size in UNITS.items() if microseconds >= size), "us")
    elif unit not in UNITS:
        unit = "us"
    return f"{microseconds / UNITS[unit]:.3f}{unit}"


def format_share(part: float, whole: float) -> str:
    """``part`` of ``whole`` in percent; NaN of nothing.

    >>> from rushlight.profiler.table import format_share
    >>> format_share(1, 3), format_share(0, 0)
    ('33.33%', 'NaN')
    """
    if whole == 0:
        if part != 0:
            raise AssertionError(f"Expected time_us == 0 but got {part}")
        return "NaN"
    return f"{part * 100 / whole:.2f}%"


def format_memory(count: float) -> str:
    """A number of bytes, with a sign.

    >>> from rushlight.profiler.table import format_memory
    >>> format_memory(10), format_memory(-2048)
    ('10 B', '-2.00 KB')
    """
    for unit, power in (("GB", 3), ("MB", 2), ("KB", 1)):
        if abs(count) >= 1024**power:
            return f"{count / 1024**power:.2f} {unit}"
    return f"{count} B"


def shortened_name(name: str, width: int) -> str:
    return name[: width - 3] + "..." if len(name) >= width - 3 else name


def shortened_line(line: str, width: int) -> str:
    """The end of a line of a stack."""
    return "..." + line[-(width - 3) :] if len(line) > width else line


class _Column:
    """A heading, its width, and what it shows of an event."""

    def __init__(self, heading: str, width: int, text: Callable[[Any], str], left: bool = False) -> None:
        self.heading, self.width, self.text, self.left = heading, width, text, left

    def cell(self, text: str) -> str:
        return (f"{text:<{self.width}}" if self.left else f"{text:>{self.width}}") + " " * GAP


def _width(texts: Sequence[int], most: int | None) -> int:
    """Of a column: four more than its longest text, if that is not too much."""
    longest = max(texts) + 4
    return longest if most is None else min(longest, most)


def _flops_scale(values: list[int]) -> tuple[str, float]:
    exponent = 0
    smallest = min(values)
    while exponent < 5 and smallest >= 1000 ** (exponent + 1):
        exponent += 1
    return ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")[exponent], 1000.0**exponent


def build_table(
    events: Any,
    sort_by: str | None = None,
    header: str | None = None,
    row_limit: int = 100,
    max_src_column_width: int | None = 75,
    max_name_column_width: int | None = 55,
    max_shapes_column_width: int | None = 80,
    with_flops: bool = False,
    profile_memory: bool = False,
    top_level_events_only: bool = False,
    time_unit: str | None = None,
) -> str:
    """The events as a table; see :meth:`EventList.table`."""
    if not len(events):
        return ""
    unsorted = events
    if sort_by is not None:
        key = sort_by.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        events = sorted(events, key=attrgetter(key), reverse=True)
    total = sum(event.self_cpu_time_total for event in unsorted)

    def time(value: float) -> str:
        return format_time(value, time_unit)

    def name(event: Any) -> str:
        return event.key if max_name_column_width is None else shortened_name(event.key, max_name_column_width)

    def overload(event: Any) -> str:
        text = event.overload_name or ""
        return text if max_name_column_width is None else shortened_name(text, max_name_column_width)

    wide_name = _width([len(event.key) for event in events], max_name_column_width)
    columns = [
        _Column("Name", wide_name, name),
        *([_Column("Overload Name", wide_name, overload)] if any(event.overload_name for event in events) else []),
        _Column("Self CPU %", WIDTH, lambda event: format_share(event.self_cpu_time_total, total)),
        _Column("Self CPU", WIDTH, lambda event: time(event.self_cpu_time_total)),
        _Column("CPU total %", WIDTH, lambda event: format_share(event.cpu_time_total, total) if not event.is_async else "0"),
        _Column("CPU total", WIDTH, lambda event: time(event.cpu_time_total)),
        _Column("CPU time avg", WIDTH, lambda event: time(event.cpu_time)),
    ]
    if profile_memory:
        columns.append(_Column("CPU Mem", WIDTH, lambda event: format_memory(event.cpu_memory_usage)))
        columns.append(_Column("Self CPU Mem", WIDTH, lambda event: format_memory(event.self_cpu_memory_usage)))
    columns.append(_Column("# of Calls", WIDTH, lambda event: str(event.count)))
    if any(event.node_id != -1 for event in events):
        columns.append(_Column("Node ID", WIDTH, lambda event: str(event.node_id)))
    if any(event.input_shapes for event in events):
        width = _width([len(str(event.input_shapes)) for event in events], max_shapes_column_width)
        columns.append(_Column("Input Shapes", width, lambda event: str(event.input_shapes)[:width]))
    stacks = [event.stack for event in events if event.stack]
    source = 0
    if stacks:
        source = _width([max(len(line) for line in stack) for stack in stacks], max_src_column_width)
        columns.append(
            _Column("Source Location", source, lambda event: shortened_line((event.stack or [""])[0], source), left=True)
        )
    counted = [event.flops for event in events if event.flops] if with_flops else []
    if counted:
        word, scale = _flops_scale(counted)
        columns.append(_Column(f"Total {word}", WIDTH, lambda event: f"{event.flops / scale:.3f}" if event.flops else "--"))

    rule = "".join("-" * column.width + " " * GAP for column in columns)
    wide = "=" * (len(rule) - GAP)
    lines: list[str] = []
    if header is not None:
        lines += [wide, header]
    if top_level_events_only:
        lines += [wide, "This report only display top-level ops statistics"]
    lines += [rule, "".join(column.cell(column.heading) for column in columns), rule]
    shown = 0
    for event in events:
        if shown == row_limit:
            break
        if top_level_events_only and event.cpu_parent is not None:
            continue
        shown += 1
        lines.append("".join(column.cell(column.text(event)) for column in columns))
        if source:
            for line in [*(event.stack or [])[1:STACK_LINES], ""]:
                cells = [shortened_line(line, source) if column.left else "" for column in columns]
                lines.append("".join(column.cell(cell) for column, cell in zip(columns, cells, strict=True)))
    lines += [rule, f"Self CPU time total: {time(total)}"]
    return "\n".join(lines) + "\n"
