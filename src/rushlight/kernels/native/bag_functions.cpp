// Bags of rows of a matrix, as Python sees them: which rows a bag has stands between its offset and the next.
#include <algorithm>
#include <limits>

#include "functions.h"
#include "pool.h"

namespace rushlight {
namespace {

constexpr double COST = 0.2;  // of a number, in nanoseconds, about

struct Bags {
    const void *weight, *scales;
    const std::int64_t *indices, *offsets;
    std::size_t rows, width, members, bags;
    std::int64_t but;  // the row that does not count
    void *out;
    bool are_means;

    std::size_t end(std::size_t bag) const { return bag + 1 < bags ? static_cast<std::size_t>(offsets[bag + 1]) : members; }
};

template <class T> void add_bags(const Bags &all, std::size_t from, std::size_t to) {
    for (std::size_t bag = from; bag < to; bag++) {
        T *out = static_cast<T *>(all.out) + bag * all.width;
        std::fill(out, out + all.width, T(0));
        std::size_t counted = 0;
        for (auto i = static_cast<std::size_t>(all.offsets[bag]); i < all.end(bag); i++) {
            if (all.indices[i] == all.but) continue;
            counted++;
            const T *row = static_cast<const T *>(all.weight) + static_cast<std::size_t>(all.indices[i]) * all.width;
            if (all.scales) {
                T scale = static_cast<const T *>(all.scales)[i];
                for (std::size_t k = 0; k < all.width; k++) out[k] += row[k] * scale;
            } else {
                for (std::size_t k = 0; k < all.width; k++) out[k] += row[k];
            }
        }
        if (all.are_means && counted > 1)
            for (std::size_t k = 0; k < all.width; k++) out[k] /= static_cast<T>(counted);
    }
}

// Of each column the number of the row that is largest there, the first of those that are; nan is larger than all.
template <class T> void largest_of_bags(const Bags &all, std::size_t from, std::size_t to) {
    const T *weight = static_cast<const T *>(all.weight);
    for (std::size_t bag = from; bag < to; bag++) {
        std::int64_t *out = static_cast<std::int64_t *>(all.out) + bag * all.width;
        std::fill(out, out + all.width, -1);
        for (auto i = static_cast<std::size_t>(all.offsets[bag]); i < all.end(bag); i++) {
            std::int64_t index = all.indices[i];
            if (index == all.but) continue;
            const T *row = weight + static_cast<std::size_t>(index) * all.width;
            for (std::size_t k = 0; k < all.width; k++) {
                T best = out[k] < 0 ? -std::numeric_limits<T>::infinity() : weight[static_cast<std::size_t>(out[k]) * all.width + k];
                if (out[k] < 0 || row[k] > best || (row[k] != row[k] && best == best)) out[k] = index;
            }
        }
    }
}

// (out, weight, indices, offsets, scales or None, width, but, are means); of maxima out is of indices, and neither scaled nor a mean.
template <bool MAXIMA> PyObject *bags(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 8)) return nullptr;
    Bags all{};
    all.width = PyLong_AsSize_t(args[5]);
    all.but = PyErr_Occurred() ? 0 : PyLong_AsLongLong(args[6]);
    all.are_means = !PyErr_Occurred() && PyObject_IsTrue(args[7]) > 0;
    if (PyErr_Occurred()) return nullptr;
    Array out, weight, indices, offsets, scales;
    if (!(MAXIMA ? out.get_indices(args[0], true) : out.get(args[0], true)) || !weight.get(args[1], false) || !scales.get(args[4], false, true)) Py_RETURN_FALSE;
    if (!indices.get_indices(args[2], false) || !offsets.get_indices(args[3], false) || !all.width || !offsets.size()) Py_RETURN_FALSE;
    if ((!MAXIMA && out.kind != weight.kind) || !out.is_aligned() || !weight.is_aligned() || weight.size() % all.width) Py_RETURN_FALSE;
    if (scales && (scales.kind != weight.kind || !scales.is_aligned() || scales.size() != indices.size())) Py_RETURN_FALSE;
    all.rows = weight.size() / all.width, all.members = indices.size(), all.bags = offsets.size();
    if (out.size() % all.width || out.size() / all.width != all.bags) Py_RETURN_FALSE;
    all.weight = weight.data(), all.scales = scales.data(), all.out = out.data();
    all.indices = static_cast<const std::int64_t *>(indices.data()), all.offsets = static_cast<const std::int64_t *>(offsets.data());
    if (!are_between(all.indices, all.members, 0, static_cast<std::int64_t>(all.rows)) || all.offsets[0]) Py_RETURN_FALSE;
    for (std::size_t bag = 0; bag + 1 < all.bags; bag++)
        if (all.offsets[bag] > all.offsets[bag + 1]) Py_RETURN_FALSE;
    if (all.offsets[all.bags - 1] > static_cast<std::int64_t>(all.members)) Py_RETURN_FALSE;
    auto loop = MAXIMA ? (weight.is_double() ? largest_of_bags<double> : largest_of_bags<float>) : (weight.is_double() ? add_bags<double> : add_bags<float>);
    std::size_t work = all.members * all.width;
    unlocked(work, [&] {
        share(all.bags, 1, COST * static_cast<double>(work) / static_cast<double>(all.bags), [&](std::size_t from, std::size_t to) { loop(all, from, to); });
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef bag_functions[] = {
    fast("bag_sums", bags<false>),
    fast("bag_maxima", bags<true>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
