// Sweeps as Python sees them.
#include <algorithm>

#include "functions.h"
#include "pool.h"

namespace rushlight {
namespace {

// What one number takes, in nanoseconds, about: whether other threads are worth waking.
constexpr double COST = 0.6;
constexpr std::size_t NEAR = 1024;  // numbers

// (out, x, number, ...) or (out, x, h, number, ...), with as many numbers as the function has.
template <SweepKind KIND, bool SLOPE, int NUMBERS = 0> PyObject *sweep(PyObject *, PyObject *const *args, Py_ssize_t count) {
    constexpr Py_ssize_t ARRAYS = SLOPE ? 3 : 2;
    if (!has(count, ARRAYS + NUMBERS)) return nullptr;
    Sweep arrays{};
    for (int i = 0; i < NUMBERS; i++) arrays.numbers[i] = PyFloat_AsDouble(args[ARRAYS + i]);
    if (NUMBERS && PyErr_Occurred()) return nullptr;
    Array out, x, h;
    bool in_place = args[1] == args[0];  // one buffer less takes an eighth of the time of a call on few numbers
    if (!out.get(args[0], true) || (!in_place && (!x.get(args[1], false) || !x.is_like(out)))) Py_RETURN_FALSE;
    if (SLOPE && (!h.get(args[2], false) || !h.is_like(out))) Py_RETURN_FALSE;
    arrays.x = in_place ? out.data() : x.data(), arrays.h = h.data(), arrays.out = out.data();
    SweepLoop loop = in_use.load()->sweeps[KIND][out.is_double()];
    std::size_t size = out.size();
    unlocked(size, [&] {
        share(size, 1024, COST, [&](std::size_t from, std::size_t to) { loop(arrays, from, to); });
    });
    Py_RETURN_TRUE;
}

// (out, start, end, weight)
PyObject *mixed(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 4)) return nullptr;
    Array out, start, end, weight;
    if (!out.get(args[0], true) || !start.get(args[1], false) || !end.get(args[2], false) || !weight.get(args[3], false)) Py_RETURN_FALSE;
    if (!start.is_like(out) || !end.is_like(out) || !weight.is_like(out)) Py_RETURN_FALSE;
    Mixture all{start.data(), end.data(), weight.data(), out.data()};
    MixtureLoop loop = in_use.load()->mixtures[out.is_double()];
    unlocked(out.size(), [&] {
        share(out.size(), 1024, COST, [&](std::size_t from, std::size_t to) { loop(all, from, to); });
    });
    Py_RETURN_TRUE;
}

// (out, start, step)
PyObject *counted(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 3)) return nullptr;
    Range all{};
    all.start = PyFloat_AsDouble(args[1]), all.step = PyFloat_AsDouble(args[2]);
    if (PyErr_Occurred()) return nullptr;
    Array out;
    if (!out.get(args[0], true)) Py_RETURN_FALSE;
    std::size_t blocks = 2 * RANGE_BLOCK / out.itemsize();
    all.out = out.data(), all.whole = out.size() / blocks * blocks;
    RangeLoop loop = in_use.load()->ranges[out.is_double()];
    unlocked(out.size(), [&] {
        share(out.size(), 1024, COST, [&](std::size_t from, std::size_t to) { loop(all, from, to); });
    });
    Py_RETURN_TRUE;
}

// Calls f(number in a half, number in the whole, how many) for stretches of numbers `from` to `to` of a half, whose lines are `width`
// long: in the whole the other half's line follows each.
template <class F> void along_halves(std::size_t width, std::size_t from, std::size_t to, F f) {
    for (std::size_t number = from, length; number < to; number += length) {
        length = std::min(width - number % width, to - number);
        f(number, number + number / width * width, length);
    }
}

// (out, x, width): the first of two lines, so wide, times the sigmoid of the other.
PyObject *glu(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 3)) return nullptr;
    std::size_t width = PyLong_AsSize_t(args[2]);
    if (PyErr_Occurred()) return nullptr;
    Array out, x;
    if (!out.get(args[0], true) || !x.get(args[1], false) || x.kind != out.kind) Py_RETURN_FALSE;
    if (!width || out.size() % width || x.size() / 2 != out.size() || x.size() % 2) Py_RETURN_FALSE;
    SweepLoop loop = in_use.load()->sweeps[GATED][out.is_double()];
    std::size_t item = out.itemsize();
    unlocked(out.size(), [&] {
        share(out.size(), 1024, COST, [&](std::size_t from, std::size_t to) {
            along_halves(width, from, to, [&](std::size_t number, std::size_t place, std::size_t length) {
                const char *first = static_cast<const char *>(x.data()) + place * item;
                loop(Sweep{first + width * item, first, static_cast<char *>(out.data()) + number * item, {}}, 0, length);
            });
        });
    });
    Py_RETURN_TRUE;
}

// (out, x, h, width)
PyObject *glu_backward(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 4)) return nullptr;
    std::size_t width = PyLong_AsSize_t(args[3]);
    if (PyErr_Occurred()) return nullptr;
    Array out, x, h;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !h.get(args[2], false) || !x.is_like(out) || h.kind != out.kind) Py_RETURN_FALSE;
    if (!width || h.size() % width || x.size() / 2 != h.size() || x.size() % 2) Py_RETURN_FALSE;
    const Set *set = in_use.load();
    bool is_double = out.is_double();
    std::size_t item = out.itemsize();
    unlocked(x.size(), [&] {
        share(h.size(), 1024, 2 * COST, [&](std::size_t from, std::size_t to) {
            along_halves(width, from, to, [&](std::size_t number, std::size_t place, std::size_t length) {
                const char *first = static_cast<const char *>(x.data()) + place * item, *gate = first + width * item, *slope = static_cast<const char *>(h.data()) + number * item;
                char *for_first = static_cast<char *>(out.data()) + place * item, *for_gate = for_first + width * item;
                set->sweeps[GATED][is_double](Sweep{gate, slope, for_first, {}}, 0, length);
                for (std::size_t begin = 0; begin < length; begin += NEAR) {  // the product stays in the nearest cache
                    std::size_t end = std::min(length, begin + NEAR);
                    set->sweeps[PRODUCT][is_double](Sweep{first, slope, for_gate, {}}, begin, end);
                    set->sweeps[GATE_SLOPE][is_double](Sweep{gate, for_gate, for_gate, {}}, begin, end);
                }
            });
        });
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef sweep_functions[] = {
    fast("mixed", mixed),
    fast("counted", counted),
    fast("glu", glu),
    fast("glu_backward", glu_backward),
    fast("gelu", sweep<GELU, false>),
    fast("gelu_tanh", sweep<GELU_TANH, false>),
    fast("silu", sweep<SILU, false>),
    fast("mish", sweep<MISH, false>),
    fast("sigmoid", sweep<SIGMOID, false>),
    fast("tanh", sweep<TANH, false>),
    fast("erf", sweep<ERF, false>),
    fast("erfinv", sweep<ERFINV, false>),
    fast("relu", sweep<RELU, false>),
    fast("leaky_relu", sweep<LEAKY_RELU, false, 1>),
    fast("elu", sweep<ELU, false, 3>),
    fast("softplus", sweep<SOFTPLUS, false, 2>),
    fast("log_sigmoid", sweep<LOG_SIGMOID, false>),
    fast("hardtanh", sweep<HARDTANH, false, 2>),
    fast("hardsigmoid", sweep<HARDSIGMOID, false>),
    fast("hardswish", sweep<HARDSWISH, false>),
    fast("softshrink", sweep<SOFTSHRINK, false, 1>),
    fast("sign", sweep<SIGN, false>),
    fast("threshold", sweep<THRESHOLD, false, 2>),
    fast("hardshrink", sweep<HARDSHRINK, false, 1>),
    fast("log1p", sweep<LOG1P, false>),
    fast("hypot", sweep<HYPOTENUSE, true>),
    fast("erfc", sweep<ERFC, false>),
    fast("lgamma", sweep<LOG_GAMMA, false>),
    fast("logaddexp", sweep<LOG_ADD_EXP, true>),
    fast("logaddexp2", sweep<LOG_ADD_EXP_2, true>),
    fast("fmod", sweep<FMOD, true>),
    fast("remainder", sweep<REMAINDER, true>),
    fast("fmod_number", sweep<FMOD_NUMBER, false, 1>),
    fast("remainder_number", sweep<REMAINDER_NUMBER, false, 1>),
    fast("nan_to_num", sweep<FINITE, false, 3>),
    fast("gelu_backward", sweep<GELU_SLOPE, true>),
    fast("gelu_tanh_backward", sweep<GELU_TANH_SLOPE, true>),
    fast("silu_backward", sweep<SILU_SLOPE, true>),
    fast("mish_backward", sweep<MISH_SLOPE, true>),
    fast("sigmoid_backward", sweep<SIGMOID_SLOPE, true>),
    fast("tanh_backward", sweep<TANH_SLOPE, true>),
    fast("relu_backward", sweep<RELU_SLOPE, true>),
    fast("leaky_relu_backward", sweep<LEAKY_RELU_SLOPE, true, 1>),
    fast("elu_backward", sweep<ELU_SLOPE, true, 3>),
    fast("softplus_backward", sweep<SOFTPLUS_SLOPE, true, 2>),
    fast("log_sigmoid_backward", sweep<LOG_SIGMOID_SLOPE, true>),
    fast("hardtanh_backward", sweep<HARDTANH_SLOPE, true, 2>),
    fast("hardsigmoid_backward", sweep<HARDSIGMOID_SLOPE, true, 1>),
    fast("hardswish_backward", sweep<HARDSWISH_SLOPE, true>),
    fast("threshold_backward", sweep<THRESHOLD_SLOPE, true, 1>),
    fast("smooth_l1", sweep<SMOOTH_L1, true, 1>),
    fast("smooth_l1_backward", sweep<SMOOTH_L1_SLOPE, true, 2>),
    fast("huber", sweep<HUBER, true, 1>),
    fast("huber_backward", sweep<HUBER_SLOPE, true, 2>),
    fast("shrink_backward", sweep<SHRINK_SLOPE, true, 1>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
