# Written by tools/stubs.py; `make stubs` writes it anew.

cuda: str | None
debug: bool
git_version: str
hip: str | None
rocm: str | None
xpu: str | None
