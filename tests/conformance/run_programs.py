"""Run programs one after another, each in a process forked from this one, and write what they printed as JSON.

    python run_programs.py OUT.json PROGRAM...

For the PyTorch side: its import costs a second, and is paid once. Nothing of one program is left for the next.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import sys
import tempfile
import traceback
from pathlib import Path

import torch
import torch._decomp.decompositions_for_jvp  # PyTorch imports these when a program first needs them, at half a second: once is enough
import torch._dynamo
import torch._refs
import torch._subclasses.schema_check_mode
import torch.fx.experimental.symbolic_shapes


def exit_code(error: SystemExit) -> int:
    if error.code is None:
        return 0
    return error.code if isinstance(error.code, int) else 1


def run_here(path: str) -> int:
    sys.argv = [path]
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as error:
        return exit_code(error)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def run(path: str, stdout: Path, stderr: Path) -> dict[str, object]:
    child = os.fork()
    if child == 0:
        for stream, file in ((1, stdout), (2, stderr)):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        code = run_here(path)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    _, status = os.waitpid(child, 0)
    return {"stdout": stdout.read_text(), "stderr": stderr.read_text(), "code": os.waitstatus_to_exitcode(status)}


def main(out: str, programs: list[str]) -> None:
    torch.set_num_threads(1)
    gc.freeze()
    with tempfile.TemporaryDirectory() as folder:
        stdout, stderr = Path(folder, "stdout"), Path(folder, "stderr")
        Path(out).write_text(json.dumps({path: run(path, stdout, stderr) for path in programs}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
