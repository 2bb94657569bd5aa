// A layer of long short-term memory along a sequence: its products with the state, and its gates. Samples do not know of one another,
// so that threads part them; each step takes four of them at a time through the weights, laid out as lines (lines.h).
#include <algorithm>
#include <atomic>

#include "functions.h"
#include "memory.h"
#include "pool.h"
#include "products.h"

namespace rushlight {
namespace {

constexpr double COST = 0.05, GATE_COST = 4;  // of a multiplication and of a cell, in nanoseconds, about

struct Layer {
    std::size_t steps, samples, width;
    bool backwards;

    std::size_t cells() const { return product({steps, samples, width}); }
    std::size_t at(std::size_t turn) const { return backwards ? steps - 1 - turn : turn; }
    double cost() const { return static_cast<double>(steps * width) * (4 * COST * static_cast<double>(width) + GATE_COST) * TOGETHER; }
};

struct Forward {
    void *out, *cells, *gates;
    const void *weights, *bias, *more, *h, *c;
};

template <class T> bool forward(const Set &set, const Layer &layer, const Forward &arrays) {
    std::size_t width = layer.width, all = 4 * width;
    const T *weights = static_cast<const T *>(arrays.weights), *h = static_cast<const T *>(arrays.h), *c = static_cast<const T *>(arrays.c);
    T *out = static_cast<T *>(arrays.out), *cells = static_cast<T *>(arrays.cells), *gates = static_cast<T *>(arrays.gates);
    Lines<T> lines(width, all);
    if (!lines) return false;
    lines.fill_with_columns(weights, static_cast<std::ptrdiff_t>(width));
    std::atomic<bool> failed{false};
    share((layer.samples + TOGETHER - 1) / TOGETHER, 1, layer.cost(), [&](std::size_t from, std::size_t to) {
        std::size_t first = from * TOGETHER, count = std::min(layer.samples, to * TOGETHER) - first;
        Factors<T> factors(count, width);
        Memory<T> sums(lines.room(count));
        if (!factors.held || !sums) {
            failed = true;
            return;
        }
        for (std::size_t n = 0; n < count; n++) factors.set(n, h + (first + n) * width);
        for (std::size_t turn = 0; turn < layer.steps; turn++) {
            lines.multiply(set, factors, sums.get());
            const T *before = turn ? cells + layer.at(turn - 1) * layer.samples * width : c;
            for (std::size_t n = 0; n < count; n++) {
                std::size_t row = layer.at(turn) * layer.samples + first + n;
                set.lstm[sizeof(T) == 8]({gates + row * all, sums.get() + n * lines.pitch, arrays.bias, arrays.more, before + (first + n) * width,
                                          cells + row * width, out + row * width, width});
                factors.set(n, out + row * width);
            }
        }
    });
    return !failed;
}

struct Backward {
    void *for_gates, *for_hidden, *for_cell;
    const void *gates, *cells, *c, *weights, *given;
};

template <class T> bool backward(const Set &set, const Layer &layer, const Backward &arrays) {
    std::size_t width = layer.width, all = 4 * width;
    const T *weights = static_cast<const T *>(arrays.weights), *gates = static_cast<const T *>(arrays.gates);
    const T *cells = static_cast<const T *>(arrays.cells), *c = static_cast<const T *>(arrays.c), *given = static_cast<const T *>(arrays.given);
    T *for_gates = static_cast<T *>(arrays.for_gates), *for_hidden = static_cast<T *>(arrays.for_hidden), *for_cell = static_cast<T *>(arrays.for_cell);
    Lines<T> lines(all, width);
    if (!lines) return false;
    lines.fill_with_rows(weights, static_cast<std::ptrdiff_t>(width));
    std::atomic<bool> failed{false};
    share((layer.samples + TOGETHER - 1) / TOGETHER, 1, layer.cost(), [&](std::size_t from, std::size_t to) {
        std::size_t first = from * TOGETHER, count = std::min(layer.samples, to * TOGETHER) - first;
        Factors<T> factors(count, all);
        Memory<T> sums(lines.room(count));
        if (!factors.held || !sums) {
            failed = true;
            return;
        }
        for (std::size_t n = 0; n < count; n++) std::copy(for_hidden + (first + n) * width, for_hidden + (first + n + 1) * width, sums.get() + n * lines.pitch);
        for (std::size_t turn = layer.steps; turn--;) {
            const T *before = turn ? cells + layer.at(turn - 1) * layer.samples * width : c;
            for (std::size_t n = 0; n < count; n++) {
                std::size_t row = layer.at(turn) * layer.samples + first + n;
                set.lstm_back[sizeof(T) == 8]({gates + row * all, cells + row * width, before + (first + n) * width, given ? given + row * width : nullptr,
                                               sums.get() + n * lines.pitch, for_cell + (first + n) * width, for_gates + row * all, width});
                factors.set(n, for_gates + row * all);
            }
            lines.multiply(set, factors, sums.get());
        }
        for (std::size_t n = 0; n < count; n++) std::copy(sums.get() + n * lines.pitch, sums.get() + n * lines.pitch + width, for_hidden + (first + n) * width);
    });
    return !failed;
}

// Whether arrays are all of one dtype, aligned, and of the sizes that stand beside them; what may be None is then nothing.
struct Wanted {
    const Array *array;
    std::size_t size;
};
bool fit(std::initializer_list<Wanted> all, const Array &like) {
    return std::all_of(all.begin(), all.end(), [&](const Wanted &each) {
        return !*each.array || (each.array->kind == like.kind && each.array->is_aligned() && each.array->size() == each.size);
    });
}

bool read(PyObject *numbers, Layer &layer) {
    std::size_t sizes[4];
    if (!get_sizes(numbers, sizes)) return false;
    layer = {sizes[0], sizes[1], sizes[2], sizes[3] != 0};
    return true;
}

// (out, cells, gates, weights, bias, more, h, c, sizes): gates hold what the inputs add to them. Sizes: those of a Layer.
PyObject *lstm(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 9)) return nullptr;
    Layer layer;
    if (!read(args[8], layer)) return nullptr;
    Array out, cells, gates, weights, bias, more, h, c;
    if (!out.get(args[0], true) || !cells.get(args[1], true) || !gates.get(args[2], true) || !weights.get(args[3], false)) Py_RETURN_FALSE;
    if (!bias.get(args[4], false, true) || !more.get(args[5], false, true) || !h.get(args[6], false) || !c.get(args[7], false)) Py_RETURN_FALSE;
    std::size_t size = layer.cells(), states = product({layer.samples, layer.width}), width = layer.width;
    if (!size || !product({layer.steps, layer.samples, width, 4}) || !product({4, width, width, 16}) || !bias != !more) Py_RETURN_FALSE;
    if (!fit({{&out, size}, {&cells, size}, {&gates, 4 * size}, {&weights, 4 * width * width}, {&bias, 4 * width}, {&more, 4 * width}, {&h, states}, {&c, states}}, out)) Py_RETURN_FALSE;
    Forward arrays{out.data(), cells.data(), gates.data(), weights.data(), bias.data(), more.data(), h.data(), c.data()};
    bool done = false;
    unlocked(GIVES_LOCK_AWAY, [&] { done = (out.is_double() ? forward<double> : forward<float>)(*in_use.load(), layer, arrays); });
    if (!done) return PyErr_NoMemory();
    Py_RETURN_TRUE;
}

// (for_gates, for_hidden, for_cell, gates, cells, c, weights, given, sizes): for_hidden and for_cell hold the cotangents of the last
// states, and then those of the first; given, the outputs', may be None.
PyObject *lstm_backward(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 9)) return nullptr;
    Layer layer;
    if (!read(args[8], layer)) return nullptr;
    Array for_gates, for_hidden, for_cell, gates, cells, c, weights, given;
    if (!for_gates.get(args[0], true) || !for_hidden.get(args[1], true) || !for_cell.get(args[2], true) || !gates.get(args[3], false)) Py_RETURN_FALSE;
    if (!cells.get(args[4], false) || !c.get(args[5], false) || !weights.get(args[6], false) || !given.get(args[7], false, true)) Py_RETURN_FALSE;
    std::size_t size = layer.cells(), states = product({layer.samples, layer.width}), width = layer.width;
    if (!size || !product({layer.steps, layer.samples, width, 4}) || !product({4, width, width, 16})) Py_RETURN_FALSE;
    if (!fit({{&for_gates, 4 * size}, {&for_hidden, states}, {&for_cell, states}, {&gates, 4 * size}, {&cells, size}, {&c, states}, {&weights, 4 * width * width}, {&given, size}}, cells)) Py_RETURN_FALSE;
    Backward arrays{for_gates.data(), for_hidden.data(), for_cell.data(), gates.data(), cells.data(), c.data(), weights.data(), given.data()};
    bool done = false;
    unlocked(GIVES_LOCK_AWAY, [&] { done = (cells.is_double() ? backward<double> : backward<float>)(*in_use.load(), layer, arrays); });
    if (!done) return PyErr_NoMemory();
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef lstm_functions[] = {
    fast("lstm", lstm),
    fast("lstm_backward", lstm_backward),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
