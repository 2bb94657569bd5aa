"""Runs programs on PyTorch, and writes the nodes in the order in which its own log says "Executing:", as JSON: names by program.

    python executed_nodes.py OUT.json PROGRAM...

Each runs in a process forked from this one: PyTorch is imported once.
"""

import gc
import json
import logging
import os
import re
import runpy
import sys
import tempfile
import warnings
from pathlib import Path

import torch
import torch._refs  # PyTorch imports these when a program first needs them, at half a second: once for all is enough
import torch.fx.experimental.symbolic_shapes


class Executed(logging.Handler):
    """Keeps the names of the nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        found = re.match(r"Executing: <(?:[\w.<>]*\.)?(\w+) object at", text)
        if found and not re.search(r"with grad_outputs: \[None(,None)*\]$", text):  # nothing arrives there
            self.names.append(found[1])


def run_here(program: str, out: Path) -> None:
    """In a process of its own: what the program prints goes nowhere."""
    log, handler = logging.getLogger("torch.autograd.graph"), Executed()
    log.setLevel(logging.DEBUG)
    log.handlers[:] = [handler]
    log.propagate = False
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    sys.argv[:] = [program]
    warnings.simplefilter("ignore")
    try:
        runpy.run_path(program, run_name="__main__")
    except BaseException as error:
        handler.names.append(f"({type(error).__name__})")
    out.write_text(json.dumps(handler.names))


def main(out: str, programs: list[str]) -> None:
    torch.set_num_threads(1)
    gc.freeze()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            names = Path(folder, "names.json")
            names.unlink(missing_ok=True)
            child = os.fork()
            if child == 0:
                run_here(program, names)
                os._exit(0)
            os.waitpid(child, 0)
            found[program] = json.loads(names.read_text()) if names.exists() else []
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
