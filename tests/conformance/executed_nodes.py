"""Runs programs on PyTorch, and writes the nodes in the order in which they ran, as JSON: by program {"log": names, "ran": names}.

The names stand by the name of the thread that ran them.

    python executed_nodes.py OUT.json PROGRAM...

``log`` is PyTorch's own log, which says "Executing:". It fails where a root needs no gradient, before PyTorch has said so itself,
and leaves out what it does not keep alive: the sink of a leaf that is a root. ``ran`` has these too: the same hooks, on nodes that are kept.
Each program runs in a process forked from this one: PyTorch is imported once.
"""

import gc
import json
import logging
import os
import re
import runpy
import sys
import tempfile
import threading
import warnings
from collections import defaultdict
from pathlib import Path

import torch
import torch._decomp.decompositions_for_jvp  # PyTorch imports these when a program first needs them, at half a second: once is enough
import torch._dynamo
import torch._refs
import torch._subclasses.schema_check_mode
import torch.fx.experimental.symbolic_shapes
from torch.autograd import graph


class Executed(logging.Handler):
    """Keeps the names of the nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.log: defaultdict[str, list[str]] = defaultdict(list)
        self.ran: defaultdict[str, list[str]] = defaultdict(list)
        self.by_pytorch = graph._register_logging_hooks_on_whole_graph
        graph._register_logging_hooks_on_whole_graph = self.hooked

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        found = re.match(r"Executing: <(?:[\w.<>]*\.)?(\w+) object at", text)
        if found and not re.search(r"with grad_outputs: \[None(,None)*\]$", text):  # nothing arrives there
            self.log[record.threadName].append(found[1])

    def hooked(self, roots):
        """Hooks on all nodes below the roots; gives back what takes them off."""
        nodes = {}
        waiting = [found for one in roots if (found := sink_of(one)) is not None]
        while waiting:
            node = waiting.pop()
            if node not in nodes:
                nodes[node] = node.register_prehook(self.noting(node))
                waiting += [below for below, _ in node.next_functions if below is not None]
        try:
            unhook = self.by_pytorch(roots)
        except Exception:  # and so would the program, if it were not caught here
            unhook = list

        def off():
            unhook()
            for handle in nodes.values():
                handle.remove()

        return off

    def noting(self, node):
        name = node.name().rpartition("::")[2]

        def prehook(arrived):
            if any(one is not None for one in arrived):
                self.ran[threading.current_thread().name].append(name)

        return prehook


def sink_of(root):
    """The node that a pass begins at; None where it will be an error to begin there."""
    if isinstance(root, graph.GradientEdge):
        return root.node
    if root.grad_fn is not None or not root.requires_grad:
        return root.grad_fn
    return graph.get_gradient_edge(root).node


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
        handler.log["MainThread"].append(f"({type(error).__name__})")
        handler.ran["MainThread"].append(f"({type(error).__name__})")
    out.write_text(json.dumps({"log": handler.log, "ran": handler.ran}))


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
            found[program] = json.loads(names.read_text()) if names.exists() else {"log": {}, "ran": {}}
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
