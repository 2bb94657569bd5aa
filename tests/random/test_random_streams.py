"""Random streams without PyTorch: its numbers, written down, and what must hold of any stream."""

from __future__ import annotations

import copy
import math
import pickle
import threading
import zlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rushlight import random as generators
from rushlight.backend import box_muller, mersenne_twister, permutations
from rushlight.backend.mersenne_twister import STATE_BYTES, MersenneTwister
from rushlight.backend.random_streams import Stream, memory_axes
from rushlight.tensor import wrap

F2, F4, F8, C8, C16 = (np.dtype(name) for name in ("f2", "f4", "f8", "c8", "c16"))
I8, I4, U1, B1 = (np.dtype(name) for name in ("i8", "i4", "u1", "?"))
P = np.array([0.1, 0.5, 0.9], F4)
R = np.array([0.3, 5.0, 40.0, 1000.0])
NAMES = {"np": np, "F2": F2, "F4": F4, "F8": F8, "C8": C8, "C16": C16, "I8": I8, "I4": I4, "U1": U1, "P": P, "R": R}

# What PyTorch 2.13 gives on x86-64 after manual_seed(20260), one call after the other: torch.rand(3), ...
SEQUENCE = [
    ("uniform((3,), F4)", [0.9659135937690735, 0.329073965549469, 0.4258653521537781]),
    ("uniform((2,), F8)", [0.04943229314795283, 0.7639531603142135]),
    ("uniform((2,), F2)", [0.640625, 0.37646484375]),
    ("uniform((2,), F4, -2.0, 5.0)", [2.2127366065979004, 3.698396921157837]),
    ("uniform((2,), C8)", [(0.7490936517715454 + 0.26312053203582764j), (0.9808878898620605 + 0.8181238174438477j)]),
    ("normal((3,), F4)", [0.5697571635246277, -1.0275635719299316, -0.7770226001739502]),
    ("normal((2,), F8, 1.0, 3.0)", [-0.19713078311270427, 3.782614194321459]),
    (
        "normal((18,), F4)",
        [
            2.1516835689544678,
            -0.4254360795021057,
            -0.7249579429626465,
            0.6297686696052551,
            -0.6499763131141663,
            0.2201211005449295,
            0.4817047119140625,
            -0.8388497233390808,
            -2.0534048080444336,
            -0.33857524394989014,
            -1.1805402040481567,
            -0.9709550738334656,
            0.33889061212539673,
            -1.0769460201263428,
            -0.042259108275175095,
            -0.3095586597919464,
            1.3160507678985596,
            0.24046428501605988,
        ],
    ),
    (
        "normal((17,), F8)",
        [
            0.1861331241827135,
            1.4443292589493617,
            1.1646247881615477,
            -0.3111905693312746,
            0.6529534628266735,
            -0.30460678108864486,
            0.7674058159615686,
            -3.133103142362693,
            0.06818483899401387,
            -0.15507087145302711,
            0.2557199454498093,
            -0.612619048951389,
            -0.3670315564061935,
            -1.2346328739370174,
            -0.8610846706976155,
            -0.19892518844800075,
            -0.9753969986235776,
        ],
    ),
    (
        "normal((19,), F2)",
        [
            0.4775390625,
            1.2099609375,
            -1.2216796875,
            -0.6005859375,
            -1.4560546875,
            -0.6240234375,
            -1.25,
            1.2578125,
            -0.188720703125,
            0.1871337890625,
            1.0517578125,
            0.494140625,
            1.3330078125,
            -0.96875,
            -1.8408203125,
            0.110107421875,
            -1.1591796875,
            0.335693359375,
            -0.76904296875,
        ],
    ),
    (
        "normal((17,), F4, 0.0, 1.0, contiguous=False)",
        [
            -1.326710820198059,
            -0.5832545757293701,
            0.19462336599826813,
            -0.1411990076303482,
            1.924412727355957,
            -0.5582314133644104,
            0.4028491675853729,
            0.19713760912418365,
            0.9329367280006409,
            -0.17052023112773895,
            1.2926685810089111,
            -1.07252037525177,
            0.394351065158844,
            -1.292686104774475,
            0.7131650447845459,
            -0.975342333316803,
            -1.4538512229919434,
        ],
    ),
    ("normal((2,), C16)", [(0.643661526297576 - 0.3021730850907101j), (-0.25320919499670214 - 0.34723359587922537j)]),
    ("normal_around(np.array([1.0, 2.0]), np.array([0.5, 3.0]))", [0.8531581808605009, -3.1167711636288358]),
    ("integers((4,), I8, 0, 100)", [54, 93, 34, 65]),
    ("integers((2,), I8, -5, 2**40)", [451626774579, 127735365229]),
    ("integers((2,), I8, -(2**63), 2**63)", [-7656777618070140634, 8964259993147918842]),
    ("integers_of_dtype((2,), I8)", [9109903588871467409, 5050785142199371975]),
    ("integers_of_dtype((2,), I4)", [456380782, 2065214768]),
    ("integers_of_dtype((2,), F4)", [8832942.0, 679437.0]),
    ("integers_of_dtype((2,), U1)", [212, 36]),
    ("permutation(6, I8)", [5, 2, 4, 0, 3, 1]),
    ("bernoulli((6,), F4, 0.4)", [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]),
    ("bernoulli((2, 3), F4, P)", [1.0, 1.0, 1.0, 0.0, 0.0, 1.0]),
    ("bernoulli((2, 3), F4, P.astype(F8))", [1.0, 0.0, 1.0, 0.0, 1.0, 1.0]),
    ("exponential((2,), F4, 1.5)", [1.035043478012085, 0.19611826539039612]),
    ("exponential((2,), F8)", [0.39525607166606586, 0.686124879091234]),
    ("cauchy((2,), F4)", [-0.5728598833084106, 1.1705785989761353]),
    ("cauchy((2,), F8, 1.0, 0.5)", [0.3764252150230084, 1.764264144030396]),
    ("log_normal((3,), F8)", [0.07262487770040493, 95.94190924390671, 8.216443801035345]),
    ("geometric((4,), F4, 0.2)", [1.0, 1.0, 21.0, 1.0]),
    ("poisson(R)", [0.0, 8.0, 39.0, 1083.0]),
    ("binomial(np.array([5.0, 100.0, 1000.0]), np.array([0.3, 0.9, 0.4]))", [4.0, 90.0, 374.0]),
    ("gamma(R)", [0.2654758310257214, 3.3792544047533086, 44.10427354139006, 999.5722644276789]),
    ("dirichlet(R)", [1.2501297229928634e-06, 0.0031967321671748203, 0.03661495780626173, 0.9601870598968405]),
    ("multinomial(P, 2)", [2, 1]),
    ("multinomial(P, 1)", [1]),
    ("multinomial(P, 6, replacement=True)", [1, 0, 2, 2, 2, 2]),
    ("uniform((2,), F4)", [0.058255672454833984, 0.1550285816192627]),
]

# CRC-32 of what it gives after manual_seed(n): randn(n), empty(n).normal_(0.5, 2), rand(n), rand(n) in float64,
# randint(1000, (n,)), randperm(n), empty(n).uniform_(-1, 1), empty(n, dtype=bool).bernoulli_(0.3).
CHECKSUMS = {
    16: (3850268010, 2805953907, 2457900803, 1899432300, 685553288, 3078232117, 2580546870, 2873799816),
    17: (3830497709, 3413231779, 2525291595, 3242290985, 672072171, 133655316, 1500893312, 4226583815),
    31: (3722115596, 2240706249, 2252826661, 2533239619, 4144458606, 910466842, 1220391996, 1826634197),
    32: (3391145578, 1794967648, 1889184197, 4287671111, 769366800, 3131795915, 3364596582, 1569308165),
    100: (210300613, 470399129, 745936421, 3556227071, 688964062, 588365555, 4264713682, 1064083656),
    1605: (2722440161, 2461568279, 152931676, 1732182430, 1800280505, 3976785922, 2455021650, 3960800647),
    20000: (796008341, 2765944419, 2560958813, 326665412, 1394224303, 173253088, 3144723740, 3952081611),
}


def test_a_sequence_of_all_kinds_is_pytorchs():
    stream = Stream(20260)
    for call, expected in SEQUENCE:
        drawn = eval(f"stream.{call}", NAMES, {"stream": stream})
        # Equal on this library's platform; a last bit may differ with another C library's logarithm.
        np.testing.assert_allclose(drawn.ravel(), np.array(expected, drawn.dtype), rtol=4 * rounding(drawn), err_msg=call)


def rounding(array):
    return 0 if array.dtype.kind in "iu" else np.finfo(array.dtype).eps


@pytest.mark.parametrize("size", CHECKSUMS)
def test_checksums_are_pytorchs(size):
    stream = Stream(size)
    drawn = (
        stream.normal((size,), F4),
        stream.normal((size,), F4, 0.5, 2.0),
        stream.uniform((size,), F4),
        stream.uniform((size,), F8),
        stream.integers((size,), I8, 0, 1000),
        stream.permutation(size, I8),
        stream.uniform((size,), F4, -1.0, 1.0),
        stream.bernoulli((size,), B1, 0.3),
    )
    assert tuple(zlib.crc32(each.tobytes()) for each in drawn) == CHECKSUMS[size]


# Words and states.


@given(st.lists(st.integers(0, 1500), max_size=12))
def test_words_are_the_same_in_pieces_of_any_size(sizes):
    pieces, whole = MersenneTwister(3), MersenneTwister(3)
    expected = whole.words(sum(sizes))
    assert np.array_equal(np.concatenate([pieces.words(size) for size in sizes] or [expected[:0]]), expected)
    assert np.array_equal(pieces.words(5), whole.words(5))


@given(st.lists(st.sampled_from([1, 2, 3, 311, 312, 623]), min_size=1, max_size=8))
def test_single_doubles_are_those_of_an_array(skips):
    single, several = MersenneTwister(3), MersenneTwister(3)
    for skip in skips:
        single.words(skip), several.words(skip)
        assert [single.double() for _ in range(4)] == several.doubles(4).tolist()


def test_words_follow_numpys_seeding():
    for seed in (0, 1, 2**32 - 1, 2**32 + 7, 2**64 - 1):
        expected = np.random.RandomState(seed % 2**32).randint(0, 2**32, 2000, dtype=np.uint32)
        assert np.array_equal(MersenneTwister(seed).words(2000), expected)


def test_the_state_is_laid_out_as_pytorchs():
    stream = Stream(7)
    stream.normal((3,), F4)
    state = stream.state()
    assert state.shape == (STATE_BYTES,) == (5056,) and state.dtype == np.uint8
    assert state[:24].tolist() == [7, *[0] * 7, 105, 2, 0, 0, 1, 0, 0, 0, 8, *[0] * 7]
    assert state[24:40].tolist() == [249, 163, 137, 120, 0, 0, 0, 0, 77, 45, 24, 86, 0, 0, 0, 0]
    assert state[5016:].tolist() == [*[0] * 8, 182, 242, 124, 101, 90, 212, 241, 191, *[0] * 8, 1, *[0] * 15]


@pytest.mark.parametrize("words", [0, 1, 623, 624, 625, 1248, 3000])
@pytest.mark.parametrize("singles", [0, 1])
def test_a_state_brings_back_the_numbers(words, singles):
    stream = Stream(2**40 + 1)
    stream.uniform((words,), F4)
    stream.normal((singles,), F4)
    state = stream.state()
    expected = stream.normal((5,), F8), stream.uniform((2000,), F4)
    other = Stream(0)
    other.load(state)
    assert other.seed == 2**40 + 1 and np.array_equal(other.state(), state)
    third = Stream(1)
    third.load(other.state())  # of what has drawn nothing since
    assert np.array_equal(third.uniform((9,), F4), _loaded(state).uniform((9,), F4))
    assert np.array_equal(other.normal((5,), F8), expected[0])
    assert np.array_equal(other.uniform((2000,), F4), expected[1])


def _loaded(state):
    stream = Stream(0)
    stream.load(state)
    return stream


def test_the_key_of_a_state_is_numpys():
    for count in (624, 1000, 624 * 30 + 5):
        stream, source = MersenneTwister(11), np.random.RandomState(11)
        stream.words(count)
        source.randint(0, 2**32, count, dtype=np.uint32)
        key, position = source.get_state()[1:3]
        assert np.array_equal(stream.state()[24:5016].view(np.uint64), key)
        assert position == (count % 624 or 624)


def test_words_give_back_what_they_were_made_of():
    key = np.random.default_rng(0).integers(0, 2**32, 50_000, dtype=np.uint32)
    assert np.array_equal(mersenne_twister._untempered(mersenne_twister._tempered(key)), key)


@pytest.mark.parametrize(("at", "value"), [(8, 0), (8, 625), (12, 0), (16, 625)])
def test_what_is_no_state_is_refused_and_changes_nothing(at, value):
    stream = Stream(5)
    before = stream.state()
    wrong = before.copy()
    wrong[at : at + 4].view(np.int32)[0] = value
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        stream.load(wrong)
    with pytest.raises(RuntimeError, match=r"Expected a CPUGeneratorImplState of size 5056 but found .* to be 5055"):
        stream.load(before[1:])
    assert np.array_equal(stream.state(), before)


def test_threads_share_a_stream_without_losing_or_repeating_a_number():
    stream = Stream(1)
    drawn: list[np.ndarray] = []

    def draw():
        for _ in range(200):
            drawn.append(stream.uniform((7,), F4))

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = Stream(1).uniform((8 * 200, 7), F4)
    assert sorted(map(tuple, drawn)) == sorted(map(tuple, expected))


# Distributions.

DRAWN = 40_000
# A draw, and the mean and variance it should have.
MOMENTS = {
    "uniform": (lambda s: s.uniform((DRAWN,), F4, -2.0, 4.0), 1.0, 3.0),
    "normal": (lambda s: s.normal((DRAWN,), F4, 3.0, 2.0), 3.0, 4.0),
    "normal float64": (lambda s: s.normal((DRAWN,), F8, 3.0, 2.0), 3.0, 4.0),
    "normal one by one": (lambda s: s.normal((DRAWN,), F4, 3.0, 2.0, contiguous=False), 3.0, 4.0),
    "normal complex": (lambda s: np.abs(s.normal((DRAWN,), C8)) ** 2, 1.0, 1.0),
    "integers": (lambda s: s.integers((DRAWN,), I8, -3, 8), 2.0, 10.0),
    "bernoulli": (lambda s: s.bernoulli((DRAWN,), F4, 0.3), 0.3, 0.21),
    "exponential": (lambda s: s.exponential((DRAWN,), F4, 2.0), 0.5, 0.25),
    "log of log_normal": (lambda s: np.log(s.log_normal((DRAWN,), F8, 1.0, 0.5)), 1.0, 0.25),
    "arc of cauchy": (lambda s: np.arctan(s.cauchy((DRAWN,), F8)), 0.0, math.pi**2 / 12),
    "geometric": (lambda s: s.geometric((DRAWN,), F4, 0.25), 4.0, 12.0),
    "poisson, small": (lambda s: s.poisson(np.full(DRAWN, 2.5)), 2.5, 2.5),
    "poisson, large": (lambda s: s.poisson(np.full(DRAWN, 50.0)), 50.0, 50.0),
    "binomial, small": (lambda s: s.binomial(np.full(DRAWN, 8.0), np.full(DRAWN, 0.75)), 6.0, 1.5),
    "binomial, large": (lambda s: s.binomial(np.full(DRAWN, 100.0), np.full(DRAWN, 0.75)), 75.0, 18.75),
    "gamma, small": (lambda s: s.gamma(np.full(DRAWN, 0.5)), 0.5, 0.5),
    "gamma, large": (lambda s: s.gamma(np.full(DRAWN, 3.0)), 3.0, 3.0),
    "dirichlet": (lambda s: s.dirichlet(np.full((DRAWN, 2), 1.0))[:, 0], 0.5, 1 / 12),
    "multinomial": (lambda s: s.multinomial(np.array([1.0, 2.0, 1.0]), DRAWN, True), 1.0, 0.5),
    "multinomial, one": (lambda s: s.multinomial(np.tile([1.0, 2.0, 1.0], (DRAWN, 1)), 1), 1.0, 0.5),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_means_and_variances(name):
    draw, mean, variance = MOMENTS[name]
    drawn = draw(Stream(11)).astype(np.float64).ravel()
    assert drawn.mean() == pytest.approx(mean, abs=5 * math.sqrt(variance / DRAWN))
    assert drawn.var() == pytest.approx(variance, rel=0.1)


def test_uniform_numbers_stay_below_the_upper_bound():
    assert Stream(0).uniform((200_000,), F2).max() < 1  # where a number just below 1 rounds to 1
    drawn = Stream(0).uniform((10_000,), F4, 1000.0, 1000.001)
    assert drawn.min() == 1000 and drawn.max() < np.float32(1000.001)
    assert (Stream(0).uniform((100,), F8, 3.0, 3.0) == 3).all()


@pytest.mark.parametrize("length", [1, 2, 3, 10, 1000])
def test_a_permutation_is_that_of_swapping_one_by_one(length, monkeypatch):
    words = MersenneTwister(4).words(length).tolist()
    expected = list(range(length))
    for i in range(length - 1):
        j = i + words[i] % (length - i)
        expected[i], expected[j] = expected[j], expected[i]
    assert Stream(4).permutation(length, I8).tolist() == expected
    monkeypatch.setattr(permutations, "_SHORT", 0)
    assert Stream(4).permutation(length, I8).tolist() == expected


@pytest.mark.parametrize("length", [1, 2, 3, 10, 1000])
def test_a_very_long_permutation_is_grown(length, monkeypatch):
    monkeypatch.setattr(permutations, "LONG", 1)
    words = MersenneTwister(4).words(2 * length).tolist()
    expected = [0] * length
    for i in range(length):
        j = (words[2 * i] << 32 | words[2 * i + 1]) % (i + 1)
        expected[i], expected[j] = expected[j], i
    assert Stream(4).permutation(length, I8).tolist() == expected


def floats(bound):
    # Parts of a product below 1e-290 underflow, and with them what it lost: values as near to zero are not drawn.
    return st.floats(-bound, bound).filter(lambda value: value == 0 or abs(value) > 1e-100)


@given(floats(1e6), floats(1e3), floats(1e3))
def test_scaling_and_shifting_rounds_once(value, scale, shift):
    values = np.array([value])
    box_muller.scale_and_shift(values, scale, shift)
    exact = Fraction(value) * Fraction(scale) + Fraction(shift)
    assert values[0] == pytest.approx(float(exact), rel=0, abs=5e-324)


@pytest.mark.parametrize("size", [10, 5000])
@pytest.mark.parametrize("name", ["log", "log1p", "exp", "tan", "cos", "sin"])
def test_functions_are_the_c_librarys(name, size):
    x = Stream(9).uniform((size,), F8) * (-1 if name == "log1p" else 1)
    assert box_muller.as_libm(name, x).tolist() == [getattr(math, name)(each) for each in x.tolist()]


def test_exp_past_the_largest_number_is_infinite():
    assert box_muller.as_libm("exp", np.array([0.0, 1e4])).tolist() == [1.0, math.inf]


@pytest.mark.parametrize("order", ["C", "F"])
def test_axes_come_in_the_order_of_memory(order):
    array = np.empty((2, 3, 4), order=order)
    assert array.transpose(memory_axes(array)).flags.c_contiguous


# Generators.


def test_the_default_generator_begins_unknown_and_others_at_one_seed():
    assert generators.Generator().initial_seed() == 67280421310721
    assert generators.seed() == generators.initial_seed() != generators.seed()


def test_generators_give_the_numbers_of_their_seed():
    generator = generators.Generator().manual_seed(2)
    assert generator.device.type == "cpu"
    drawn = generators.stream_of(generator).uniform((4,), F4)
    assert np.array_equal(drawn, Stream(2).uniform((4,), F4))
    assert generators.manual_seed(2) is generators.default_generator
    assert np.array_equal(generators.stream_of(None).uniform((4,), F4), drawn)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g)), lambda g: g.clone_state()]
)
def test_a_copy_goes_on_by_itself(again):
    generator = generators.Generator().manual_seed(2)
    generators.stream_of(generator).normal((1,), F4)
    other = again(generator)
    first = generators.stream_of(generator).normal((3,), F4)
    assert np.array_equal(generators.stream_of(other).normal((3,), F4), first)


def test_forking_brings_back_the_state():
    generators.manual_seed(1)
    with generators.fork_rng():
        generators.manual_seed(5)
        generators.stream_of(None).uniform((9,), F4)
    assert generators.initial_seed() == 1
    assert np.array_equal(generators.stream_of(None).uniform((4,), F4), Stream(1).uniform((4,), F4))
    with generators.fork_rng(enabled=False):
        generators.manual_seed(5)
    assert generators.initial_seed() == 5
    with pytest.raises(ZeroDivisionError), generators.fork_rng():
        generators.manual_seed(6)
        raise ZeroDivisionError
    assert generators.initial_seed() == 5


def test_states_are_byte_tensors():
    generators.manual_seed(1)
    state = generators.get_rng_state()
    generators.stream_of(None).uniform((9,), F4)
    generators.set_rng_state(state)
    assert np.array_equal(generators.stream_of(None).uniform((4,), F4), Stream(1).uniform((4,), F4))
    for wrong, error, text in (
        (5, TypeError, "expected a torch.ByteTensor, but got int"),
        (state._array, TypeError, "expected a torch.ByteTensor, but got numpy.ndarray"),
        (wrap(np.zeros(5056)), TypeError, "RNG state must be a torch.ByteTensor"),
        (wrap(np.zeros(10112, np.uint8)[::2]), RuntimeError, "RNG state must be contiguous"),
    ):
        with pytest.raises(error, match=text):
            generators.set_rng_state(wrong)


def test_generators_are_of_the_cpu():
    assert generators.Generator("cpu").device.type == generators.Generator(device=None).device.type == "cpu"
    for device, text in (
        ("cuda", "Cannot get CUDA generator without ATen_cuda library"),
        ("mps", "Cannot execute getNewGenerator.. without MPS backend"),
        ("meta", "META device type not an accelerator"),
    ):
        with pytest.raises(RuntimeError, match=text):
            generators.Generator(device)
    generator = generators.Generator()
    for call in (generator.get_offset, lambda: generator.set_offset(4)):
        with pytest.raises(RuntimeError, match="CPU Generator does not use offset"):
            call()
    for call in (generator.graphsafe_get_state, lambda: generator.graphsafe_set_state(generator)):
        with pytest.raises(NotImplementedError, match="is not supported in this Generator"):
            call()


def test_few_normal_numbers_are_the_same_in_any_pieces() -> None:
    single = np.dtype("float32")
    for before in (0, 1, 617, 621):  # words drawn before: odd places, and pairs that lie across the end of a block
        whole, pieces = Stream(5), Stream(5)
        whole.uniform((before,), single)
        pieces.uniform((before,), single)
        wanted = whole.normal((15,), single).tolist()
        assert [number for count in (3, 4, 1, 0, 7) for number in pieces.normal((count,), single).tolist()] == wanted
