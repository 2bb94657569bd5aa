// Sweeps as Python sees them.
#include "functions.h"
#include "pool.h"

namespace rushlight {
namespace {

// What one number takes, in nanoseconds, about: whether other threads are worth waking.
constexpr double COST = 0.6;

// (out, x, number, ...) or (out, x, h, number, ...), with as many numbers as the function has.
template <SweepKind KIND, bool SLOPE, int NUMBERS = 0> PyObject *sweep(PyObject *, PyObject *const *args, Py_ssize_t count) {
    constexpr Py_ssize_t ARRAYS = SLOPE ? 3 : 2;
    if (!has(count, ARRAYS + NUMBERS)) return nullptr;
    Sweep arrays{};
    for (int i = 0; i < NUMBERS; i++) arrays.numbers[i] = PyFloat_AsDouble(args[ARRAYS + i]);
    if (NUMBERS && PyErr_Occurred()) return nullptr;
    Array out, x, h;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !x.is_like(out)) Py_RETURN_FALSE;
    if (SLOPE && (!h.get(args[2], false) || !h.is_like(out))) Py_RETURN_FALSE;
    arrays.x = x.data(), arrays.h = h.data(), arrays.out = out.data();
    SweepLoop loop = in_use.load()->sweeps[KIND][out.is_double()];
    std::size_t size = out.size();
    unlocked(size, [&] {
        share(size, 1024, COST, [&](std::size_t from, std::size_t to) { loop(arrays, from, to); });
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef sweep_functions[] = {
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
    fast("hypot", sweep<HYPOTENUSE, true>),
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
