# Written by tools/stubs.py; `make stubs` writes it anew.


