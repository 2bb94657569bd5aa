"""Run programs one after another in this process, each as if alone, and write what they printed as JSON.

    python run_programs.py OUT.json PROGRAM...

For the PyTorch side, whose import costs a second: one process for all programs. Each starts from the same state:
seed, modes, default dtype, print options, warnings.
"""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
import traceback
import warnings
from pathlib import Path

import torch


def exit_code(error: SystemExit) -> int:
    if error.code is None:
        return 0
    return error.code if isinstance(error.code, int) else 1


def run(path: str) -> dict[str, object]:
    torch.manual_seed(0)
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")
    sys.argv = [path]
    printed, problem, code = io.StringIO(), "", 0
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        try:
            runpy.run_path(path, run_name="__main__")
        except SystemExit as error:
            code = exit_code(error)
        except BaseException:
            problem, code = traceback.format_exc(), 1
    return {"stdout": printed.getvalue(), "code": code, "problem": problem}


def main(out: str, programs: list[str]) -> None:
    torch.set_num_threads(1)
    Path(out).write_text(json.dumps({path: run(path) for path in programs}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
