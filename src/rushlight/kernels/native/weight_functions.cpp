// Weighted sums of a few numbers along an axis, of which interpolation is made, as Python sees them.
#include <algorithm>

#include "functions.h"
#include "memory.h"
#include "pool.h"

namespace rushlight {
namespace {

constexpr double COST = 0.5;  // of a product, in nanoseconds, about

// Numbers (outer, length, inner) become (outer, count, inner): `taps` numbers of a line for each, one after another, in that order.
struct Weighted {
    std::size_t outer, length, count, inner, taps;
    const std::int64_t *places;  // (taps, count)
};

template <class T> void weigh_row(const Weighted &all, const T *line, const T *weights, std::size_t place, T *out) {
    auto row = [&](std::size_t tap) { return line + static_cast<std::size_t>(all.places[tap * all.count + place]) * all.inner; };
    auto weight = [&](std::size_t tap) { return weights[tap * all.count + place]; };
    const T *first = row(0);
    T by = weight(0);
    if (all.taps == 1) {
        for (std::size_t i = 0; i < all.inner; i++) out[i] = first[i] * by;
        return;
    }
    const T *second = row(1);
    T also = weight(1);
    for (std::size_t i = 0; i < all.inner; i++) out[i] = first[i] * by + second[i] * also;
    for (std::size_t tap = 2; tap < all.taps; tap++) {
        const T *next = row(tap);
        T factor = weight(tap);
        for (std::size_t i = 0; i < all.inner; i++) out[i] += next[i] * factor;
    }
}

template <class T> void weigh_numbers(const Weighted &all, const T *line, const T *weights, std::size_t from, std::size_t to, T *out) {
    for (std::size_t i = from; i < to; i++) {
        T total = line[all.places[i]] * weights[i];
        for (std::size_t at = all.count + i; at < all.taps * all.count; at += all.count) total += line[all.places[at]] * weights[at];
        out[i] = total;
    }
}

template <class T> void weigh(const Weighted &all, const void *in, const void *by, void *to) {
    const T *x = static_cast<const T *>(in), *weights = static_cast<const T *>(by);
    T *out = static_cast<T *>(to);
    share(all.outer * all.count, all.inner == 1 ? 64 : 1, COST * static_cast<double>(all.taps * all.inner), [&](std::size_t from, std::size_t until) {
        for (std::size_t at = from; at < until;) {
            std::size_t line = at / all.count, place = at % all.count, last = std::min(all.count, place + until - at);
            const T *numbers = x + line * all.length * all.inner;
            if (all.inner == 1) weigh_numbers(all, numbers, weights, place, last, out + line * all.count);
            else
                for (std::size_t i = place; i < last; i++) weigh_row(all, numbers, weights, i, out + (line * all.count + i) * all.inner);
            at += last - place;
        }
    });
}

// (out, x, places, weights, (outer, length, count, inner, taps)).
PyObject *weighted(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 5)) return nullptr;
    std::size_t sizes[5];
    if (!get_sizes<5>(args[4], sizes)) return nullptr;
    Array out, x, places, weights;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !places.get_indices(args[2], false) || !weights.get(args[3], false)) Py_RETURN_FALSE;
    if (x.kind != out.kind || weights.kind != out.kind || !out.is_aligned() || !x.is_aligned() || !weights.is_aligned()) Py_RETURN_FALSE;
    Weighted all{sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], static_cast<const std::int64_t *>(places.data())};
    std::size_t from = product({all.outer, all.length, all.inner}), to = product({all.outer, all.count, all.inner}), taps = product({all.taps, all.count});
    if (!from || !to || !taps || x.size() != from || out.size() != to || places.size() != taps || weights.size() != taps) Py_RETURN_FALSE;
    if (!are_between(all.places, taps, 0, static_cast<std::int64_t>(all.length))) Py_RETURN_FALSE;
    unlocked(to, [&] { (out.is_double() ? weigh<double> : weigh<float>)(all, x.data(), weights.data(), out.data()); });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef weight_functions[] = {
    fast("weighted", weighted),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
