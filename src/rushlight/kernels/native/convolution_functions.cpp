// Convolutions as Python sees them.
#include <cstring>

#include "convolution.h"
#include "functions.h"

namespace rushlight {
namespace {

// (y, x, w, bias, sizes), (for_x, g, w, None, sizes) or (for_w, g, x, None, sizes); sizes are those of a Convolution, all in a row.
template <ConvolutionLoop LOOP> PyObject *convolution(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 5)) return nullptr;
    Array out, a, b, bias;
    if (!out.get(args[0], true) || !a.get(args[1], false) || !b.get(args[2], false) || !bias.get(args[3], false, true)) Py_RETURN_FALSE;
    for (const Array *each : {&out, &a, &b, &bias})
        if (*each && (each->kind != out.kind || !each->is_aligned())) Py_RETURN_FALSE;
    constexpr Py_ssize_t NUMBERS = sizeof(Convolution) / sizeof(std::size_t);
    std::size_t numbers[NUMBERS];
    if (!get_sizes(args[4], numbers)) return nullptr;
    Convolution sizes;
    std::memcpy(&sizes, numbers, sizeof(sizes));
    int found = FAILED;
    if (!fits(sizes, LOOP, out.size(), a.size(), b.size(), bias ? bias.size() : 0)) Py_RETURN_FALSE;
    unlocked(GIVES_LOCK_AWAY, [&] { found = LOOP(*in_use.load(), out.is_double(), sizes, out.data(), a.data(), b.data(), bias.data()); });
    if (found == FAILED) return PyErr_NoMemory();
    return PyBool_FromLong(found == DONE);
}

}  // namespace

PyMethodDef convolution_functions[] = {
    fast("conv", convolution<convolve>),
    fast("conv_input_grad", convolution<convolve_back>),
    fast("conv_weight_grad", convolution<convolve_to_weights>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
