// The kernels as Python sees them: functions of objects with the buffer protocol. Each gives True,
// or False, and then has done nothing, where an array is not of a kind that it takes: not in order, or not all of one dtype.
#include "arguments.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "convolution.h"
#include "loops.h"
#include "pool.h"

namespace {

using rushlight::Array;
using rushlight::GIVES_LOCK_AWAY;
using rushlight::has;
using rushlight::Rows;
using rushlight::Set;
using rushlight::Sweep;
using rushlight::unlocked;

std::atomic<const Set *> in_use{rushlight::set_base()};

// What one number takes, in nanoseconds, about: whether other threads are worth waking.
constexpr double SWEEP_COST = 0.6, ROW_COST = 1.0;

template <rushlight::SweepKind KIND, bool SLOPE> PyObject *sweep(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, SLOPE ? 3 : 2)) return nullptr;
    Array out, x, h;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !x.is_like(out)) Py_RETURN_FALSE;
    if (SLOPE && (!h.get(args[2], false) || !h.is_like(out))) Py_RETURN_FALSE;
    Sweep arrays{x.data(), h.data(), out.data()};
    rushlight::SweepLoop loop = in_use.load()->sweeps[KIND][out.is_double()];
    std::size_t size = out.size();
    unlocked(size, [&] {
        rushlight::share(size, 1024, SWEEP_COST, [&](std::size_t from, std::size_t to) { loop(arrays, from, to); });
    });
    Py_RETURN_TRUE;
}

// The length of rows as an argument gives it; 0 where there are none.
std::size_t length_of_rows(PyObject *object, std::size_t size) {
    std::size_t length = PyLong_AsSize_t(object);
    if (PyErr_Occurred()) return 0;
    return length && size && size % length == 0 ? length : 0;
}

void by_rows(const Rows &rows, rushlight::RowsLoop loop, std::size_t count, std::size_t step, double cost) {
    unlocked(count * rows.length, [&] {
        double each = cost * static_cast<double>(rows.length);
        rushlight::share(count, step, each, [&](std::size_t from, std::size_t to) { loop(rows, from, to); });
    });
}

// (out, x, length) or (out, y, g, length).
template <rushlight::RowsKind KIND, bool SLOPE> PyObject *softmax(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, SLOPE ? 4 : 3)) return nullptr;
    Array out, x, g;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !x.is_like(out)) Py_RETURN_FALSE;
    if (SLOPE && (!g.get(args[2], false) || !g.is_like(out))) Py_RETURN_FALSE;
    Rows rows{};
    rows.length = length_of_rows(args[count - 1], out.size());
    if (PyErr_Occurred()) return nullptr;
    if (!rows.length) Py_RETURN_FALSE;
    rows.x = x.data(), rows.g = g.data(), rows.out = out.data();
    by_rows(rows, in_use.load()->rows[KIND][out.is_double()], out.size() / rows.length, 1, ROW_COST);
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
    by_rows(rows, in_use.load()->rows[rushlight::LAYER_NORM][x.is_double()], x.size() / rows.length, 1, ROW_COST);
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
    by_rows(rows, in_use.load()->rows[rushlight::LAYER_NORM_SLOPES][x.is_double()], number, rows.rows_of_chunk, 2 * ROW_COST);
    rushlight::ColumnsLoop add = in_use.load()->columns[x.is_double()];
    if (for_weight) add(rows.partial, chunks, 2 * rows.length, rows.length, for_weight.data());
    if (for_bias) add(partial.get() + rows.length * itemsize, chunks, 2 * rows.length, rows.length, for_bias.data());
    Py_RETURN_TRUE;
}

// (y, x, w, bias, sizes), (for_x, g, w, None, sizes) or (for_w, g, x, None, sizes); sizes are those of a Convolution, all in a row.
template <rushlight::ConvolutionLoop LOOP> PyObject *convolution(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 5)) return nullptr;
    Array out, a, b, bias;
    if (!out.get(args[0], true) || !a.get(args[1], false) || !b.get(args[2], false) || !bias.get(args[3], false, true)) Py_RETURN_FALSE;
    for (const Array *each : {&out, &a, &b, &bias})
        if (*each && (each->kind != out.kind || !each->is_aligned())) Py_RETURN_FALSE;
    constexpr Py_ssize_t NUMBERS = sizeof(rushlight::Convolution) / sizeof(std::size_t);
    if (!PyTuple_Check(args[4]) || PyTuple_Size(args[4]) != NUMBERS) return PyErr_Format(PyExc_TypeError, "expected a tuple of %zd sizes", NUMBERS);
    std::size_t numbers[NUMBERS];
    for (Py_ssize_t i = 0; i < NUMBERS; i++) numbers[i] = PyLong_AsSize_t(PyTuple_GetItem(args[4], i));
    if (PyErr_Occurred()) return nullptr;
    rushlight::Convolution sizes;
    std::memcpy(&sizes, numbers, sizeof(sizes));
    int found = rushlight::FAILED;
    if (!rushlight::fits(sizes, LOOP, out.size(), a.size(), b.size(), bias ? bias.size() : 0)) Py_RETURN_FALSE;
    unlocked(GIVES_LOCK_AWAY, [&] { found = LOOP(*in_use.load(), out.is_double(), sizes, out.data(), a.data(), b.data(), bias.data()); });
    if (found == rushlight::FAILED) return PyErr_NoMemory();
    return PyBool_FromLong(found == rushlight::DONE);
}

PyObject *set_threads(PyObject *, PyObject *count) {
    std::size_t wanted = PyLong_AsSize_t(count);
    if (PyErr_Occurred()) return nullptr;
    rushlight::set_threads(wanted);
    Py_RETURN_NONE;
}

PyObject *threads(PyObject *, PyObject *) { return PyLong_FromSize_t(rushlight::threads()); }

PyObject *instruction_set(PyObject *, PyObject *) { return PyUnicode_FromString(in_use.load()->name); }

// Those that this processor has, the best last.
PyObject *instruction_sets(PyObject *, PyObject *) {
    PyObject *names = PyList_New(0);
    for (const Set *each : {rushlight::set_base(), rushlight::set_v3(), rushlight::set_v4()}) {
        if (!names || !each) continue;
        PyObject *name = PyUnicode_FromString(each->name);
        if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

PyObject *use(PyObject *, PyObject *name) {
    PyObject *bytes = PyUnicode_AsUTF8String(name);
    if (!bytes) return nullptr;
    const Set *found = nullptr;
    const char *wanted = PyBytes_AsString(bytes);
    for (const Set *each : {rushlight::set_base(), rushlight::set_v3(), rushlight::set_v4()})
        if (each && !std::strcmp(each->name, wanted)) found = each;
    Py_DECREF(bytes);
    if (!found) return PyErr_Format(PyExc_ValueError, "no such instruction set here: %R", name);
    in_use = found;
    Py_RETURN_NONE;
}

using Fast = PyObject *(*)(PyObject *, PyObject *const *, Py_ssize_t);

PyMethodDef fast(const char *name, Fast function) {
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), METH_FASTCALL, nullptr};
}

PyMethodDef methods[] = {
    fast("gelu", sweep<rushlight::GELU, false>),
    fast("gelu_tanh", sweep<rushlight::GELU_TANH, false>),
    fast("silu", sweep<rushlight::SILU, false>),
    fast("mish", sweep<rushlight::MISH, false>),
    fast("sigmoid", sweep<rushlight::SIGMOID, false>),
    fast("gelu_backward", sweep<rushlight::GELU_SLOPE, true>),
    fast("gelu_tanh_backward", sweep<rushlight::GELU_TANH_SLOPE, true>),
    fast("silu_backward", sweep<rushlight::SILU_SLOPE, true>),
    fast("mish_backward", sweep<rushlight::MISH_SLOPE, true>),
    fast("sigmoid_backward", sweep<rushlight::SIGMOID_SLOPE, true>),
    fast("tanh_backward", sweep<rushlight::TANH_SLOPE, true>),
    fast("softmax", softmax<rushlight::SOFTMAX, false>),
    fast("softmax_backward", softmax<rushlight::SOFTMAX_SLOPE, true>),
    fast("log_softmax", softmax<rushlight::LOG_SOFTMAX, false>),
    fast("log_softmax_backward", softmax<rushlight::LOG_SOFTMAX_SLOPE, true>),
    fast("conv", convolution<rushlight::convolve>),
    fast("conv_input_grad", convolution<rushlight::convolve_back>),
    fast("conv_weight_grad", convolution<rushlight::convolve_to_weights>),
    fast("layer_norm", layer_norm),
    fast("layer_norm_backward", layer_norm_backward),
    {"set_threads", set_threads, METH_O, nullptr},
    {"threads", threads, METH_NOARGS, nullptr},
    {"instruction_set", instruction_set, METH_NOARGS, nullptr},
    {"instruction_sets", instruction_sets, METH_NOARGS, nullptr},
    {"use", use, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

int begin(PyObject *) {
    for (const Set *each : {rushlight::set_v3(), rushlight::set_v4()})
        if (each) in_use = each;
    return 0;
}

// What Python learnt after 3.11, by number: this is built for all from there on.
constexpr int MULTIPLE_INTERPRETERS = 3, GIL = 4;

PyModuleDef_Slot slots[4] = {{Py_mod_exec, reinterpret_cast<void *>(begin)}, {0, nullptr}, {0, nullptr}, {0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", "Fused loops over arrays.", 0, methods, slots, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__native() {
    int next = 1;
    if (Py_Version >= 0x030C0000) slots[next++] = {MULTIPLE_INTERPRETERS, reinterpret_cast<void *>(2)};  // each with a lock of its own
    if (Py_Version >= 0x030D0000) slots[next++] = {GIL, reinterpret_cast<void *>(1)};  // not used
    return PyModuleDef_Init(&definition);
}
