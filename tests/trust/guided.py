"""Files that atheris finds by what code they reach: loading under the default refuses them or gives a whole object.

    pip install atheris
    python tests/trust/guided.py /tmp/corpus -max_total_time=3600

What follows the name goes to libFuzzer: a folder that keeps what reached new code, and its options. The input is the pickle of
an archive whose checksums are right, which is what a hostile writer can do; one input in sixteen is the whole file.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import FunctionType, ModuleType

import atheris
from files import archive, read_safely, records_of, samples, watch

from rushlight import _utils, size, storage
from rushlight.serialization import archive as archives
from rushlight.serialization import pickling, weights_only

RECORDS = [records_of(content) for content in samples()]


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
    content = rest if which >= 240 else archive(records | {"data.pkl": rest})
    said = read_safely(content)
    if said not in ("refused", "whole"):
        raise AssertionError(said)


def main() -> None:
    warnings.simplefilter("ignore")
    corpus = next((Path(word) for word in sys.argv[1:] if not word.startswith("-")), None)
    if corpus is not None:
        corpus.mkdir(parents=True, exist_ok=True)
        for number, records in enumerate(RECORDS):
            (corpus / f"sample-{number}").write_bytes(bytes([number]) + records["data.pkl"])
            (corpus / f"file-{number}").write_bytes(bytes([240 + number]) + samples()[number])
    watch()
    for module in (archives, weights_only, pickling, _utils, size, storage):
        instrument(module)
    atheris.Setup([*sys.argv, "-rss_limit_mb=2048", "-timeout=20", "-max_len=4096"], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
