"""How a DataLoader works: putting samples together, fetching them, worker processes. Libraries reach in here."""

from . import collate, fetch, pin_memory, worker
from .worker import ExceptionWrapper

MP_STATUS_CHECK_INTERVAL = 5.0  # seconds that a worker is given to end

__all__ = ["MP_STATUS_CHECK_INTERVAL", "ExceptionWrapper", "collate", "fetch", "pin_memory", "worker"]
