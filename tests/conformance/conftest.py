"""These tests hold rushlight against PyTorch: without PyTorch there is nothing here to collect."""

from __future__ import annotations

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["test_*.py"]
