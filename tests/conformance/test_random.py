"""Random streams beside PyTorch's generator: equal numbers, and an equal state after every call."""

from __future__ import annotations

import random

import ml_dtypes
import numpy as np
import pytest
import torch

import rushlight
from rushlight import random as generators
from rushlight.backend.random_streams import Stream, memory_axes
from rushlight.tensor import wrap

HALVES = (torch.float16, torch.bfloat16)
FLOATS = (torch.float32, torch.float64, *HALVES)
COMPLEX = (torch.complex64, torch.complex128)
SIGNED = (torch.int64, torch.int32, torch.int16, torch.int8)
UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)
ALL = (*FLOATS, *COMPLEX, *SIGNED, torch.uint8, torch.bool, *UNSIGNED)


def numpy_type(dtype):
    return np.dtype(ml_dtypes.bfloat16 if dtype is torch.bfloat16 else str(dtype).removeprefix("torch."))


def array(tensor):
    tensor = tensor.contiguous()
    if tensor.dtype is torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


class Calls:
    """Random calls, each as a pair: on PyTorch, and on a stream."""

    def __init__(self, seed):
        self.choose = random.Random(seed)
        self.kinds = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("draw_")]

    def any(self):
        return self.choose.choice(self.kinds)()

    def shape(self):
        pick = self.choose.randrange
        return self.choose.choice([(pick(20),), (pick(1, 20), pick(1, 40)), (pick(300, 3000),)])

    def values(self, shape, dtype, scale=1.0):
        source = torch.Generator().manual_seed(self.choose.randrange(2**30))
        return (torch.rand(shape, generator=source, dtype=torch.float64) * scale).to(dtype)

    def draw_uniform(self):
        shape, dtype = self.shape(), self.choose.choice(FLOATS + COMPLEX)
        low, high = sorted(self.choose.uniform(-3, 3) for _ in range(2))
        low, high = self.choose.choice([(0.0, 1.0), (0.0, abs(high)), (low, high)])
        return (
            lambda: torch.empty(shape, dtype=dtype).uniform_(low, high),
            lambda stream: stream.uniform(shape, numpy_type(dtype), low, high),
        )

    def draw_normal(self):
        shape, dtype = self.shape(), self.choose.choice(FLOATS + COMPLEX)
        mean, std = self.mean_and_std()
        return (
            lambda: torch.empty(shape, dtype=dtype).normal_(mean, std),
            lambda stream: stream.normal(shape, numpy_type(dtype), mean, std),
        )

    def mean_and_std(self):
        mean, std = self.choose.uniform(-2, 2), self.choose.uniform(0.1, 3)
        return self.choose.choice([(0.0, 1.0), (mean, 1.0), (0.0, std), (mean, std)])

    def draw_normal_with_gaps(self):
        length, dtype = self.choose.randrange(2, 60), self.choose.choice(FLOATS)
        mean, std = self.mean_and_std()
        return (
            lambda: torch.empty(2 * length, dtype=dtype)[::2].normal_(mean, std),
            lambda stream: stream.normal((length,), numpy_type(dtype), mean, std, contiguous=False),
        )

    def draw_normal_around(self):
        shape, dtype = self.shape(), self.choose.choice(FLOATS)
        mean, std = self.values(shape, dtype), self.values(shape[-1:], dtype)
        mean, std = self.choose.choice([(mean, std), (mean, 0.7), (0.3, std), (mean, 1.0)])
        ours = [array(each) if isinstance(each, torch.Tensor) else each for each in (mean, std)]
        return lambda: torch.normal(mean, std), lambda stream: stream.normal_around(*ours)

    def draw_integers(self):
        shape = self.shape()
        narrow = self.choose.choice([(0, 10), (3, 77), (5, 6), (0, 64), (0, 127)])
        wide = [(0, 2**28), (0, 2**28 - 1), (-(2**40), 2**41 + 3), (0, 2**32), (-5, 2**31), (-(2**63), 2**63 - 1)]
        dtype = self.choose.choice([*SIGNED, *UNSIGNED, torch.uint8, *FLOATS])
        low, high = self.choose.choice(wide) if dtype is torch.int64 else narrow
        return (
            lambda: torch.randint(low, high, shape, dtype=dtype),
            lambda stream: stream.integers(shape, numpy_type(dtype), low, high),
        )

    def draw_integers_of_dtype(self):
        shape, dtype = self.shape(), self.choose.choice([*FLOATS, *SIGNED, torch.uint8, torch.bool])
        low = self.choose.choice([None, 0, 1])
        return (
            lambda: torch.empty(shape, dtype=dtype).random_(*([] if low is None else [low, None])),
            lambda stream: stream.integers_of_dtype(shape, numpy_type(dtype), low),
        )

    def draw_any_64_bits(self):
        shape = self.shape()
        return (
            lambda: torch.empty(shape, dtype=torch.int64).random_(-(2**63), None),
            lambda stream: stream.integers(shape, np.dtype(np.int64), -(2**63), 2**63),
        )

    def draw_permutation(self):
        length, dtype = (
            self.choose.choice([0, 1, 2, 7, 100, 5000, 20000]),
            self.choose.choice([torch.int64, torch.int32, torch.int16, torch.float32, torch.float64]),
        )
        return (
            lambda: torch.randperm(length, dtype=dtype),
            lambda stream: stream.permutation(length, numpy_type(dtype)),
        )

    def draw_bernoulli(self):
        shape, dtype = self.shape(), self.choose.choice([*FLOATS, *SIGNED, torch.uint8, torch.bool])
        chance = self.choose.choice([0.0, 1.0, 0.5, self.choose.random()])
        return (
            lambda: torch.empty(shape, dtype=dtype).bernoulli_(chance),
            lambda stream: stream.bernoulli(shape, numpy_type(dtype), chance),
        )

    def draw_bernoulli_by_array(self):
        shape, dtype = self.shape(), self.choose.choice([*FLOATS, torch.int64, torch.bool])
        chances = self.values(shape[-1:], self.choose.choice(FLOATS))
        return (
            lambda: torch.empty(shape, dtype=dtype).bernoulli_(chances),
            lambda stream: stream.bernoulli(shape, numpy_type(dtype), array(chances)),
        )

    def draw_exponential(self):
        shape, dtype, rate = self.shape(), self.choose.choice(FLOATS), self.choose.choice([1.0, 0.3, 2.5])
        return (
            lambda: torch.empty(shape, dtype=dtype).exponential_(rate),
            lambda stream: stream.exponential(shape, numpy_type(dtype), rate),
        )

    def draw_cauchy(self):
        shape, dtype = self.shape(), self.choose.choice(FLOATS)
        median, sigma = self.choose.choice([(0.0, 1.0), (0.7, 0.3), (-3.0, 2.0)])
        return (
            lambda: torch.empty(shape, dtype=dtype).cauchy_(median, sigma),
            lambda stream: stream.cauchy(shape, numpy_type(dtype), median, sigma),
        )

    def draw_log_normal(self):
        shape, dtype = self.shape(), self.choose.choice(FLOATS)
        mean, std = self.choose.choice([(1.0, 2.0), (-0.3, 0.7), (0.0, 1.0)])
        return (
            lambda: torch.empty(shape, dtype=dtype).log_normal_(mean, std),
            lambda stream: stream.log_normal(shape, numpy_type(dtype), mean, std),
        )

    def draw_geometric(self):
        shape, chance = self.shape(), self.choose.uniform(0.001, 0.999)
        dtype = self.choose.choice([*FLOATS, *SIGNED, torch.uint8])
        return (
            lambda: torch.empty(shape, dtype=dtype).geometric_(chance),
            lambda stream: stream.geometric(shape, numpy_type(dtype), chance),
        )

    def draw_poisson(self):
        rates = self.values(self.shape(), self.choose.choice(FLOATS), self.choose.choice([1.0, 30.0, 1000.0]))
        return lambda: torch.poisson(rates), lambda stream: stream.poisson(array(rates))

    def draw_binomial(self):
        shape, dtype = self.shape(), self.choose.choice(FLOATS[:2])
        trials = self.values(shape, dtype, self.choose.choice([10, 300, 10**5])).floor()
        chances = self.values(shape, dtype)
        return (
            lambda: torch.binomial(trials, chances),
            lambda stream: stream.binomial(array(trials), array(chances)),
        )

    def draw_gamma(self):
        shapes = self.values(self.shape(), self.choose.choice(FLOATS[:2]), self.choose.choice([0.1, 1.0, 10.0]))
        return lambda: torch._standard_gamma(shapes), lambda stream: stream.gamma(array(shapes))

    def draw_dirichlet(self):
        shape = (self.choose.randrange(1, 9), self.choose.randrange(1, 40))
        parameters = self.values(shape, self.choose.choice(FLOATS[:2]), self.choose.choice([0.1, 1.0, 10.0]))
        return lambda: torch._sample_dirichlet(parameters), lambda stream: stream.dirichlet(array(parameters))

    def draw_multinomial(self):
        pick = self.choose.randrange
        shape = self.choose.choice([(pick(1, 30),), (pick(1, 6), pick(1, 300))])
        weights = self.values(shape, self.choose.choice(FLOATS)) + 2**-5
        count, replacement = self.choose.choice([(1, False), (1, True), (pick(1, 400), True), (pick(1, shape[-1] + 1), False)])
        if not replacement and count > 1 and weights.dtype in HALVES:
            weights = weights.float()  # equal halves are common, and PyTorch leaves the order of equal ones open
        return (
            lambda: torch.multinomial(weights, count, replacement),
            lambda stream: stream.multinomial(array(weights), count, replacement),
        )


@pytest.mark.parametrize("seed", range(8))
def test_calls_of_every_kind_in_any_order_stay_in_step(seed):
    calls = Calls(seed)
    first = calls.choose.randrange(2**64)
    torch.manual_seed(first)
    stream = Stream(first)
    for number in range(500):
        theirs, ours = calls.any()
        expected, drawn = array(theirs()), ours(stream)
        where = f"call {number}: {ours.__qualname__}"
        assert drawn.dtype == expected.dtype and drawn.shape == expected.shape and drawn.flags.c_contiguous, where
        assert drawn.tobytes() == expected.tobytes(), where
        assert np.array_equal(stream.state(), torch.get_rng_state().numpy()), where


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_normal_and_uniform_numbers_of_every_small_size(dtype):
    torch.manual_seed(5)
    stream = Stream(5)
    for size in range(70):
        assert stream.normal((size,), numpy_type(dtype)).tobytes() == array(torch.randn(size, dtype=dtype)).tobytes()
        assert stream.uniform((size,), numpy_type(dtype)).tobytes() == array(torch.rand(size, dtype=dtype)).tobytes()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_a_million_numbers(dtype):
    torch.manual_seed(1)
    stream = Stream(1)
    size, kind = 1_000_003, numpy_type(dtype)
    assert np.array_equal(stream.uniform((size,), kind), torch.rand(size, dtype=dtype).numpy())
    assert np.array_equal(stream.normal((size,), kind), torch.randn(size, dtype=dtype).numpy())
    assert np.array_equal(stream.exponential((size,), kind), torch.empty(size, dtype=dtype).exponential_().numpy())
    assert np.array_equal(stream.permutation(size, np.dtype(np.int64)), torch.randperm(size).numpy())
    assert np.array_equal(stream.state(), torch.get_rng_state().numpy())


@pytest.mark.parametrize("seed", [0, 5, 2**32 + 5, 2**63 + 1, 2**64 - 1, -1, -(2**63)])
def test_every_seed_begins_the_same_numbers(seed):
    theirs, ours = torch.Generator().manual_seed(seed), generators.Generator().manual_seed(seed)
    assert ours.initial_seed() == theirs.initial_seed()
    assert np.array_equal(ours.get_state()._array, theirs.get_state().numpy())
    drawn = generators.stream_of(ours).uniform((5,), np.dtype(np.float32))
    assert np.array_equal(drawn, torch.rand(5, generator=theirs).numpy())
    assert generators.Generator().initial_seed() == torch.Generator().initial_seed()


@pytest.mark.parametrize("words", [0, 1, 2, 5, 622, 623, 624, 625, 1247, 1248, 1249, 5000])
@pytest.mark.parametrize("singles", [0, 1, 2, 3])
def test_states_are_taken_up_in_both_directions(words, singles):
    torch.manual_seed(words)
    torch.rand(words), torch.randn(singles)
    ours = generators.Generator()
    ours.set_state(wrap(torch.get_rng_state().numpy()))
    stream = generators.stream_of(ours)
    torch.set_rng_state(torch.from_numpy(ours.get_state()._array))
    assert np.array_equal(stream.state(), torch.get_rng_state().numpy())
    for size in (1, 1, 30, 700, 3):
        assert np.array_equal(stream.normal((size,), np.dtype(np.float32)), torch.randn(size).numpy())
    torch.set_rng_state(torch.from_numpy(stream.state()))
    assert np.array_equal(stream.uniform((9,), np.dtype(np.float64)), torch.rand(9, dtype=torch.float64).numpy())
    assert np.array_equal(stream.state(), torch.get_rng_state().numpy())


@pytest.mark.parametrize("left", [-1, 0, 1, 2, 624, 625])
@pytest.mark.parametrize("seeded", [0, 1])
@pytest.mark.parametrize("following", [0, 1, 624, 625])
def test_what_is_no_state_is_refused_alike(left, seeded, following):
    octets = torch.Generator().get_state().numpy().copy()
    octets[8:16].view(np.int32)[:] = left, seeded
    octets[16:24].view(np.uint64)[:] = following
    assert outcome(lambda: torch.Generator().set_state(torch.from_numpy(octets)) and None) == outcome(
        lambda: Stream(0).load(octets)
    )


def test_an_array_is_filled_as_it_lies_in_memory():
    for axes in ((2, 0, 1), (0, 2, 1), (2, 1, 0)):
        torch.manual_seed(3)
        expected = torch.empty(3, 4, 5).permute(axes).uniform_().numpy()
        filled = np.empty((3, 4, 5), np.float32).transpose(axes)
        ordered = filled.transpose(memory_axes(filled))
        ordered[...] = Stream(3).uniform(ordered.shape, np.dtype(np.float32))
        assert np.array_equal(filled, expected)


# Refusals.


def outcome(call):
    """What a call comes to: an error's type and text, or nothing."""
    try:
        call()
    except (RuntimeError, ValueError, TypeError, NotImplementedError) as error:
        return type(error).__name__, str(error)
    return None


ONES = (1.0, 1.0, 1.0)
OF_DTYPES = {
    "uniform_": lambda stream, kind, *args: stream.uniform((3,), kind, *args),
    "normal_": lambda stream, kind, *args: stream.normal((3,), kind, *args),
    "exponential_": lambda stream, kind, *args: stream.exponential((3,), kind, *args),
    "cauchy_": lambda stream, kind, *args: stream.cauchy((3,), kind, *args),
    "log_normal_": lambda stream, kind, *args: stream.log_normal((3,), kind, *args),
    "geometric_": lambda stream, kind, *args: stream.geometric((3,), kind, *args),
    "bernoulli_": lambda stream, kind, *args: stream.bernoulli((3,), kind, *args),
}
ARGUMENTS = {
    "uniform_": [
        (),
        (2.0, 1.0),
        (1.5, 0.123456789),
        (float("nan"), 1.0),
        (0.0, float("inf")),
        (0.0, 1e40),
        (-6e4, 6e4),
    ],
    "normal_": [(), (0.0, -1.0), (0.0, float("nan")), (1.0, 0.0)],
    "exponential_": [(), (0.0,), (-1e-7,), (float("nan"),)],
    "cauchy_": [(), (0.0, 0.0), (0.0, -1e-7)],
    "log_normal_": [(), (0.0, 0.0), (0.0, -2.0)],
    "geometric_": [(0.5,), (0.0,), (1.0,), (2.0,), (float("nan"),)],
    "bernoulli_": [(0.5,), (1.5,), (-0.1,), (float("nan"),)],
}


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("name", OF_DTYPES)
def test_dtypes_and_parameters_are_refused_alike(name, dtype):
    for arguments in ARGUMENTS[name]:
        expected = outcome(lambda: getattr(torch.empty(3, dtype=dtype), name)(*arguments))  # noqa: B023
        found = outcome(lambda: OF_DTYPES[name](Stream(0), numpy_type(dtype), *arguments))  # noqa: B023
        assert found == expected, arguments


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_integers_out_of_a_dtype_are_refused_alike(dtype):
    kind = numpy_type(dtype)
    for low, high in (
        (5, 5),
        (5, 3),
        (0, 2),
        (-1, 5),
        (0, 257),
        (300, 301),
        (-(2**31) - 1, 5),
        (0, 2**31 + 1),
        (0, 2**50),
    ):
        expected = warned(lambda: torch.empty(3, dtype=dtype).random_(low, high))  # noqa: B023
        assert warned(lambda: Stream(0).integers((3,), kind, low, high)) == expected, (low, high)  # noqa: B023
    for low in (None, 0, 300, -5):
        arguments = [] if low is None else [low, None]
        expected = warned(lambda: torch.empty(3, dtype=dtype).random_(*arguments))  # noqa: B023
        assert warned(lambda: Stream(0).integers_of_dtype((3,), kind, low)) == expected, low  # noqa: B023
    for length in (-1, 3, 127, 129, 257, 2050, 33000):
        expected = outcome(lambda: torch.randperm(length, dtype=dtype))  # noqa: B023
        assert outcome(lambda: Stream(0).permutation(length, kind)) == expected, length  # noqa: B023


def warned(call):
    """An outcome, and the warnings on the way less the place in PyTorch's sources that they name."""
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        end = outcome(call)
    return end, [str(each.message).split(" (Triggered")[0] for each in caught]


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_arrays_of_parameters_are_refused_alike(dtype):
    ones = torch.ones(3, dtype=dtype)
    three = array(ones)
    float32 = torch.ones(3)
    pairs = {
        "poisson": (lambda: torch.poisson(ones), lambda: Stream(0).poisson(three)),
        "binomial": (lambda: torch.binomial(ones, ones), lambda: Stream(0).binomial(three, three)),
        "binomial trials": (lambda: torch.binomial(ones, float32), lambda: Stream(0).binomial(three, array(float32))),
        "binomial chance": (lambda: torch.binomial(float32, ones), lambda: Stream(0).binomial(array(float32), three)),
        "gamma": (lambda: torch._standard_gamma(ones), lambda: Stream(0).gamma(three)),
        "dirichlet": (lambda: torch._sample_dirichlet(ones), lambda: Stream(0).dirichlet(three)),
        "multinomial": (lambda: torch.multinomial(ones, 1), lambda: Stream(0).multinomial(three, 1)),
        "bernoulli": (
            lambda: torch.empty(3).bernoulli_(ones),
            lambda: Stream(0).bernoulli((3,), np.dtype(np.float32), three),
        ),
        "bernoulli into": (
            lambda: torch.empty(3, dtype=dtype).bernoulli_(float32),
            lambda: Stream(0).bernoulli((3,), numpy_type(dtype), array(float32)),
        ),
        "normal": (lambda: torch.normal(ones, 1.0), lambda: Stream(0).normal_around(three, 1.0)),
    }
    for name, (theirs, ours) in pairs.items():
        assert outcome(ours) == outcome(theirs), name


@pytest.mark.parametrize("values", [(0.0, 0.0), (1.0, -1.0), (1.0, float("nan")), (1.0, float("inf")), (1.0, 0.0), (2.0, 1.0)])
def test_values_of_parameters_are_refused_alike(values):
    given = torch.tensor(values)
    ours = array(given)
    for count, replacement in ((1, False), (2, False), (3, False), (2, True), (1, True), (0, True)):
        assert outcome(lambda: Stream(0).multinomial(ours, count, replacement)) == outcome(  # noqa: B023
            lambda: torch.multinomial(given, count, replacement)  # noqa: B023
        ), (count, replacement)
    if values[1] != float("inf"):
        assert outcome(lambda: Stream(0).poisson(ours)) == outcome(lambda: torch.poisson(given))
    assert outcome(lambda: Stream(0).normal_around(0.0, ours)) == outcome(lambda: torch.normal(0.0, given))
    assert outcome(lambda: Stream(0).bernoulli((2,), ours.dtype, ours)) == outcome(lambda: torch.bernoulli(given))


@pytest.mark.parametrize("seed", [1.5, "5", None, True, 2**64, -(2**63) - 1, np.bool_(True), np.float64(5)])
def test_seeds_are_refused_alike(seed):
    expected = outcome(lambda: torch.Generator().manual_seed(seed))
    assert outcome(lambda: generators.Generator().manual_seed(seed)) == expected
    assert outcome(lambda: generators.manual_seed(seed)) == outcome(lambda: torch.manual_seed(seed))


@pytest.mark.parametrize("shape", [-3.0, -0.7, -0.5, 0.0, 1e-45, 1e-3, float("nan"), float("inf")])
@pytest.mark.parametrize("dtype", FLOATS[:2], ids=str)
def test_gamma_numbers_of_odd_parameters(shape, dtype):
    torch.manual_seed(1)
    stream = Stream(1)
    parameter = torch.tensor([shape], dtype=dtype)
    assert stream.gamma(array(parameter)).tobytes() == array(torch._standard_gamma(parameter)).tobytes()
    assert np.array_equal(stream.state(), torch.get_rng_state().numpy())


FILLS = {
    "bernoulli": lambda t, x: t.bernoulli(x),
    "poisson": lambda t, x: t.poisson(x),
    "normal": lambda t, x: t.normal(x, x),
    "uniform_": lambda t, x: x.uniform_(),
    "normal_": lambda t, x: x.normal_(),
    "exponential_": lambda t, x: x.exponential_(),
    "geometric_": lambda t, x: x.geometric_(0.5),
    "cauchy_": lambda t, x: x.cauchy_(),
    "log_normal_": lambda t, x: x.log_normal_(),
    "random_": lambda t, x: x.random_(5),
    "bernoulli_": lambda t, x: x.bernoulli_(x.detach().clone()),
    "of a view": lambda t, x: (x[0].uniform_(), x)[1],
}


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
@pytest.mark.parametrize("name", FILLS)
def test_what_is_drawn_has_no_tangent_of_what_was_there(name):
    tangents = []
    for side in (rushlight, torch):
        with side.autograd.forward_ad.dual_level():
            x = side.autograd.forward_ad.make_dual(side.full((2, 3), 0.5), side.ones(2, 3))
            tangents.append(side.autograd.forward_ad.unpack_dual(FILLS[name](side, x)).tangent.tolist())
    assert tangents[0] == tangents[1]
