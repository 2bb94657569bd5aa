"""Sentences of different lengths: a dataset, a sampler and a collate function of one's own, and worker processes."""

import random

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    Sampler,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    get_worker_info,
    random_split,
)


class Sentences(Dataset):
    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        lengths = torch.randint(2, 7, (count,), generator=generator).tolist()
        self.items = [torch.randint(1, 50, (length,), generator=generator) for length in lengths]
        self.labels = [int(item.sum() % 2) for item in self.items]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return {"words": self.items[index], "label": self.labels[index], "name": f"sentence {index}"}


class ByLength(Sampler):
    """Batches of sentences about as long as each other, in random order."""

    def __init__(self, dataset, size):
        self.dataset = dataset
        self.size = size

    def __iter__(self):
        order = sorted(range(len(self.dataset)), key=lambda i: len(self.dataset[i]["words"]))
        batches = [order[i : i + self.size] for i in range(0, len(order), self.size)]
        random.shuffle(batches)
        return iter(batches)

    def __len__(self):
        return -(-len(self.dataset) // self.size)


def padded(samples):
    words = [sample.pop("words") for sample in samples]
    batch = default_collate(samples)
    batch["words"] = pad_sequence(words, batch_first=True)
    batch["lengths"] = torch.tensor([len(each) for each in words])
    return batch


class Stream(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        for i in range(first, self.count, step):
            yield i, i / 2


class Noisy(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 3:
            raise ValueError(f"sample {index} is broken")
        return index + torch.rand(()), random.random() + np.random.rand()


def init(number):
    print("worker", number, "begins" if get_worker_info().id == number else "is mistaken", flush=True)


def main():
    random.seed(0)
    torch.manual_seed(0)
    dataset = ConcatDataset([Sentences(7, 1), Sentences(6, 2)])
    loader = DataLoader(dataset, batch_sampler=ByLength(dataset, 3), collate_fn=padded)
    print(len(dataset), len(loader), dataset.cumulative_sizes)
    for batch in loader:
        print(batch["lengths"].tolist(), batch["label"], batch["name"])
        print(batch["words"])
    try:
        next(iter(DataLoader(dataset, batch_size=4)))
    except RuntimeError as error:
        print(error)

    for workers in (0, 2):
        torch.manual_seed(1)
        loader = DataLoader(
            dataset,
            batch_size=4,
            shuffle=True,
            drop_last=True,
            num_workers=workers,
            persistent_workers=workers > 0,
            collate_fn=padded,
        )
        for epoch in range(2):
            print(epoch, [batch["words"].sum().item() for batch in loader], torch.rand(1))

    data = TensorDataset(torch.arange(12.0).reshape(6, 2), torch.tensor([0, 0, 0, 0, 0, 1]))
    weights = 1.0 / torch.bincount(data.tensors[1])[data.tensors[1]]
    sampler = WeightedRandomSampler(weights, 12, generator=torch.Generator().manual_seed(3))
    for x, y in DataLoader(data, batch_size=4, sampler=sampler, num_workers=1):
        print(x.tolist(), y.tolist())
    for part in random_split(data, [0.5, 0.3, 0.2]):
        print(type(part).__name__, [y.item() for _, y in part], default_collate(list(Subset(part, [0]))))

    for workers in (0, 3):
        print([(i.tolist(), half.tolist()) for i, half in DataLoader(Stream(8), batch_size=2, num_workers=workers)])
    loader = DataLoader(Noisy(), num_workers=1, worker_init_fn=init, generator=torch.Generator().manual_seed(5))
    try:
        for sample in loader:
            print(sample)
    except ValueError as error:
        print(str(error).splitlines()[:2], str(error).splitlines()[-1])


if __name__ == "__main__":
    main()
