// Sums at places as Python sees them. What lies at one place is added in the order in which it comes.
#include <algorithm>
#include <cstdint>

#include "functions.h"
#include "memory.h"

namespace rushlight {
namespace {

struct Places {
    void *out;
    const void *values;
    const std::int64_t *places;
    std::size_t count, width;

    bool are_within(std::size_t size) const {
        return std::all_of(places, places + count, [&](std::int64_t place) { return static_cast<std::size_t>(place) < size; });
    }
};

template <class T> void add_numbers(const Places &all) {
    T *out = static_cast<T *>(all.out);
    const T *values = static_cast<const T *>(all.values);
    for (std::size_t i = 0; i < all.count; i++) out[all.places[i]] += values[i];
}

template <class T> void add_rows(const Places &all) {
    for (std::size_t i = 0; i < all.count; i++) {
        T *out = static_cast<T *>(all.out) + static_cast<std::size_t>(all.places[i]) * all.width;
        const T *row = static_cast<const T *>(all.values) + i * all.width;
        for (std::size_t j = 0; j < all.width; j++) out[j] += row[j];
    }
}

// (out, places, values, width): adds rows of values, so wide, to those of out that places name. False too for places that are not there.
PyObject *add_at(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 4)) return nullptr;
    Places all{};
    all.width = PyLong_AsSize_t(args[3]);
    if (PyErr_Occurred()) return nullptr;
    Array out, places, values;
    if (!out.get(args[0], true) || !places.get_indices(args[1], false) || !values.get(args[2], false)) Py_RETURN_FALSE;
    if (!all.width || values.kind != out.kind || !out.is_aligned() || !values.is_aligned() || out.size() % all.width) Py_RETURN_FALSE;
    all.out = out.data(), all.values = values.data(), all.count = places.size(), all.places = static_cast<const std::int64_t *>(places.data());
    if (values.size() % all.width || values.size() / all.width != all.count || !all.are_within(out.size() / all.width)) Py_RETURN_FALSE;
    auto loop = all.width == 1 ? (out.is_double() ? add_numbers<double> : add_numbers<float>) : (out.is_double() ? add_rows<double> : add_rows<float>);
    unlocked(values.size(), [&] { loop(all); });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef place_functions[] = {
    fast("add_at", add_at),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
