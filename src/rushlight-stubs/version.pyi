# Written by tools/stubs.py; `make stubs` writes it anew.

__version__: str
cuda: None
debug: bool
git_version: str
hip: None
rocm: None
rushlight: str
xpu: None
