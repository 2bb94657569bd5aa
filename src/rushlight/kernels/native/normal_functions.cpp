// Normal numbers as Python sees them.
#include <cmath>

#include "functions.h"
#include "pool.h"

namespace rushlight {
namespace {

constexpr std::size_t BLOCK = 16;
constexpr double COST = 1.0, DOUBLE_COST = 15.0;  // of a number, in nanoseconds, about

// In double precision with the C library's functions, as PyTorch's are; scaled and shifted with one rounding.
void normals_in_double(double *values, std::size_t from, std::size_t to, double mean, double std) {
    constexpr double TURN = 6.283185307179586477;
    for (std::size_t block = from; block < to; block++)
        for (std::size_t i = block * BLOCK; i < block * BLOCK + BLOCK / 2; i++) {
            double radius = std::sqrt(-2.0 * std::log(1.0 - values[i])), angle = TURN * values[i + BLOCK / 2];
            double pair[2] = {radius * std::cos(angle), radius * std::sin(angle)};
            for (double &each : pair) {
                if (std != 1.0) each = mean != 0.0 ? std::fma(each, std, mean) : each * std;
                else if (mean != 0.0) each += mean;
            }
            values[i] = pair[0], values[i + BLOCK / 2] = pair[1];
        }
}

// (values, mean, std): uniform numbers, whole blocks, become normal ones.
PyObject *normal_blocks(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 3)) return nullptr;
    double mean = PyFloat_AsDouble(args[1]), std = PyFloat_AsDouble(args[2]);
    if (PyErr_Occurred()) return nullptr;
    Array values;
    if (!values.get(args[0], true) || !values.is_aligned() || values.size() % BLOCK) Py_RETURN_FALSE;
    NormalsLoop loop = in_use.load()->normals;
    unlocked(values.size(), [&] {
        share(values.size() / BLOCK, 1, (values.is_double() ? DOUBLE_COST : COST) * BLOCK, [&](std::size_t from, std::size_t to) {
            if (values.is_double()) normals_in_double(static_cast<double *>(values.data()), from, to, mean, std);
            else loop(static_cast<float *>(values.data()) + from * BLOCK, (to - from) * BLOCK, static_cast<float>(mean), static_cast<float>(std), mean == 0.0 && std == 1.0);
        });
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef normal_functions[] = {
    fast("normal_blocks", normal_blocks),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
