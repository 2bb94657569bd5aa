// What the module asks of the loops, which are built once for each instruction set.
#pragma once

#include <cstddef>

namespace rushlight {

// One sweep: out[i] is a function of x[i], times h[i] where it is a slope.
struct Sweep {
    const void *x, *h;
    void *out;
};
using SweepLoop = void (*)(const Sweep &, std::size_t from, std::size_t to);

// Rows of one length, one behind another; what a kernel has no use for is null.
struct Rows {
    const void *x, *g, *weight, *bias;
    void *out;
    void *partial;  // of each chunk of rows the sums of its columns: for the weight, then for the bias
    std::size_t length, rows_of_chunk;
    double eps;
};
using RowsLoop = void (*)(const Rows &, std::size_t from, std::size_t to);

// Sums, in order, of `count` lines of numbers, `stride` apart, of which `out` takes `length`.
using ColumnsLoop = void (*)(const void *lines, std::size_t count, std::size_t stride, std::size_t length, void *out);

enum SweepKind { GELU, GELU_TANH, SILU, MISH, SIGMOID, GELU_SLOPE, GELU_TANH_SLOPE, SILU_SLOPE, MISH_SLOPE, SIGMOID_SLOPE, TANH_SLOPE, SWEEPS };
enum RowsKind { SOFTMAX, SOFTMAX_SLOPE, LOG_SOFTMAX, LOG_SOFTMAX_SLOPE, LAYER_NORM, LAYER_NORM_SLOPES, ROWS };

// The loops of one instruction set: of float in [0], of double in [1].
struct Set {
    const char *name;
    SweepLoop sweeps[SWEEPS][2];
    RowsLoop rows[ROWS][2];
    ColumnsLoop columns[2];
};

// Null where they are for another processor.
const Set *set_base();
const Set *set_v3();
const Set *set_v4();

}  // namespace rushlight
