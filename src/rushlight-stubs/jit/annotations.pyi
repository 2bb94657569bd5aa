# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight._inner import BroadcastingListCls
from typing import Any

BroadcastingList1: BroadcastingListCls
BroadcastingList2: BroadcastingListCls
BroadcastingList3: BroadcastingListCls
Dict: Any
List: Any
Optional: Any
Tuple: Any
Union: Any
