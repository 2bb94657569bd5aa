// Distances between rows as Python sees them.
#include <algorithm>

#include "functions.h"
#include "memory.h"
#include "pool.h"

namespace rushlight {
namespace {

constexpr double COST = 0.1, SLOPE_COST = 0.15;  // of a coordinate of a pair, in nanoseconds, about

template <class T> bool measure(Distances &all, const T *x, const T *y, T *out, std::size_t batch, std::size_t rows) {
    all.pitch = all.columns + 64 / sizeof(T);
    Memory<T> turned(all.width * all.pitch);
    if (!turned) return false;
    std::fill(turned.get(), turned.get() + all.width * all.pitch, T(0));
    for (std::size_t n = 0; n < batch; n++) {
        for (std::size_t j = 0; j < all.columns; j++)
            for (std::size_t k = 0; k < all.width; k++) turned.get()[k * all.pitch + j] = y[(n * all.columns + j) * all.width + k];
        all.x = x + n * rows * all.width, all.turned = turned.get(), all.out = out + n * rows * all.columns;
        DistancesLoop loop = in_use.load()->distances[sizeof(T) == 8];
        share(rows, 1, COST * static_cast<double>(all.columns * all.width), [&](std::size_t from, std::size_t to) { loop(all, from, to); });
    }
    return true;
}

// (out, x, y, order, (batch, rows, columns, width)): of each row of x from each of y, or where y is None from those behind it.
PyObject *distances(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 5)) return nullptr;
    std::size_t sizes[4];
    Distances all{};
    all.order = static_cast<int>(PyLong_AsLong(args[3]));
    if (PyErr_Occurred() || !get_sizes<4>(args[4], sizes)) return nullptr;
    Array out, x, y;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !y.get(args[2], false, true)) Py_RETURN_FALSE;
    std::size_t batch = sizes[0], rows = sizes[1];
    all.columns = sizes[2], all.width = sizes[3], all.are_pairs = !y;
    if (all.order < 0 || all.order > 3 || x.kind != out.kind || (y && y.kind != out.kind)) Py_RETURN_FALSE;
    if (!out.is_aligned() || !x.is_aligned() || (y && !y.is_aligned())) Py_RETURN_FALSE;
    std::size_t of_x = product({batch, rows, all.width}), of_y = product({batch, all.columns, all.width}), pairs = product({batch, rows, all.columns});
    if (!of_x || !of_y || !pairs || x.size() != of_x || (y && y.size() != of_y)) Py_RETURN_FALSE;
    if (all.are_pairs && (batch != 1 || rows != all.columns)) Py_RETURN_FALSE;
    if (out.size() != (all.are_pairs ? rows * (rows - 1) / 2 : pairs)) Py_RETURN_FALSE;
    bool is_done = false;
    unlocked(pairs * all.width, [&] {
        const void *other = y ? y.data() : x.data();
        is_done = x.is_double() ? measure(all, static_cast<const double *>(x.data()), static_cast<const double *>(other), static_cast<double *>(out.data()), batch, rows)
                                : measure(all, static_cast<const float *>(x.data()), static_cast<const float *>(other), static_cast<float *>(out.data()), batch, rows);
    });
    if (!is_done) return PyErr_NoMemory();
    Py_RETURN_TRUE;
}

template <class T> void slope(DistanceSlopes all, std::size_t batch) {
    auto moved = [](const void *from, std::size_t count) { return static_cast<const void *>(static_cast<const T *>(from) + count); };
    DistanceSlopesLoop loop = in_use.load()->distance_slopes[sizeof(T) == 8];
    for (std::size_t n = 0; n < batch; n++) {
        share(all.rows, 1, SLOPE_COST * static_cast<double>(all.columns * (all.width + 8)), [&](std::size_t from, std::size_t to) { loop(all, from, to); });
        all.x = moved(all.x, all.rows * all.width), all.others = moved(all.others, all.columns * all.width);
        all.weights = moved(all.weights, all.rows * all.columns), all.out = static_cast<T *>(all.out) + all.rows * all.width;
        if (all.lengths) all.lengths = moved(all.lengths, all.rows * all.columns);
    }
}

// (out, weights, lengths or None, x, others or None, order, (batch, rows, columns, width, whether they are turned)): where there are no
// others, of pairs.
PyObject *distance_slopes(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 7)) return nullptr;
    std::size_t sizes[5];
    DistanceSlopes all{};
    all.order = static_cast<int>(PyLong_AsLong(args[5]));
    if (PyErr_Occurred() || !get_sizes<5>(args[6], sizes)) return nullptr;
    Array out, weights, lengths, x, others;
    if (!out.get(args[0], true) || !weights.get(args[1], false) || !lengths.get(args[2], false, true) || !x.get(args[3], false) || !others.get(args[4], false, true)) Py_RETURN_FALSE;
    std::size_t batch = sizes[0];
    all.rows = sizes[1], all.columns = sizes[2], all.width = sizes[3], all.are_turned = sizes[4] != 0, all.are_pairs = !others;
    if (all.order < 1 || all.order > 3 || (all.order == 3 && !lengths) || (all.are_pairs && (batch != 1 || all.rows != all.columns))) Py_RETURN_FALSE;
    for (const Array *each : {&weights, &lengths, &x, &others})
        if (*each && (each->kind != out.kind || !each->is_aligned())) Py_RETURN_FALSE;
    std::size_t of_x = product({batch, all.rows, all.width}), of_others = product({batch, all.columns, all.width}), pairs = product({batch, all.rows, all.columns});
    if (!of_x || !of_others || !pairs || !out.is_aligned() || out.size() != of_x || x.size() != of_x || (others && others.size() != of_others)) Py_RETURN_FALSE;
    if (all.are_pairs) pairs = all.rows * (all.rows - 1) / 2;
    if (weights.size() != pairs || (lengths && lengths.size() != pairs)) Py_RETURN_FALSE;
    all.x = x.data(), all.others = others ? others.data() : x.data(), all.weights = weights.data(), all.lengths = lengths.data(), all.out = out.data();
    unlocked(pairs * all.width, [&] { out.is_double() ? slope<double>(all, batch) : slope<float>(all, batch); });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef distance_functions[] = {
    fast("distances", distances),
    fast("distance_slopes", distance_slopes),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
