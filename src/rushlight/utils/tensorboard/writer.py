"""SummaryWriter: a run's numbers, pictures and texts, written to files that TensorBoard shows."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from . import summaries

Values = summaries.Values


class FileWriter:
    """Writes summaries to one file of events."""

    def __init__(
        self, log_dir: str | os.PathLike[str], max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = ""
    ) -> None:
        self.event_writer = EventFileWriter(os.fspath(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """Where the file lies."""
        return self.event_writer.get_logdir()  # type: ignore[no-any-return]

    def add_event(self, event: Event, step: int | None = None, walltime: float | None = None) -> None:
        """Writes an event, with its time and step."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Summary, global_step: int | None = None, walltime: float | None = None) -> None:
        """Writes a summary."""
        self.add_event(Event(summary=summary), global_step, walltime)

    def flush(self) -> None:
        """Writes what waits."""
        self.event_writer.flush()

    def close(self) -> None:
        """Ends the file."""
        self.event_writer.close()


class SummaryWriter:
    """Writes a run for TensorBoard, into ``log_dir`` or a folder of its own under ``runs``.

    Steps may be given as ``global_step`` and times as ``walltime``, in seconds; without them a summary has step 0 and now.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir, self.purge_step = log_dir, purge_step
        self._options = (max_queue, flush_secs, filename_suffix)
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        if self.all_writers is None or self.file_writer is None:
            self.file_writer = FileWriter(self.log_dir, *self._options)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                self.file_writer.add_event(Event(step=self.purge_step, file_version="brain.Event:2"))
                self.file_writer.add_event(Event(step=self.purge_step, session_log=SessionLog(status=SessionLog.START)))
                self.purge_step = None
        return self.file_writer

    def get_logdir(self) -> str | os.PathLike[str]:
        """Where the files lie."""
        return self.log_dir

    def _write(self, summary: Summary, step: int | None, walltime: float | None) -> None:
        self._get_file_writer().add_summary(summary, step, walltime)

    def add_scalar(
        self,
        tag: str,
        scalar_value: Values,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """A number."""
        made = summaries.scalar_in_new_style if new_style else summaries.scalar
        self._write(made(tag, scalar_value), global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Values],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Several numbers for one chart, each in a folder of its own."""
        now = time.time() if walltime is None else walltime
        base = self._get_file_writer().get_logdir()
        for tag, value in tag_scalar_dict.items():
            folder = f"{base}/{main_tag.replace('/', '_')}_{tag}"
            writers = self.all_writers
            assert writers is not None
            if folder not in writers:
                writers[folder] = FileWriter(folder, *self._options)
            writers[folder].add_summary(summaries.scalar(main_tag, value), global_step, now)

    def add_tensor(self, tag: str, tensor: Values, global_step: int | None = None, walltime: float | None = None) -> None:
        """A tensor as it is."""
        self._write(summaries.tensor(tag, tensor), global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Values,
        global_step: int | None = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """How numbers are distributed."""
        self._write(summaries.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: int,
        sum: float,
        sum_squares: float,
        bucket_limits: Sequence[float],
        bucket_counts: Sequence[float],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """A histogram that is already counted."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        summary = summaries.raw_histogram(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._write(summary, global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Values,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """A picture (channels, height, width), or in the order that ``dataformats`` says. Needs Pillow."""
        self._write(summaries.image(tag, img_tensor, layout=dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Values,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Pictures in a grid."""
        self._write(summaries.image(tag, img_tensor, layout=dataformats), global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: int | None = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """A figure of Matplotlib's, or several of one size."""
        figures = figure if isinstance(figure, list) else [figure]
        pictures = []
        for each in figures:
            each.canvas.draw()
            pictures.append(summaries.as_array(each.canvas.buffer_rgba())[..., :3])
            if close:
                each.clear()
        self._write(summaries.image(tag, pictures, layout="NHWC"), global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Values,
        global_step: int | None = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """A sound."""
        self._write(summaries.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_text(self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None) -> None:
        """A text."""
        self._write(summaries.text(tag, text_string), global_step, walltime)

    def add_pr_curve(
        self,
        tag: str,
        labels: Values,
        predictions: Values,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Values = None,
        walltime: float | None = None,
    ) -> None:
        """How precision and recall go with the threshold."""
        self._write(summaries.precision_and_recall(tag, labels, predictions, num_thresholds, weights), global_step, walltime)

    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Values],
        hparam_domain_discrete: Mapping[str, Sequence[Any]] | None = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """What a run was made with and what came of it, as a run in a folder of its own."""
        if not isinstance(hparam_dict, dict) or not isinstance(metric_dict, dict):
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(log_dir=folder) as writer:
            for summary in summaries.hyperparameters(hparam_dict, metric_dict, hparam_domain_discrete):
                writer._write(summary, global_step, None)
            for name, value in metric_dict.items():
                writer.add_scalar(name, value, global_step)

    def add_graph(self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True) -> None:
        """NotImplementedError: TensorBoard shows graphs of TorchScript, of which there are none here."""
        raise NotImplementedError("rushlight makes no graphs of TorchScript; rushlight.explain shows what backward does")

    def flush(self) -> None:
        """Writes what waits."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Ends all files; what is added later begins a new one."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
