# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight._inner import WorkerInfo
from typing import Any
from . import dataloader as dataloader
from . import dataset as dataset
from . import distributed as distributed
from . import graph as graph
from . import graph_settings as graph_settings
from . import sampler as sampler
from rushlight.utils.data.dataloader import DataLoader as DataLoader
from rushlight.utils.data.dataset import ChainDataset as ChainDataset
from rushlight.utils.data.dataset import ConcatDataset as ConcatDataset
from rushlight.utils.data.dataset import Dataset as Dataset
from rushlight.utils.data.dataset import IterableDataset as IterableDataset
from rushlight.utils.data.dataset import StackDataset as StackDataset
from rushlight.utils.data.dataset import Subset as Subset
from rushlight.utils.data.dataset import TensorDataset as TensorDataset
from rushlight.utils.data.dataset import random_split as random_split
from rushlight.utils.data.distributed import DistributedSampler as DistributedSampler
from rushlight.utils.data.sampler import BatchSampler as BatchSampler
from rushlight.utils.data.sampler import RandomSampler as RandomSampler
from rushlight.utils.data.sampler import Sampler as Sampler
from rushlight.utils.data.sampler import SequentialSampler as SequentialSampler
from rushlight.utils.data.sampler import SubsetRandomSampler as SubsetRandomSampler
from rushlight.utils.data.sampler import WeightedRandomSampler as WeightedRandomSampler

def default_collate(batch: Any) -> Any:
    """Puts samples together into a batch whose tensors have one dimension more, of the size ``len(batch)``, in front."""
    ...
def default_convert(data: Any) -> Any:
    """NumPy arrays and numbers in ``data`` as tensors (arrays share their memory), tuples as lists, the rest as it is."""
    ...
def get_worker_info() -> WorkerInfo | None:
    """Which worker process of a :class:`DataLoader` this is: its ``id`` among ``num_workers``, its ``seed``, its ``dataset``."""
    ...
