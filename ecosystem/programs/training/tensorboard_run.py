"""A run written for TensorBoard by torch.utils.tensorboard, read again by TensorBoard's own reader."""

import io
import tempfile
from pathlib import Path

import torch
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
folder = tempfile.mkdtemp()
values = torch.linspace(-1, 2, 50) ** 3
with SummaryWriter(folder, purge_step=0) as writer:
    for step in range(3):
        writer.add_scalar("loss", torch.tensor(1.0 / (step + 1)), step)
        writer.add_scalar("new", step * 0.5, step, new_style=True)
        writer.add_scalars("several", {"a": step, "b": 2 * step}, step)
    writer.add_histogram("weights", values, 1)
    writer.add_histogram("few", values, 1, max_bins=20)
    writer.add_histogram("auto", values, 1, bins="auto")
    writer.add_histogram_raw("raw", 0, 3, 4, 6, 14, [1, 2, 3], [1, 1, 2], 1)
    writer.add_tensor("tensor", torch.eye(2), 1)
    writer.add_image("picture", torch.linspace(0, 1, 48).reshape(3, 4, 4), 2)
    writer.add_image("gray", torch.linspace(0, 1, 16).reshape(4, 4), 2, dataformats="HW")
    writer.add_image("bytes", torch.arange(48, dtype=torch.uint8).reshape(4, 4, 3), 2, dataformats="HWC")
    writer.add_images("pictures", torch.linspace(0, 1, 9 * 48).reshape(9, 3, 4, 4), 2)
    writer.add_text("words", "some *words*", 3)
    writer.add_audio("sound", torch.sin(torch.arange(100.0) / 5)[None], 3, sample_rate=8000)
    writer.add_pr_curve("curve", torch.tensor([0, 1, 1, 0, 1]), torch.tensor([0.1, 0.8, 0.4, 0.6, 0.9]), 4)
    writer.add_hparams({"lr": 0.1, "name": "x", "wide": True, "none": None}, {"accuracy": 0.5}, {"lr": [0.1, 0.2]}, "hp")

for path in sorted(Path(folder).rglob("events.*")):
    name = path.parent.relative_to(folder)
    reader = EventAccumulator(str(path), {"tensors": 0, "images": 0, "audio": 0, "histograms": 0, "scalars": 0})
    reader.Reload()
    tags = reader.Tags()
    print(name, {kind: found for kind, found in tags.items() if found and kind != "run_metadata"})
    for tag in tags["scalars"]:
        print(tag, [(event.step, round(event.value, 6)) for event in reader.Scalars(tag)])
    for tag in tags["histograms"]:
        for event in reader.Histograms(tag):
            held = event.histogram_value
            print(
                tag,
                event.step,
                round(held.min, 5),
                round(held.max, 5),
                held.num,
                round(held.sum, 4),
                round(held.sum_squares, 4),
            )
            print(len(held.bucket), [round(one, 4) for one in held.bucket_limit[-5:]], held.bucket[-5:], held.bucket[:3])
    for tag in tags["images"]:
        for event in reader.Images(tag):
            picture = Image.open(io.BytesIO(event.encoded_image_string))
            print(tag, event.step, event.width, event.height, picture.mode, list(picture.tobytes()[:12]))
    for tag in tags["audio"]:
        for event in reader.Audio(tag):
            print(tag, event.step, event.sample_rate, event.length_frames, list(event.encoded_audio_string[44:60]))
    for tag in tags["tensors"]:
        for event in reader.Tensors(tag):
            proto = event.tensor_proto
            shape = [d.size for d in proto.tensor_shape.dim]
            print(tag, event.step, proto.dtype, shape, [round(v, 5) for v in proto.float_val[:6]], list(proto.string_val))
            print(reader.SummaryMetadata(tag).plugin_data.plugin_name)
