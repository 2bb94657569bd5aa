"""Runs a program on PyTorch and writes the nodes in the order in which its own log says "Executing:": names, a line each."""

import logging
import re
import runpy
import sys
import warnings


class Executed(logging.Handler):
    """Keeps the names of the nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        found = re.match(r"Executing: <(?:[\w.<>]*\.)?(\w+) object at", record.getMessage())
        if found:
            self.names.append(found[1])


if __name__ == "__main__":
    log = logging.getLogger("torch.autograd.graph")
    import torch  # noqa: F401 (sets the log up)

    handler = Executed()
    log.setLevel(logging.DEBUG)
    log.handlers[:] = [handler]
    log.propagate = False
    path, program = sys.argv[1:3]
    sys.argv[:] = [program]
    warnings.simplefilter("ignore")
    try:
        runpy.run_path(program, run_name="__main__")
    except BaseException as error:
        print(type(error).__name__, file=sys.stderr)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(name + "\n" for name in handler.names))
