"""torch.utils.data beside PyTorch's: batches, orders, what is drawn from which generator and when, and what errors say."""

from __future__ import annotations

import collections
import random
import re
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import rushlight
import rushlight.utils.data

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The given NumPy array is not writable"),
]

SIDES = (rushlight, torch)
Point = collections.namedtuple("Point", "x y")


class Row(list):
    """Of a class of its own."""


class Pair(collections.abc.Sequence):
    """Without methods that change it."""

    def __init__(self, values: Any) -> None:
        self.values = list(values)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __len__(self) -> int:
        return len(self.values)


def plain(value: Any) -> Any:
    """A value without what belongs to a side."""
    if isinstance(value, (rushlight.Tensor, torch.Tensor)):
        return (
            "tensor",
            str(value.dtype),
            tuple(value.shape),
            tuple(value.stride()),
            value.detach().tolist(),
            value.requires_grad,
        )
    if isinstance(value, dict):
        return type(value).__name__, {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, Pair)):
        return type(value).__name__, [plain(one) for one in value]
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.tolist()
    return type(value).__name__, value


def first_words(error: BaseException) -> str:
    """Type and text of an error, without the frames of a worker's traceback, addresses and process numbers."""
    text = re.sub(r"\n .*", "", str(error))
    text = re.sub(r"0x[0-9a-f]+|pid(\(s\))? [\d, ]+", "#", text)
    cause = f" from {first_words(error.__cause__)}" if isinstance(error.__cause__, RuntimeError) else ""
    return f"{type(error).__name__}: {text}{cause}"


def outcome(side: types.ModuleType, case: Callable[[Any, Any], Any]) -> Any:
    """What a case gives, or raises, the warnings on the way, and the numbers that come next."""
    side.manual_seed(3)
    random.seed(4)
    np.random.seed(5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = plain(case(side, side.utils.data))
        except Exception as error:
            result = first_words(error)
    said = [(one.category, re.sub("0x[0-9a-f]+", "#", str(one.message))) for one in caught]
    said = [one for one in said if "multi-threaded" not in one[1]]
    return result, said, side.rand(3).tolist(), random.random(), np.random.rand()


def agree(case: Callable[[Any, Any], Any]) -> Any:
    ours, theirs = (outcome(side, case) for side in SIDES)
    assert ours == theirs
    return ours


# Collation.

BATCHES: dict[str, Callable[[Any], Any]] = {
    "ints": lambda torch: [1, 2],
    "bools": lambda torch: [True, False],
    "floats": lambda torch: [1.5, 2],
    "int_first": lambda torch: [1, 2.5],
    "text": lambda torch: ["a", "b"],
    "bytes": lambda torch: [b"a"],
    "none": lambda torch: [None],
    "complex": lambda torch: [1j],
    "large_int": lambda torch: [2**70],
    "tensors": lambda torch: [torch.zeros(2), torch.ones(2)],
    "scalars": lambda torch: [torch.tensor(1), torch.tensor(2)],
    "with_gradients": lambda torch: [torch.ones(2, requires_grad=True)] * 2,
    "of_other_shape": lambda torch: [torch.zeros(2), torch.zeros(3)],
    "of_other_dtype": lambda torch: [torch.zeros(2), torch.zeros(2, dtype=torch.int64)],
    "transposed": lambda torch: [torch.arange(6.0).reshape(2, 3).T] * 2,
    "halves": lambda torch: [torch.ones(2, dtype=torch.bfloat16)] * 2,
    "without_elements": lambda torch: [torch.zeros(0)] * 2,
    "parameters": lambda torch: [torch.nn.Parameter(torch.ones(2))] * 2,
    "arrays": lambda torch: [np.zeros(2), np.ones(2)],
    "arrays_of_other_shape": lambda torch: [np.zeros(2), np.ones(3)],
    "arrays_of_other_dtype": lambda torch: [np.zeros(2, np.float32), np.ones(2)],
    "array_of_text": lambda torch: [np.array(["a"])],
    "array_of_objects": lambda torch: [np.array([None])],
    "array_of_dates": lambda torch: [np.array(["2020-01-01"], "M8[D]")],
    "array_backwards": lambda torch: [np.arange(3)[::-1]],
    "array_in_columns": lambda torch: [np.asfortranarray(np.arange(6.0).reshape(2, 3))] * 2,
    "array_scalars": lambda torch: [np.float32(1), np.float64(2)],
    "array_ints": lambda torch: [np.int8(1), np.int8(2)],
    "array_strings": lambda torch: [np.str_("a")],
    "tuples": lambda torch: [(1, 2.0), (3, 4.0)],
    "lists": lambda torch: [[1, "a"], [2, "b"]],
    "uneven": lambda torch: [[1], [1, 2]],
    "empty_lists": lambda torch: [[], []],
    "named": lambda torch: [Point(1, "a"), Point(2, "b")],
    "dicts": lambda torch: [{"a": 1, "b": {"c": [1.0]}}, {"a": 2, "b": {"c": [2.0]}}],
    "missing_key": lambda torch: [{"a": 1}, {"b": 1}],
    "ordered": lambda torch: [collections.OrderedDict(a=1)],
    "default": lambda torch: [collections.defaultdict(int, a=1)],
    "own_list": lambda torch: [Row([1, 2]), Row([3, 4])],
    "own_sequence": lambda torch: [Pair([1, "a"]), Pair([2, "b"])],
    "ranges": lambda torch: [range(2), range(2, 4)],
    "sets": lambda torch: [{1}],
    "nothing": lambda torch: [],
    "number": lambda torch: 3,
    "tensor_first": lambda torch: [torch.zeros(1), 1],
}


@pytest.mark.parametrize("batch", BATCHES.values(), ids=list(BATCHES))
def test_default_collate(batch: Callable[[Any], Any]) -> None:
    agree(lambda torch, data: data.default_collate(batch(torch)))


@pytest.mark.parametrize("batch", BATCHES.values(), ids=list(BATCHES))
def test_default_convert(batch: Callable[[Any], Any]) -> None:
    agree(lambda torch, data: data.default_convert(batch(torch)))


def counted(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return "counted", len(batch), sorted(map(str, collate_fn_map))


@pytest.mark.parametrize("types_counted", [int, (int, float), list, str], ids=str)
@pytest.mark.parametrize("batch", [[1, True], [True], [(1, 2.5), (3, 4.5)], [{"a": [1]}, {"a": [2]}], [None]], ids=str)
def test_collate_by_a_table(types_counted: Any, batch: Any) -> None:
    agree(lambda torch, data: data._utils.collate.collate(batch, collate_fn_map={types_counted: counted}))


# Datasets.


def iterable(data: Any, *values: int, length: int | None = None) -> Any:
    class Values(data.IterableDataset):
        def __iter__(self) -> Iterator[int]:
            return iter(values)

    class Sized(Values):
        def __len__(self) -> int:
            return length

    return Values() if length is None else Sized()


def together(data: Any, answer: Callable[[list[int]], Any] | None) -> Any:
    class Together(data.Dataset):
        def __len__(self) -> int:
            return 4

        def __getitem__(self, index: int) -> int:
            return index

    Together.__getitems__ = None if answer is None else lambda self, indices: answer(indices)
    return Together()


DATASETS: dict[str, Callable[[Any, Any], Any]] = {
    "dataset": lambda torch, data: data.Dataset()[0],
    "dataset_len": lambda torch, data: len(data.Dataset()),
    "dataset_of": lambda torch, data: data.Dataset[int]()[0],
    "iterable": lambda torch, data: data.IterableDataset(),
    "iterable_index": lambda torch, data: iterable(data, 1)[0],
    "tensors": lambda torch, data: [data.TensorDataset(torch.arange(4), torch.ones(4, 2))[i] for i in (0, -1, [1, 2])],
    "tensors_sizes": lambda torch, data: data.TensorDataset(torch.zeros(2), torch.zeros(3)),
    "tensors_scalar": lambda torch, data: data.TensorDataset(torch.zeros(())),
    "tensors_beyond": lambda torch, data: data.TensorDataset(torch.zeros(2))[2],
    "tensors_list": lambda torch, data: data.TensorDataset([1]),
    "tensors_none": lambda torch, data: data.TensorDataset().tensors,
    "stack": lambda torch, data: (data.StackDataset([1, 2], [3, 4])[1], data.StackDataset(a=[1, 2], b=[3, 4])[1]),
    "stack_many": lambda torch, data: data.StackDataset(a=[1, 2], b=[3, 4]).__getitems__([0, 1]),
    "stack_none": lambda torch, data: data.StackDataset(),
    "stack_both": lambda torch, data: data.StackDataset([1], a=[1]),
    "stack_sizes": lambda torch, data: data.StackDataset(a=[1], b=[1, 2]),
    "stack_together": lambda torch, data: data.StackDataset(together(data, lambda i: [10 * j for j in i])).__getitems__([2, 3]),
    "stack_too_few": lambda torch, data: data.StackDataset(together(data, lambda i: i[1:])).__getitems__([2, 3]),
    "stack_one_by_one": lambda torch, data: data.StackDataset(together(data, None)).__getitems__([2, 3]),
    "subset": lambda torch, data: (data.Subset("abc", [2, 0])[0], data.Subset("abc", [2, 0]).__getitems__([1, 0])),
    "subset_many": lambda torch, data: data.Subset(data.TensorDataset(torch.arange(5)), [4, 3])[[1, 0]],
    "subset_beyond": lambda torch, data: data.Subset("abc", [2, 0])[2],
    "concat": lambda torch, data: [data.ConcatDataset(["ab", "c"])[i] for i in range(-3, 3)],
    "concat_before": lambda torch, data: data.ConcatDataset(["ab", "c"])[-4],
    "concat_beyond": lambda torch, data: data.ConcatDataset(["ab", "c"])[3],
    "concat_none": lambda torch, data: data.ConcatDataset([]),
    "concat_iterable": lambda torch, data: data.ConcatDataset([iterable(data, 1)]),
    "concat_sizes": lambda torch, data: data.ConcatDataset(iter(["ab", "c"])).cumulative_sizes,
    "concat_old": lambda torch, data: data.ConcatDataset(["ab", "c"]).cummulative_sizes,
    "add": lambda torch, data: list(data.Subset("abc", [0]) + data.Subset("abc", [1, 2])),
    "chain": lambda torch, data: list(iterable(data, 1, 2) + iterable(data, 3)),
    "chain_len": lambda torch, data: len(iterable(data, 1, length=1) + iterable(data, 2, length=5)),
    "chain_other": lambda torch, data: list(data.ChainDataset(["ab"])),
}


@pytest.mark.parametrize("case", DATASETS.values(), ids=list(DATASETS))
def test_datasets(case: Callable[[Any, Any], Any]) -> None:
    agree(case)


@pytest.mark.parametrize(
    ("size", "lengths"),
    [
        (10, [3, 7]), (10, (0.3, 0.7)), (10, [0.33, 0.33, 0.34]), (7, [1 / 3] * 3), (3, [0.5, 0.5]), (1, [0.1, 0.9]), (0, [0.5, 0.5]),
        (10, [0, 10]), (10, [1]), (10, [1, 0]), (10, [1.0]), (5, []), (0, []), (3, [1, 1]), (3, [0.5, 0.6]), (3, [1.5, -0.5]),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("own", [False, True], ids=["default_generator", "own_generator"])
def test_random_split(size: int, lengths: Any, own: bool) -> None:
    def split(torch: Any, data: Any) -> Any:
        generator = torch.Generator().manual_seed(8)
        parts = data.random_split(range(size), lengths, **({"generator": generator} if own else {}))
        return [part.indices for part in parts], generator.get_state()

    agree(split)


# Orders, and what is drawn for them.


def step_by_step(torch: Any, generator: Any, made: Any) -> Any:
    """What comes, and the state of both generators after each."""
    steps, items = [], iter(made)
    while True:
        item = next(items, "end")
        steps.append((item, torch.get_rng_state(), generator.get_state()))
        if isinstance(item, str):
            return steps


SAMPLERS: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "sequential": lambda data, drawn: data.SequentialSampler(range(4)),
    "random": lambda data, drawn: data.RandomSampler(range(10), **drawn),
    "random_few": lambda data, drawn: data.RandomSampler(range(10), num_samples=4, **drawn),
    "random_many": lambda data, drawn: data.RandomSampler(range(10), num_samples=25, **drawn),
    "random_twice": lambda data, drawn: data.RandomSampler(range(10), num_samples=20, **drawn),
    "replacement": lambda data, drawn: data.RandomSampler(range(10), True, **drawn),
    "replacement_32": lambda data, drawn: data.RandomSampler(range(10), True, 32, **drawn),
    "replacement_70": lambda data, drawn: data.RandomSampler(range(10), True, 70, **drawn),
    "subset": lambda data, drawn: data.SubsetRandomSampler([3, 1, 4, 1, 5], **drawn),
    "weighted": lambda data, drawn: data.WeightedRandomSampler([0.1, 0.2, 0.7], 8, **drawn),
    "weighted_once": lambda data, drawn: data.WeightedRandomSampler([1, 2, 3, 4], 3, False, **drawn),
    "weighted_by_array": lambda data, drawn: data.WeightedRandomSampler(np.arange(5), 6, **drawn),
    "batches": lambda data, drawn: data.BatchSampler(data.RandomSampler(range(10), **drawn), 3, False),
    "batches_even": lambda data, drawn: data.BatchSampler(data.RandomSampler(range(10), **drawn), 5, False),
    "batches_whole": lambda data, drawn: data.BatchSampler(data.RandomSampler(range(10), **drawn), 3, True),
    "batches_one": lambda data, drawn: data.BatchSampler(range(3), 10, True),
    "loader": lambda data, drawn: data.DataLoader(range(10), shuffle=True, **drawn),
    "loader_in_order": lambda data, drawn: data.DataLoader(range(10), 3, **drawn),
    "loader_batches": lambda data, drawn: data.DataLoader(range(10), 3, shuffle=True, **drawn),
    "loader_even": lambda data, drawn: data.DataLoader(range(10), 5, shuffle=True, **drawn),
    "loader_whole": lambda data, drawn: data.DataLoader(range(10), 4, shuffle=True, drop_last=True, **drawn),
    "loader_samples": lambda data, drawn: data.DataLoader(range(10), None, shuffle=True, **drawn),
    "loader_of_sampler": lambda data, drawn: data.DataLoader(range(10), 4, sampler=data.SubsetRandomSampler(range(7), **drawn)),
    "workers": lambda data, drawn: data.DataLoader(range(20), 3, shuffle=True, num_workers=2, **drawn),
    "workers_one_ahead": lambda data, drawn: data.DataLoader(
        range(20), 2, sampler=data.RandomSampler(range(10), True, 40, **drawn), num_workers=1, prefetch_factor=1
    ),
}


@pytest.mark.parametrize("make", SAMPLERS.values(), ids=list(SAMPLERS))
@pytest.mark.parametrize("own", [False, True], ids=["default_generator", "own_generator"])
def test_orders(make: Callable[[Any, dict[str, Any]], Any], own: bool) -> None:
    def case(torch: Any, data: Any) -> Any:
        generator = torch.Generator().manual_seed(8)
        made = make(data, {"generator": generator} if own else {})
        return len(made), step_by_step(torch, generator, made), step_by_step(torch, generator, made)

    agree(case)


@pytest.mark.parametrize("options", [{}, {"shuffle": False}, {"drop_last": True}, {"seed": 7}], ids=str)
@pytest.mark.parametrize(("size", "replicas"), [(10, 3), (9, 3), (2, 5), (1, 1)])
def test_replicas(size: int, replicas: int, options: dict[str, Any]) -> None:
    def case(torch: Any, data: Any) -> Any:
        made = [data.DistributedSampler(range(size), replicas, rank, **options) for rank in range(replicas)]
        first = [list(sampler) for sampler in made]
        for sampler in made:
            sampler.set_epoch(2)
        return first, [list(sampler) for sampler in made], [(len(one), one.num_samples, one.total_size) for one in made]

    agree(case)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "random_replacement": lambda data: data.RandomSampler(range(3), replacement=1),
    "random_none": lambda data: data.RandomSampler(range(3), num_samples=0),
    "random_float": lambda data: data.RandomSampler(range(3), num_samples=2.0),
    "random_empty": lambda data: data.RandomSampler([]),
    "random_of_nothing": lambda data: list(data.RandomSampler([], num_samples=2)),
    "random_without_length": lambda data: data.RandomSampler(iter([])),
    "weighted_none": lambda data: data.WeightedRandomSampler([1.0], 0),
    "weighted_true": lambda data: data.WeightedRandomSampler([1.0], True),
    "weighted_replacement": lambda data: data.WeightedRandomSampler([1.0], 1, 1),
    "weighted_table": lambda data: data.WeightedRandomSampler([[1.0]], 1),
    "weighted_negative": lambda data: list(data.WeightedRandomSampler([-1.0, 2.0], 1)),
    "weighted_too_many": lambda data: list(data.WeightedRandomSampler([1.0], 2, False)),
    "batch_size": lambda data: data.BatchSampler(range(3), 0, False),
    "batch_size_true": lambda data: data.BatchSampler(range(3), True, False),
    "batch_last": lambda data: data.BatchSampler(range(3), 1, 1),
    "batch_length": lambda data: len(data.BatchSampler(iter([1]), 1, False)),
    "rank": lambda data: data.DistributedSampler(range(3), 2, 2),
    "no_group": lambda data: data.DistributedSampler(range(3)),
    "sampler": lambda data: list(data.Sampler()),
    "sampler_source": lambda data: data.Sampler([1]),
    "sampler_length": lambda data: len(data.Sampler()),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=list(REFUSED))
def test_what_samplers_refuse(case: Callable[[Any], Any]) -> None:
    agree(lambda torch, data: case(data))


# Loaders.

OPTIONS: list[dict[str, Any]] = [
    {"num_workers": -1}, {"timeout": -1}, {"prefetch_factor": 2}, {"num_workers": 1, "prefetch_factor": -1},
    {"persistent_workers": True}, {"batch_size": 0}, {"batch_size": 2.5}, {"batch_size": "3"}, {"drop_last": 1},
    {"shuffle": True, "sampler": [1]}, {"sampler": [1]}, {"batch_sampler": [[1]], "batch_size": 2}, {"shuffle": True},
    {"batch_sampler": [[1]], "shuffle": True}, {"batch_sampler": [[1]], "sampler": [1]}, {"batch_sampler": [[1], [0, 2]]},
    {"batch_size": None, "drop_last": True}, {"batch_size": None}, {"multiprocessing_context": "fork"}, {"shuffle": False},
    {"num_workers": 1, "multiprocessing_context": "foo"}, {"num_workers": 1, "multiprocessing_context": 3}, {"num_workers": "1"},
    {"num_workers": 5000}, {"timeout": 3}, {"pin_memory": True}, {"foo": 1}, {"in_order": False},
    {"batch_size": 2, "drop_last": True}, {"collate_fn": 3},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", ["by_number", "one_by_one"])
def test_options(kind: str, options: dict[str, Any]) -> None:
    def case(torch: Any, data: Any) -> Any:
        dataset = data.TensorDataset(torch.arange(5)) if kind == "by_number" else iterable(data, 4, 5, 6)
        loader = data.DataLoader(dataset, **options)
        seen = [type(loader.sampler).__name__, type(loader.batch_sampler).__name__, loader.collate_fn.__name__]
        values = {name: value for name, value in vars(loader).items() if isinstance(value, (int, float, str, type(None)))}
        return (seen, values) if options.get("num_workers") == 5000 else (seen, values, list(loader))

    agree(case)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of PyTorch's, whose pass is half made
def test_nothing_ahead() -> None:
    agree(lambda torch, data: list(data.DataLoader([1], num_workers=1, prefetch_factor=0)))


@pytest.mark.parametrize("name", "batch_size batch_sampler sampler drop_last dataset persistent_workers".split())
def test_what_stays(name: str) -> None:
    agree(lambda torch, data: setattr(data.DataLoader(range(3)), name, 3))


LOADERS: dict[str, Callable[[Any, Any], Any]] = {
    "list": lambda torch, data: list(data.DataLoader([1.5, 2.5, 3.5], 2)),
    "dict": lambda torch, data: list(data.DataLoader({0: "a", 1: "b"})),
    "samples": lambda torch, data: list(data.DataLoader([1, 2.5, "a", np.arange(2), (1, np.float32(2))], None)),
    "empty": lambda torch, data: list(data.DataLoader([])),
    "empty_shuffled": lambda torch, data: list(data.DataLoader([], shuffle=True)),
    "no_length": lambda torch, data: list(data.DataLoader(data.Dataset())),
    "number": lambda torch, data: list(data.DataLoader(3)),
    "one_by_one": lambda torch, data: list(data.DataLoader(iterable(data, 1, 2, 3, 4, 5), 2)),
    "one_by_one_whole": lambda torch, data: list(data.DataLoader(iterable(data, 1, 2, 3, 4, 5), 2, drop_last=True)),
    "lengths": lambda torch, data: [
        len(data.DataLoader(iterable(data, length=5), 2)),
        len(data.DataLoader(iterable(data, length=5), 2, drop_last=True)),
        len(data.DataLoader(iterable(data, length=5), None)),
        len(iter(data.DataLoader(range(5), 2))),
    ],
    "no_length_one_by_one": lambda torch, data: len(data.DataLoader(iterable(data, 1))),
    "longer_than_said": lambda torch, data: (
        lambda loader: (len(loader), list(loader))  # only who asked for the length is warned
    )(data.DataLoader(iterable(data, 1, 2, length=1))),
    "together": lambda torch, data: list(data.DataLoader(together(data, lambda i: [10 * j for j in i]), 3)),
    "together_not": lambda torch, data: list(data.DataLoader(together(data, None), 3)),
    "gradients": lambda torch, data: list(data.DataLoader(data.TensorDataset(torch.ones(3, requires_grad=True)), 2)),
    "context": lambda torch, data: (
        type(data.DataLoader([1], num_workers=1, multiprocessing_context="fork").multiprocessing_context)
        is type(data.DataLoader([1], num_workers=1, multiprocessing_context="fork").multiprocessing_context)
    ),
    "pickled_pass": lambda torch, data: iter(data.DataLoader([1])).__getstate__(),
}


@pytest.mark.parametrize("case", LOADERS.values(), ids=list(LOADERS))
def test_loaders(case: Callable[[Any, Any], Any]) -> None:
    agree(case)


# Workers.


def calls(data: Any, function: Callable[[int], Any], size: int = 4) -> Any:
    class Calls(data.Dataset):
        def __len__(self) -> int:
            return size

        def __getitem__(self, index: int) -> Any:
            return function(index)

    return Calls()


def shares(data: Any, lengths: tuple[int, ...]) -> Any:
    class Shares(data.IterableDataset):
        def __iter__(self) -> Iterator[int]:
            number = data.get_worker_info().id
            return iter(range(100 * number, 100 * number + lengths[number]))

    return Shares()


def as_it_is(batch: Any) -> Any:
    return batch


@pytest.mark.parametrize("persistent", [False, True], ids=["new_workers", "persistent_workers"])
@pytest.mark.parametrize("own", [False, True], ids=["default_generator", "own_generator"])
def test_what_workers_draw(own: bool, persistent: bool) -> None:
    def case(torch: Any, data: Any) -> Any:
        def drawn(index: int) -> Any:
            worker = data.get_worker_info()
            numbers = torch.rand(2).tolist(), random.random(), np.random.rand(), torch.initial_seed(), torch.get_num_threads()
            return index, worker.id, worker.num_workers, worker.seed, type(worker.dataset).__name__, numbers

        generator = torch.Generator().manual_seed(8) if own else None
        loader = data.DataLoader(
            calls(data, drawn), None, num_workers=2, generator=generator, collate_fn=as_it_is, persistent_workers=persistent
        )
        return list(loader), list(loader), data.get_worker_info()

    agree(case)


@pytest.mark.parametrize("lengths", [(3, 3), (1, 5), (5, 1), (0, 4), (0, 0), (4, 1, 2)], ids=str)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_size": 2},
        {"batch_size": 2, "drop_last": True},
        {"batch_size": None, "prefetch_factor": 1},
        {"persistent_workers": True},
    ],
    ids=str,
)
def test_whose_turn_it_is(lengths: tuple[int, ...], options: dict[str, Any]) -> None:
    def case(torch: Any, data: Any) -> Any:
        loader = data.DataLoader(shares(data, lengths), num_workers=len(lengths), **options)
        return list(loader), list(loader)

    agree(case)


class Odd(Exception):
    def __init__(self, first: int, second: int) -> None:
        super().__init__(first, second)


class Telling(Exception):
    message = "of the class"

    def __init__(self, message: str = "") -> None:
        super().__init__("told: " + message)


ERRORS = [
    ValueError("no"), KeyError("key"), KeyError(3), Odd(1, 2), Telling("x"), StopIteration(), IndexError(), FileNotFoundError(2, "no"),
    RuntimeError("a", "b"), UnicodeDecodeError("utf8", b"a", 0, 1, "why"), AssertionError(),
]  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("workers", [0, 2])
def test_errors_of_samples(error: Exception, workers: int) -> None:
    def case(torch: Any, data: Any) -> Any:
        def fails(index: int) -> int:
            if index == 1:
                raise error
            return index

        said, batches = [], iter(data.DataLoader(calls(data, fails), None, num_workers=workers))
        for _ in range(6):
            try:
                said.append(next(batches, "end"))
            except Exception as raised:
                said.append(first_words(raised))
        return said

    agree(case)


def end(how: str) -> None:
    import os
    import signal

    os.kill(os.getpid(), signal.SIGKILL) if how == "killed" else os._exit(3)


@pytest.mark.parametrize("how", ["killed", "exits"])
def test_a_worker_that_dies(how: str) -> None:
    agree(lambda torch, data: list(data.DataLoader(calls(data, lambda index: end(how)), num_workers=1)))


def test_a_worker_that_is_late() -> None:
    import time

    agree(lambda torch, data: list(data.DataLoader(calls(data, lambda index: time.sleep(2)), num_workers=1, timeout=0.3)))


def fails_to_begin(number: int) -> None:
    raise LookupError(f"worker {number}")


@pytest.mark.parametrize(
    "options", [{"worker_init_fn": fails_to_begin}, {"collate_fn": lambda batch: 1 / 0}], ids=["init", "collate"]
)
def test_errors_around_the_samples(options: dict[str, Any]) -> None:
    agree(lambda torch, data: list(data.DataLoader(range(3), num_workers=1, **options)))


def test_an_old_pass_goes_on_beside_a_new_one() -> None:
    def case(torch: Any, data: Any) -> Any:
        fresh = data.DataLoader(range(6), None, num_workers=2, shuffle=True)
        old = iter(fresh)
        first = next(old), list(fresh), list(old)
        kept = data.DataLoader(range(6), None, num_workers=2, shuffle=True, persistent_workers=True)
        old = iter(kept)
        return first, next(old), list(kept), list(old), iter(kept) is old

    agree(case)
