"""Lets the torchvision and torchaudio of PyPI, which are built for CUDA, load beside a PyTorch that is built for the CPU.

PyPI has no builds of them for the CPU; where PyTorch's own index has, pip takes those (CONTRIBUTING.md says how), and nothing is to be
done here. Else their libraries ask for others that such a PyTorch lacks: empty ones are put beside torchvision's, with the names that
are asked for and nothing behind them, as nothing calls them without a GPU; ``run.py`` has its programs look there. It needs a C compiler
and ``nm``.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

PACKAGES = Path(sysconfig.get_path("purelib"))
BESIDE = PACKAGES / "torchvision.libs"
LACKING = ("libc10_cuda.so", "libtorch_cuda.so")


def names(kind: str, paths: list[Path]) -> set[str]:
    """The names that libraries define, or ask for (``kind`` is 'defined' or 'undefined')."""
    listed = subprocess.run(["nm", "-D", f"--{kind}-only", *map(str, paths)], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].partition("@")[0] for line in listed.splitlines() if len(line.split()) > 1}


def main() -> int:
    """Puts the libraries there where PyTorch lacks them and some library asks for them."""
    asking = [path for package in ("torchvision", "torchaudio") for path in (PACKAGES / package).rglob("*.so")]
    torch = PACKAGES / "torch" / "lib"
    if not asking or not BESIDE.exists() or (torch / LACKING[0]).exists():
        return 0
    lacking = sorted(
        one for one in names("undefined", asking) - names("defined", [*torch.glob("*.so*")]) if "cuda" in one.lower()
    )
    named = "".join(f".globl {name}\n{name}:\n" for name in lacking)
    for library in LACKING:
        source = ".data\n" + (named if library == LACKING[0] else "") + '.quad 0\n.section .note.GNU-stack,"",@progbits\n'
        command = ["cc", "-shared", "-x", "assembler", "-", "-o", str(BESIDE / library)]
        subprocess.run(command, input=source, text=True, check=True)
    for runtime in BESIDE.glob("libcudart.*.so.*"):  # it comes along under another name
        link = BESIDE / f"libcudart.so.{runtime.name.rpartition('.')[2]}"
        link.unlink(missing_ok=True)
        link.symlink_to(runtime.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
