"""torch.utils.data: what datasets, samplers and loaders give, and what becomes of worker processes."""

from __future__ import annotations

import collections
import functools
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.utils.data import (
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    Sampler,
    StackDataset,
    Subset,
    TensorDataset,
    default_collate,
    default_convert,
    get_worker_info,
    random_split,
)

SOURCES = Path(torch.__file__).parents[1]

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:This DataLoader will create [23] worker processes"),  # on fewer processors
]


class Calls(Dataset[Any]):
    """``size`` samples, each what a function says of its number."""

    def __init__(self, function: Callable[[int], Any], size: int = 6) -> None:
        self.function, self.size = function, size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Any:
        return self.function(index)


class Shares(IterableDataset[int]):
    """Each worker has a row of its own length."""

    def __init__(self, *lengths: int) -> None:
        self.lengths = lengths

    def __iter__(self) -> Iterator[int]:
        worker = get_worker_info()
        number = 0 if worker is None else worker.id
        return iter(range(100 * number, 100 * number + self.lengths[number]))


def numbers(batches: Any) -> list[Any]:
    return [batch.tolist() for batch in batches]


def as_it_is(batch: Any) -> Any:
    return batch


# Without workers.


def plain_batches(dataset: TensorDataset, order: list[list[int]]) -> list[list[Any]]:
    """What a batch is by definition, sample by sample."""
    return [[torch.stack(column) for column in zip(*(dataset[i] for i in batch), strict=True)] for batch in order]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64])
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_rows_taken_at_once_are_the_samples_stacked(shape: tuple[int, ...], dtype: Any) -> None:
    values = torch.randn(7, *shape).to(dtype)
    dataset = TensorDataset(values, values.movedim(0, -1).contiguous().movedim(-1, 0), torch.arange(7))
    order = [[6, 0, -1], [2, 2]]
    for found, expected in zip(DataLoader(dataset, batch_sampler=order), plain_batches(dataset, order), strict=True):
        for ours, own in zip(found, expected, strict=True):
            assert ours.dtype == own.dtype and ours.stride() == own.stride() and torch.equal(ours, own)


def test_rows_of_subsets_of_subsets() -> None:
    dataset = TensorDataset(torch.arange(10.0))
    subset = Subset(Subset(dataset, range(9, -1, -1)), torch.tensor([1, 3, 5, 7]))  # type: ignore[arg-type]
    assert numbers(batch for (batch,) in DataLoader(subset, batch_size=3)) == [[8, 6, 4], [2]]
    with pytest.raises(IndexError):
        next(iter(DataLoader(Subset(dataset, [3, 10]), batch_size=2)))


def test_what_rows_cannot_say_is_stacked() -> None:
    weight = torch.ones(4, 2, requires_grad=True)
    (batch,) = next(iter(DataLoader(TensorDataset(weight), batch_size=3)))
    batch.sum().backward()
    assert weight.grad is not None and weight.grad.tolist() == [[1, 1]] * 3 + [[0, 0]]
    with torch.no_grad():
        (batch,) = next(iter(DataLoader(TensorDataset(weight), batch_size=3)))
    assert not batch.requires_grad
    with torch.inference_mode():
        (batch,) = next(iter(DataLoader(TensorDataset(torch.ones(3)), batch_size=3)))
        assert batch.is_inference()

    class Marked(torch.Tensor):
        pass

    (batch,) = next(iter(DataLoader(TensorDataset(torch.ones(3).as_subclass(Marked)), batch_size=3)))
    assert type(batch) is Marked


def test_batches_do_not_share_memory_with_the_samples() -> None:
    values = torch.zeros(4)
    for (batch,) in DataLoader(TensorDataset(values), batch_size=2):
        batch += 1
    array = np.zeros((1, 2))
    default_collate([array])[0] += 1
    assert values.tolist() == [0, 0, 0, 0] and array.tolist() == [[0, 0]]


def test_shapes_that_differ_are_an_error_of_stack() -> None:
    for batch in (
        [torch.zeros(2), torch.zeros(3)],
        [torch.zeros(0), torch.zeros(0, 3)],
        [np.zeros(2), np.zeros(3)],
        [np.zeros(0), np.zeros((0, 3))],
    ):
        with pytest.raises(RuntimeError, match="stack expects each tensor to be equal size"):
            default_collate(batch)
    assert default_collate([torch.zeros(2), torch.zeros(2, dtype=torch.int64)]).dtype is torch.float32


def test_collate_keeps_what_samples_are() -> None:
    Point = collections.namedtuple("Point", "x y")
    assert default_collate([Point(1, "a"), Point(2, "b")])._fields == ("x", "y")
    counts: collections.defaultdict[str, int] = collections.defaultdict(int, a=1)
    joined = default_collate([counts, counts])
    assert type(joined) is collections.defaultdict and joined["a"].tolist() == [1, 1] and counts["a"] == 1

    class Pair(list[int]):
        def __init__(self, first: int, second: int) -> None:
            super().__init__([first, second])

    assert type(default_collate([Pair(1, 2)])) is Pair
    assert type(default_collate([range(2)])) is list  # a range cannot be made of values
    with pytest.raises(RuntimeError, match="each element in list of batch should be of equal size"):
        default_collate([[1], [1, 2]])
    with pytest.raises(TypeError, match="found <class 'NoneType'>"):
        default_collate([(1, None)])


def test_convert_shares_arrays() -> None:
    array = np.zeros(3)
    converted = default_convert({"x": array, "y": ("text", np.array(["a"]))})
    converted["x"][0] = 5
    assert array[0] == 5 and converted["y"][0] == "text" and converted["y"][1].dtype.kind == "U"


def test_a_generator_decides_the_order_and_nothing_else_is_drawn() -> None:
    loader = DataLoader(range(8), batch_size=3, shuffle=True, generator=torch.Generator().manual_seed(1))
    before = torch.get_rng_state()
    first, second = numbers(loader), numbers(loader)
    assert torch.equal(torch.get_rng_state(), before)
    again = DataLoader(range(8), batch_size=3, shuffle=True, generator=torch.Generator().manual_seed(1))
    assert [first, second] == [numbers(again), numbers(again)] and first != second
    assert sorted([i for batch in first for i in batch]) == list(range(8))


def test_a_pass_can_end_early_and_others_begin() -> None:
    loader = DataLoader(range(6), batch_size=2)
    one, other = iter(loader), iter(loader)
    assert next(one).tolist() == next(other).tolist() == [0, 1]
    assert numbers(one) == [[2, 3], [4, 5]] and next(other).tolist() == [2, 3]
    with pytest.raises(StopIteration):
        next(one)


def test_an_error_does_not_end_the_pass() -> None:
    batches = iter(DataLoader(Calls(lambda i: 6 // (i - 1)), batch_size=2))
    with pytest.raises(ZeroDivisionError):
        next(batches)
    assert numbers(batches) == [[6, 3], [2, 1]]


def test_getitems_is_asked_for_a_batch_at_once() -> None:
    asked = []

    class Together(Calls):
        def __getitems__(self, indices: list[int]) -> list[int]:
            asked.append(indices)
            return [10 * i for i in indices]

    dataset = Together(as_it_is, 4)
    assert numbers(DataLoader(Subset(dataset, [3, 2, 1]), batch_size=2)) == [[30, 20], [10]]
    assert asked == [[3, 2], [1]]
    assert StackDataset(a=dataset, b="wxyz").__getitems__([0, 1]) == [{"a": 0, "b": "w"}, {"a": 10, "b": "x"}]


def test_datasets_of_datasets() -> None:
    both = Calls(lambda i: i, 2) + Calls(lambda i: -i, 3)
    assert isinstance(both, ConcatDataset) and [both[i] for i in range(-5, 5)] == [0, 1, 0, -1, -2] * 2
    with pytest.raises(ValueError, match="absolute value of index should not exceed dataset length"):
        both[-6]
    assert list(Shares(2) + Shares(1)) == [0, 1, 0] and isinstance(Shares(2) + Shares(1), ChainDataset)


def test_random_split() -> None:
    parts = random_split(range(11), [0.5, 0.25, 0.25], torch.Generator().manual_seed(0))
    assert [len(part) for part in parts] == [6, 3, 2] and sorted(i for part in parts for i in part) == list(range(11))
    with pytest.raises(ValueError, match="Sum of input lengths does not equal"):
        random_split(range(3), [1, 1])
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        random_split(range(1), [0.9, 0.1])


def test_replicas_share_a_dataset() -> None:
    def shares(**options: Any) -> list[list[int]]:
        samplers = [DistributedSampler(range(10), 3, rank, **options) for rank in range(3)]
        for sampler in samplers:
            sampler.set_epoch(2)
        return [list(sampler) for sampler in samplers]

    assert [len(share) for share in shares()] == [4, 4, 4] and {i for share in shares() for i in share} == set(range(10))
    assert [len(share) for share in shares(drop_last=True)] == [3, 3, 3] and len(
        {i for share in shares(drop_last=True) for i in share}
    ) == 9
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        DistributedSampler(range(10))


def test_a_sampler_without_length_and_one_of_lists() -> None:
    class Pairs(Sampler[Any]):
        def __iter__(self) -> Iterator[Any]:
            yield from ([1, 2], [0, 3])

    assert numbers(DataLoader(range(4), batch_sampler=Pairs())) == [[1, 2], [0, 3]]
    assert numbers(DataLoader(range(4), sampler=iter([3, 1, 2]), batch_size=2)) == [[3, 1], [2]]
    assert list(DataLoader("ab", sampler=RandomSampler("ab", num_samples=4), batch_size=None)).count("a") == 2


def test_data_pipes_are_not_there() -> None:
    with pytest.raises(AttributeError, match=r"rushlight does not have torch.utils.data.IterDataPipe \(yet\); PyTorch has it"):
        torch.utils.data.IterDataPipe  # noqa: B018


# Workers.

Workers = functools.partial(DataLoader, multiprocessing_context="fork")  # the datasets below are of functions


@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
def test_workers_give_what_this_process_would(context: str) -> None:
    dataset = TensorDataset(torch.arange(20.0).reshape(10, 2), torch.arange(10))
    alone = list(DataLoader(dataset, batch_size=3))
    for _ in range(2):
        helped = list(DataLoader(dataset, batch_size=3, num_workers=2, multiprocessing_context=context))
        assert [[part.tolist() for part in batch] for batch in helped] == [[part.tolist() for part in batch] for batch in alone]


def test_tensors_come_as_they_were_sent() -> None:
    base = torch.arange(24.0).reshape(2, 3, 4)
    samples = [
        base.permute(2, 0, 1),
        base[1, 2, 3],
        base[:, 1:, ::2],
        torch.ones(2, dtype=torch.bfloat16)[1:],
        base[0].clone().requires_grad_(),
        torch.nn.Parameter(torch.ones(2)),
        torch.zeros(0, 3),
        torch.randn(300, 300).T,
        np.asfortranarray(np.random.rand(200, 100)),
    ]
    received = list(Workers(samples, batch_size=None, num_workers=1, collate_fn=as_it_is))
    for sent, got in zip(samples, received, strict=True):
        assert type(got) is type(sent) and got.dtype == sent.dtype and got.shape == sent.shape
        if isinstance(sent, torch.Tensor):
            assert torch.equal(got, sent) and got.requires_grad == sent.requires_grad
            assert sent.numel() == 0 or got.is_contiguous() == sent.is_contiguous() or sent.dim() == 3
            got.detach().add_(1)
        else:
            assert np.array_equal(got, sent) and got.flags.writeable
    assert received[0].stride() == (1, 12, 4)


def test_a_view_is_sent_without_the_rest_of_its_memory() -> None:
    rows = torch.zeros(1000, 1000)
    (row,) = Workers([rows[3]], batch_size=None, num_workers=1)
    assert row.untyped_storage().nbytes() == 4000


def test_a_sample_that_changes_later_came_as_it_was() -> None:
    kept = np.zeros(100_000)

    def reused(index: int) -> Any:
        kept.fill(index)
        return kept

    assert [batch[0].item() for batch in Workers(Calls(reused, 8), batch_size=None, num_workers=1, prefetch_factor=4)] == list(
        range(8)
    )


def test_seeds_of_workers() -> None:
    def drawn(_: int) -> Any:
        worker = get_worker_info()
        assert worker is not None and torch.initial_seed() == worker.seed and torch.get_num_threads() == 1
        return worker.seed, worker.id, worker.num_workers, torch.rand(1).item(), random.random(), np.random.rand()

    def passes() -> list[Any]:
        torch.manual_seed(5)
        loader = Workers(Calls(drawn), batch_size=None, num_workers=2, collate_fn=as_it_is)
        return [list(loader), list(loader)]

    first, second = passes()
    assert [first, second] == passes() and first != second
    assert first[1][0] == first[0][0] + 1 and [sample[1:3] for sample in first[:2]] == [(0, 2), (1, 2)]
    assert len({sample[3:] for sample in first + second}) == 12
    assert get_worker_info() is None


def test_rows_of_iterable_datasets_take_turns() -> None:
    assert list(Workers(Shares(4, 1, 2), batch_size=None, num_workers=3)) == [0, 100, 200, 1, 201, 2, 3]
    loader = Workers(Shares(0, 3), batch_size=2, num_workers=2, persistent_workers=True)
    assert numbers(loader) == numbers(loader) == [[100, 101], [102]]
    assert numbers(Workers(Shares(3, 2), batch_size=2, num_workers=2, drop_last=True)) == [[0, 1], [100, 101]]


def test_persistent_workers_stay() -> None:
    loader = Workers(Calls(lambda _: os.getpid()), batch_size=None, num_workers=2, persistent_workers=True)
    first = set(loader)
    next(iter(loader))  # given up at once
    assert set(loader) == first and len(first) == 2
    fresh = Workers(Calls(lambda _: os.getpid()), batch_size=None, num_workers=2)
    assert not set(fresh) & set(fresh)


def test_out_of_order(tmp_path: Path) -> None:
    """The first sample comes when a file is there: of a later one in the other worker, or when another was given."""

    def late(name: str) -> Calls:
        def sample(index: int) -> int:
            if index == 3:
                (tmp_path / "later").touch()
            while index == 0 and not (tmp_path / name).exists():
                time.sleep(0.01)
            return index

        return Calls(sample, 8)

    assert list(Workers(late("later"), batch_size=None, num_workers=2, timeout=300)) == list(range(8))
    batches = iter(Workers(late("given"), batch_size=None, num_workers=2, timeout=300, in_order=False))
    given = [next(batches)]
    (tmp_path / "given").touch()
    given += batches
    assert given[0] != 0 and sorted(given) == list(range(8))


def raising(error: BaseException) -> Callable[[int], Any]:
    def function(index: int) -> int:
        if index == 1:
            raise error
        return index

    return function


class Odd(Exception):
    def __init__(self, first: int, second: int) -> None:
        super().__init__(first, second)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("no"), ValueError),
        (KeyError("key"), KeyError),
        (Odd(1, 2), RuntimeError),
        (FileNotFoundError(2, "no"), OSError),
    ],
)
def test_an_error_of_a_worker_is_raised_here_and_the_pass_goes_on(error: Exception, kind: type[Exception]) -> None:
    batches = iter(Workers(Calls(raising(error), 4), batch_size=None, num_workers=2))
    assert next(batches) == 0
    with pytest.raises(kind) as raised:
        next(batches)
    text = str(raised.value)
    assert text.startswith(
        f"Caught {type(error).__name__} in DataLoader worker process 1.\nOriginal Traceback (most recent call last):\n"
    )
    assert "raise error" in text
    assert list(batches) == [2, 3]


def test_errors_before_and_after_the_samples() -> None:
    def fails(number: int) -> None:
        raise LookupError(f"worker {number}")

    with pytest.raises(LookupError, match="worker 0"):
        list(Workers(range(2), num_workers=1, worker_init_fn=fails))
    with pytest.raises((AttributeError, pickle.PicklingError), match=r"Caught \w+ in DataLoader worker process 0"):
        list(Workers([1], num_workers=1, collate_fn=lambda _: lambda: 1))
    weight = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
        list(Workers(Calls(lambda _: weight * 2), batch_size=None, num_workers=1))


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "is killed by signal: Killed"),
        (lambda: os._exit(3), "exited unexpectedly with exit code 3"),
        (lambda: os._exit(0), None),
    ],
)
def test_a_dead_worker_is_noticed(how: Callable[[], None], why: str | None) -> None:
    loader = Workers(Calls(lambda i: how() if i == 2 else i), batch_size=None, num_workers=2, persistent_workers=True)
    batches = iter(loader)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly") as raised:
            list(batches)
    assert raised.value.__cause__ is None
    with pytest.raises(RuntimeError) as raised:
        list(loader)  # begins with new workers, of which one dies again
    assert why in str(raised.value.__cause__) if why else raised.value.__cause__ is None


def test_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rushlight.utils.data._utils.processes._SECONDS_TO_END", 0.1)
    assert list(Workers(Calls(lambda i: i, 2), batch_size=None, num_workers=1, timeout=300)) == [0, 1]
    batches = iter(Workers(Calls(lambda i: time.sleep(60), 2), batch_size=None, num_workers=1, timeout=1))
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 1 seconds"):
        next(batches)


def test_a_pass_given_up_leaves_no_process() -> None:
    batches = iter(Workers(Calls(lambda i: torch.zeros(100_000), 50), batch_size=4, num_workers=2))
    next(batches)
    processes = batches._workers
    assert all(process.is_alive() for process in processes)
    del batches
    assert not any(process.is_alive() for process in processes)


PROGRAM = """
import os, signal, sys, threading, time
import rushlight as torch
from rushlight.utils.data import DataLoader

class Slow:
    def __len__(self): return 1000
    def __getitem__(self, index):
        time.sleep(0.02)
        return index

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what is in the background without
    how = sys.argv[1]
    if how == "interrupt at once":
        os.register_at_fork(after_in_child=lambda: time.sleep(0.5))  # until then no worker has begun
    batches = iter(DataLoader(Slow(), batch_size=2, num_workers=2, persistent_workers=True))
    if how != "interrupt at once":
        next(batches)
    print(*(process.pid for process in batches._workers), flush=True)
    if how == "exit":
        sys.exit(7)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    for batch in batches:
        pass
"""


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


ENDS = [("exit", 7), ("kill", -signal.SIGKILL), ("interrupt", -signal.SIGINT), ("interrupt at once", -signal.SIGINT)]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes by way of /proc")
@pytest.mark.parametrize(("how", "code"), ENDS)
def test_workers_end_with_their_program(how: str, code: int, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    environment = os.environ | {"PYTHONPATH": str(SOURCES)}
    program = subprocess.Popen(
        [sys.executable, str(script), how],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    assert program.stdout is not None
    workers = [int(pid) for pid in program.stdout.readline().split()]
    assert len(workers) == 2
    if how.startswith("interrupt"):
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does: to all of them
    _, errors = program.communicate(timeout=300)
    assert program.returncode == code
    assert errors.count("Traceback") == how.startswith("interrupt"), errors  # the program's own, none of a worker
    start = time.monotonic()
    while any(map(is_running, workers)) and time.monotonic() - start < 60:
        time.sleep(0.05)
    assert not any(map(is_running, workers))


def test_an_interrupt_ends_the_pass_and_the_next_begins_afresh() -> None:
    loader = Workers(Calls(lambda i: time.sleep(0.1) or i, 40), batch_size=None, num_workers=2, persistent_workers=True)
    batches = iter(loader)
    next(batches)
    previous = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.35)
            list(batches)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert next(iter(loader)) == 0
