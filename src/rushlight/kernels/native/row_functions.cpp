// Sums, softmax and layer norm as Python sees them.
#include <memory>
#include <new>

#include "functions.h"
#include "pool.h"

namespace rushlight {
namespace {

// What one number takes, in nanoseconds, about: whether other threads are worth waking.
constexpr double COST = 1.0, FOLD_COST = 0.1;
constexpr std::size_t MANY_BLOCKS = 16;  // of one sum: fewer are added up by one thread sooner than another wakes

// The length of rows as an argument gives it; 0 where there are none.
std::size_t length_of_rows(PyObject *object, std::size_t size) {
    std::size_t length = PyLong_AsSize_t(object);
    if (PyErr_Occurred()) return 0;
    return length && size && size % length == 0 ? length : 0;
}

// By rows, or by stripes of columns: `count` of them, of `size` numbers.
void by_rows(const Rows &rows, RowsLoop loop, std::size_t size, std::size_t count, std::size_t step, double cost) {
    unlocked(size, [&] {
        double each = cost * static_cast<double>(size) / static_cast<double>(count);
        share(count, step, each, [&](std::size_t from, std::size_t to) { loop(rows, from, to); });
    });
}

// (out, x, length, inner) or (out, y, g, length, inner): along rows, or where numbers stand beside one another, down columns.
template <RowsKind KIND, ColumnsKind ACROSS, bool SLOPE> PyObject *softmax(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, SLOPE ? 5 : 4)) return nullptr;
    Array out, x, g;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !x.is_like(out)) Py_RETURN_FALSE;
    if (SLOPE && (!g.get(args[2], false) || !g.is_like(out))) Py_RETURN_FALSE;
    Rows rows{};
    rows.length = length_of_rows(args[count - 2], out.size());
    rows.inner = PyLong_AsSize_t(args[count - 1]);
    if (PyErr_Occurred()) return nullptr;
    if (!rows.length || !rows.inner || out.size() / rows.length % rows.inner) Py_RETURN_FALSE;
    rows.x = x.data(), rows.g = g.data(), rows.out = out.data();
    const Set *set = in_use.load();
    std::size_t lines = out.size() / rows.length;
    if (rows.inner == 1) by_rows(rows, set->rows[KIND][out.is_double()], out.size(), lines, 1, COST);
    else by_rows(rows, set->across[ACROSS][out.is_double()], out.size(), lines / rows.inner * ((rows.inner + STRIPE - 1) / STRIPE), 1, COST);
    Py_RETURN_TRUE;
}

// (out, x, length): of each row one number.
template <FoldKind KIND> PyObject *fold(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 3)) return nullptr;
    Array out, x;
    if (!out.get(args[0], true) || !x.get(args[1], false) || out.kind != x.kind) Py_RETURN_FALSE;
    Rows rows{};
    rows.length = length_of_rows(args[2], x.size());
    if (PyErr_Occurred()) return nullptr;
    if (!rows.length || out.size() != x.size() / rows.length) Py_RETURN_FALSE;
    rows.x = x.data(), rows.out = out.data();
    by_rows(rows, in_use.load()->folds[KIND][x.is_double()], x.size(), out.size(), 1, FOLD_COST);
    Py_RETURN_TRUE;
}

// (out, x, length, inner): down the columns of x (outer, length, inner).
PyObject *column_sums(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 4)) return nullptr;
    Array out, x;
    if (!out.get(args[0], true) || !x.get(args[1], false) || out.kind != x.kind) Py_RETURN_FALSE;
    Rows rows{};
    rows.length = length_of_rows(args[2], x.size());
    rows.inner = PyLong_AsSize_t(args[3]);
    if (PyErr_Occurred()) return nullptr;
    if (!rows.length || !rows.inner || x.size() / rows.length % rows.inner || out.size() != x.size() / rows.length) Py_RETURN_FALSE;
    rows.x = x.data(), rows.out = out.data();
    by_rows(rows, in_use.load()->column_sums[x.is_double()], x.size(), out.size() / rows.inner * ((rows.inner + BROAD - 1) / BROAD), 1, FOLD_COST);
    Py_RETURN_TRUE;
}

// (out, x): of all numbers, one after another in memory. A long line is added up in blocks, which are so many whatever the threads.
PyObject *total(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 2)) return nullptr;
    Array out, x;
    if (!out.get(args[0], true) || !x.get(args[1], false) || out.kind != x.kind || out.size() != 1) Py_RETURN_FALSE;
    const Set *set = in_use.load();
    Rows rows{};
    rows.x = x.data(), rows.out = out.data(), rows.length = x.size();
    std::size_t line = LANES_OF_LINE * LANE_BYTES / x.itemsize();
    rows.inner = run_of(rows.length / line);
    rows.count = rows.length / line / (rows.inner * rows.inner);
    if (rows.count < MANY_BLOCKS) {
        by_rows(rows, set->folds[SUMS][x.is_double()], x.size(), 1, 1, FOLD_COST);
        Py_RETURN_TRUE;
    }
    std::unique_ptr<char[]> partial(new (std::nothrow) char[rows.count * line * x.itemsize()]);  // less than x
    if (!partial) return PyErr_NoMemory();
    rows.partial = partial.get();
    by_rows(rows, set->block_sums[x.is_double()], x.size(), rows.count, 1, FOLD_COST);
    by_rows(rows, set->sums_of_blocks[x.is_double()], x.size(), 1, 1, FOLD_COST);
    Py_RETURN_TRUE;
}

bool is_row(const Array &vector, const Array &x, std::size_t length) {
    return !vector || (vector.kind == x.kind && vector.size() == length);
}

// (out, x, weight, bias, length, eps); weight and bias may be None.
PyObject *layer_norm(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 6)) return nullptr;
    Array out, x, weight, bias;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !x.is_like(out)) Py_RETURN_FALSE;
    if (!weight.get(args[2], false, true) || !bias.get(args[3], false, true)) Py_RETURN_FALSE;
    Rows rows{};
    rows.length = length_of_rows(args[4], x.size());
    rows.eps = PyFloat_AsDouble(args[5]);
    if (PyErr_Occurred()) return nullptr;
    if (!rows.length || !is_row(weight, x, rows.length) || !is_row(bias, x, rows.length)) Py_RETURN_FALSE;
    rows.x = x.data(), rows.weight = weight.data(), rows.bias = bias.data(), rows.out = out.data();
    by_rows(rows, in_use.load()->rows[LAYER_NORM][x.is_double()], x.size(), x.size() / rows.length, 1, COST);
    Py_RETURN_TRUE;
}

// (for_x, for_weight, for_bias, g, x, weight, length, eps): of the first three those that are not wanted are None; weight may be.
PyObject *layer_norm_backward(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 8)) return nullptr;
    Array for_x, for_weight, for_bias, g, x, weight;
    if (!for_x.get(args[0], true, true) || !for_weight.get(args[1], true, true) || !for_bias.get(args[2], true, true)) Py_RETURN_FALSE;
    if (!g.get(args[3], false) || !x.get(args[4], false) || !weight.get(args[5], false, true) || !g.is_like(x)) Py_RETURN_FALSE;
    Rows rows{};
    rows.length = length_of_rows(args[6], x.size());
    rows.eps = PyFloat_AsDouble(args[7]);
    if (PyErr_Occurred()) return nullptr;
    if (!rows.length || (for_x && !for_x.is_like(x))) Py_RETURN_FALSE;
    for (const Array *vector : {&for_weight, &for_bias, &weight})
        if (!is_row(*vector, x, rows.length)) Py_RETURN_FALSE;
    rows.g = g.data(), rows.x = x.data(), rows.weight = weight.data(), rows.out = for_x.data();
    // Chunks by the number of rows alone: so the sums do not depend on how many threads there are.
    std::size_t number = x.size() / rows.length, itemsize = x.is_double() ? 8 : 4;
    rows.rows_of_chunk = number < 16 * 64 ? 16 : number < 128 * 64 ? number / 64 : 128;
    std::size_t chunks = (number + rows.rows_of_chunk - 1) / rows.rows_of_chunk;
    std::unique_ptr<char[]> partial;
    if (for_weight || for_bias) {
        partial.reset(new (std::nothrow) char[chunks * 2 * rows.length * itemsize]);  // at most twice x: no overflow
        if (!partial) return PyErr_NoMemory();
        rows.partial = partial.get();
    }
    by_rows(rows, in_use.load()->rows[LAYER_NORM_SLOPES][x.is_double()], x.size(), number, rows.rows_of_chunk, 2 * COST);
    ColumnsLoop add = in_use.load()->columns[x.is_double()];
    if (for_weight) add(rows.partial, chunks, 2 * rows.length, rows.length, for_weight.data());
    if (for_bias) add(partial.get() + rows.length * itemsize, chunks, 2 * rows.length, rows.length, for_bias.data());
    Py_RETURN_TRUE;
}

// (out, moments, x, weight, bias, length, eps, is_brain): of numbers of two bytes, seen as whole ones; the rest is in single precision.
PyObject *layer_norm_of_halves(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 8)) return nullptr;
    Array out, moments, x, weight, bias;
    if (!out.get_any(args[0], true) || !moments.get(args[1], true) || !x.get_any(args[2], false) || !x.is_like(out) || x.kind != 'H') Py_RETURN_FALSE;
    if (!weight.get(args[3], false, true) || !bias.get(args[4], false, true) || !out.is_aligned() || !x.is_aligned()) Py_RETURN_FALSE;
    Rows rows{};
    rows.length = length_of_rows(args[5], x.size());
    rows.eps = PyFloat_AsDouble(args[6]);
    int is_brain = PyObject_IsTrue(args[7]);
    if (PyErr_Occurred()) return nullptr;
    if (!rows.length || moments.kind != 'f' || !moments.is_aligned() || !is_row(weight, moments, rows.length) || !is_row(bias, moments, rows.length)) Py_RETURN_FALSE;
    rows.count = x.size() / rows.length;
    if (moments.size() != 2 * rows.count) Py_RETURN_FALSE;
    rows.x = x.data(), rows.weight = weight.data(), rows.bias = bias.data(), rows.out = out.data(), rows.moments = static_cast<float *>(moments.data());
    rows.rows_of_chunk = (rows.count + 63) / 64;
    std::unique_ptr<float[]> room(new (std::nothrow) float[(rows.count + rows.rows_of_chunk - 1) / rows.rows_of_chunk * rows.length]);  // at most twice x
    if (!room) return PyErr_NoMemory();
    rows.partial = room.get();
    by_rows(rows, in_use.load()->half_norms[is_brain], x.size(), rows.count, rows.rows_of_chunk, COST);
    Py_RETURN_TRUE;
}

// (for_x, for_weight, for_bias, moments, g, x, weight, length, eps, is_brain, rounds): of the first three those that are not wanted are
// None; weight may be. x, g and for_x are numbers of two bytes, seen as whole ones; the rest is in single precision.
PyObject *layer_norm_backward_of_halves(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 11)) return nullptr;
    Array for_x, for_weight, for_bias, moments, g, x, weight;
    if (!x.get_any(args[5], false) || x.kind != 'H' || !x.is_aligned() || !g.get_any(args[4], false) || !g.is_like(x) || !g.is_aligned()) Py_RETURN_FALSE;
    if (args[0] != Py_None && (!for_x.get_any(args[0], true) || !for_x.is_like(x) || !for_x.is_aligned())) Py_RETURN_FALSE;
    if (!for_weight.get(args[1], true, true) || !for_bias.get(args[2], true, true) || !moments.get(args[3], true) || !weight.get(args[6], false, true)) Py_RETURN_FALSE;
    Rows rows{};
    rows.length = length_of_rows(args[7], x.size());
    rows.eps = PyFloat_AsDouble(args[8]);
    int is_brain = PyObject_IsTrue(args[9]), rounds = PyObject_IsTrue(args[10]);
    if (PyErr_Occurred()) return nullptr;
    if (!rows.length || moments.kind != 'f' || !moments.is_aligned()) Py_RETURN_FALSE;
    for (const Array *vector : {&for_weight, &for_bias, &weight})
        if (!is_row(*vector, moments, rows.length) || (*vector && !vector->is_aligned())) Py_RETURN_FALSE;
    rows.count = x.size() / rows.length;
    if (moments.size() != 2 * rows.count) Py_RETURN_FALSE;
    rows.g = g.data(), rows.x = x.data(), rows.weight = weight.data(), rows.out = for_x.data(), rows.moments = static_cast<float *>(moments.data());
    rows.for_weight = static_cast<float *>(for_weight.data()), rows.for_bias = static_cast<float *>(for_bias.data()), rows.rounds = rounds;
    rows.rows_of_chunk = (rows.count + 63) / 64;
    std::unique_ptr<float[]> room(new (std::nothrow) float[(rows.count + rows.rows_of_chunk - 1) / rows.rows_of_chunk * 2 * rows.length]);  // at most four times x
    if (!room) return PyErr_NoMemory();
    rows.partial = room.get();
    by_rows(rows, in_use.load()->half_norm_slopes[is_brain], x.size(), rows.count, rows.rows_of_chunk, 2 * COST);
    if (for_weight || for_bias) by_rows(rows, in_use.load()->half_norm_sums[is_brain], x.size(), rows.length, STRIPE, COST);
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef row_functions[] = {
    fast("total", total),
    fast("row_sums", fold<SUMS>),
    fast("row_number_sums", fold<NUMBER_SUMS>),
    fast("column_sums", column_sums),
    fast("row_squares", fold<SQUARES>),
    fast("row_products", fold<PRODUCTS>),
    fast("row_maxima", fold<MAXIMA>),
    fast("row_minima", fold<MINIMA>),
    fast("softmax", softmax<SOFTMAX, COLUMN_SOFTMAX, false>),
    fast("softmax_backward", softmax<SOFTMAX_SLOPE, COLUMN_SOFTMAX_SLOPE, true>),
    fast("log_softmax", softmax<LOG_SOFTMAX, COLUMN_LOG_SOFTMAX, false>),
    fast("log_softmax_backward", softmax<LOG_SOFTMAX_SLOPE, COLUMN_LOG_SOFTMAX_SLOPE, true>),
    fast("layer_norm", layer_norm),
    fast("layer_norm_backward", layer_norm_backward),
    fast("layer_norm_of_halves", layer_norm_of_halves),
    fast("layer_norm_backward_of_halves", layer_norm_backward_of_halves),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
