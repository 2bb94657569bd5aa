// Sweeps as Python sees them.
#include "functions.h"
#include "pool.h"

namespace rushlight {
namespace {

// What one number takes, in nanoseconds, about: whether other threads are worth waking.
constexpr double COST = 0.6;

template <SweepKind KIND, bool SLOPE> PyObject *sweep(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, SLOPE ? 3 : 2)) return nullptr;
    Array out, x, h;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !x.is_like(out)) Py_RETURN_FALSE;
    if (SLOPE && (!h.get(args[2], false) || !h.is_like(out))) Py_RETURN_FALSE;
    Sweep arrays{x.data(), h.data(), out.data()};
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
    fast("gelu_backward", sweep<GELU_SLOPE, true>),
    fast("gelu_tanh_backward", sweep<GELU_TANH_SLOPE, true>),
    fast("silu_backward", sweep<SILU_SLOPE, true>),
    fast("mish_backward", sweep<MISH_SLOPE, true>),
    fast("sigmoid_backward", sweep<SIGMOID_SLOPE, true>),
    fast("tanh_backward", sweep<TANH_SLOPE, true>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
