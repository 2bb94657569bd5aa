"""Files that atheris finds by what code they reach: loading under the default refuses them or gives a whole object.

    pip install atheris
    python tests/trust/guided.py /tmp/corpus -max_total_time=3600

What follows the name goes to libFuzzer: a folder that keeps what reached new code, and its options. The input is the pickle of
an archive whose checksums are right, which is what a hostile writer can do; one input in sixteen is the whole file, and
another a file of the format before PyTorch 1.6.
"""

from __future__ import annotations

import io
import sys
import time
import warnings
from pathlib import Path
from types import FunctionType, ModuleType

import atheris
from files import archive, read_safely, records_of, samples, watch

import rushlight as torch
from rushlight import storage
from rushlight.base import size
from rushlight.serialization import archive as archives
from rushlight.serialization import legacy, pickling, weights_only
from rushlight.tensors import rebuilding

RECORDS = [records_of(content) for content in samples()]
WHOLE, OLD = 240, 224  # from these first bytes on, what follows is a file


def instrument(module: ModuleType) -> None:
    """Has atheris see which code of a module runs."""
    values = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
    for value in values:
        for one in vars(value).values() if isinstance(value, type) else [value]:
            if isinstance(one, FunctionType):
                atheris.instrument_func(one)


def one_input(octets: bytes) -> None:
    if not octets:
        return
    which, rest = octets[0], octets[1:]
    records = RECORDS[which % len(RECORDS)]
    content = rest if which >= OLD else archive(records | {"data.pkl": rest})
    begun = time.process_time()
    said = read_safely(content)
    took = time.process_time() - begun
    if said not in ("refused", "whole") or took > 10:
        raise AssertionError(f"{said} in {took:.1f} s")


def in_old_format(content: bytes) -> bytes:
    """The same object as PyTorch saved it before 1.6."""
    file = io.BytesIO()
    torch.save(torch.load(io.BytesIO(content)), file, _use_new_zipfile_serialization=False)
    return file.getvalue()


def main() -> None:
    warnings.simplefilter("ignore")
    corpus = next((Path(word) for word in sys.argv[1:] if not word.startswith("-")), None)
    if corpus is not None:
        corpus.mkdir(parents=True, exist_ok=True)
        for number, records in enumerate(RECORDS):
            (corpus / f"sample-{number}").write_bytes(bytes([number]) + records["data.pkl"])
            (corpus / f"file-{number}").write_bytes(bytes([WHOLE + number]) + samples()[number])
            (corpus / f"old-{number}").write_bytes(bytes([OLD + number]) + in_old_format(samples()[number]))
    watch()
    for module in (archives, legacy, weights_only, pickling, rebuilding, size, storage):
        instrument(module)
    # By the clock more than by the processor's time, which others may have.
    atheris.Setup([sys.argv[0], "-rss_limit_mb=2048", "-timeout=300", "-max_len=4096", *sys.argv[1:]], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
