// What lies at places along an axis, picked, put and added, as Python sees them. What comes to one place is added in the order in which
// it comes, and of what is put there the last stays.
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "functions.h"
#include "memory.h"
#include "pool.h"

namespace rushlight {
namespace {

struct Places {
    void *out;
    const void *values;
    const std::int64_t *places;
    std::size_t count, width;

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
    if (values.size() % all.width || values.size() / all.width != all.count || !are_between(all.places, all.count, 0, static_cast<std::int64_t>(out.size() / all.width))) Py_RETURN_FALSE;
    auto loop = all.width == 1 ? (out.is_double() ? add_numbers<double> : add_numbers<float>) : (out.is_double() ? add_rows<double> : add_rows<float>);
    unlocked(values.size(), [&] { loop(all); });
    Py_RETURN_TRUE;
}

// Numbers (outer, length, inner), and of each outer one as many indices along the axis between as (picked, inner), or `picked` slices.
struct Along {
    std::size_t outer, length, picked, inner;
    const std::int64_t *indices;
    bool are_slices;  // one index for all that has the same place along the axis
};

// Calls each(number with its index, number beside the index) for every index of a line, by the number each has in its array. Where
// CHECKS, false at the first index beyond the length.
template <bool CHECKS, class F> inline bool at_places(const Along &along, std::size_t line, F each) {
    std::size_t inner = along.inner, first = line * along.length * inner, beside = line * along.picked * inner;
    const std::int64_t *index = along.indices + (along.are_slices ? 0 : beside);
    if (inner == 1) {
        for (std::size_t place = 0; place < along.picked; place++) {
            if (CHECKS && static_cast<std::size_t>(index[place]) >= along.length) return false;
            each(first + static_cast<std::size_t>(index[place]), beside + place);
        }
    } else if (along.are_slices) {
        for (std::size_t place = 0; place < along.picked; place++, beside += inner) {
            if (CHECKS && static_cast<std::size_t>(index[place]) >= along.length) return false;
            std::size_t slice = first + static_cast<std::size_t>(index[place]) * inner;
            for (std::size_t i = 0; i < inner; i++) each(slice + i, beside + i);
        }
    } else {
        for (std::size_t place = 0; place < along.picked; place++, beside += inner, index += inner)
            for (std::size_t i = 0; i < inner; i++) {
                if (CHECKS && static_cast<std::size_t>(index[i]) >= along.length) return false;
                each(first + static_cast<std::size_t>(index[i]) * inner + i, beside + i);
            }
    }
    return true;
}

struct Pick {
    static constexpr bool CHECKS = true;  // on the way; where there is something to spoil, or few indices are for many, all are looked at before
    template <class T> static void each(T *picked, const T *x, std::size_t at, std::size_t beside) { picked[beside] = x[at]; }
};
struct Put {
    static constexpr bool CHECKS = false;
    template <class T> static void each(T *out, const T *values, std::size_t at, std::size_t beside) { out[at] = values[beside]; }
};
struct Add {
    static constexpr bool CHECKS = false;
    template <class T> static void each(T *out, const T *values, std::size_t at, std::size_t beside) { out[at] += values[beside]; }
};

constexpr double COST = 0.7;  // of an index, in nanoseconds, about

template <class MOVE, class T> bool move_along(const Along &along, void *out, const void *in) {
    T *to = static_cast<T *>(out);
    const T *from = static_cast<const T *>(in);
    std::size_t numbers = along.picked * along.inner;
    std::atomic<bool> is_done{true};
    unlocked(along.outer * numbers, [&] {
        share(along.outer, 1, COST * static_cast<double>(numbers), [&](std::size_t first, std::size_t last) {
            for (std::size_t line = first; line < last; line++) {
                auto move = [&](std::size_t at, std::size_t beside) { MOVE::template each<T>(to, from, at, beside); };
                if (MOVE::CHECKS && !along.are_slices ? !at_places<MOVE::CHECKS>(along, line, move) : !at_places<false>(along, line, move)) is_done = false;
            }
        });
    });
    return is_done;
}

// (out, other, indices, (outer, length, picked, inner)): of the two arrays one has numbers of every length, PICK's other and else out, and
// one of what is picked, put or added.
template <class MOVE, bool PICKS> PyObject *along(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 4)) return nullptr;
    std::size_t sizes[4];
    if (!get_sizes<4>(args[3], sizes)) return nullptr;
    constexpr bool ADDS = std::is_same_v<MOVE, Add>;
    Array out, other, indices;
    if (!(ADDS ? out.get(args[0], true) : out.get_any(args[0], true)) || !(ADDS ? other.get(args[1], false) : other.get_any(args[1], false)) || !indices.get_indices(args[2], false)) Py_RETURN_FALSE;
    if (out.kind != other.kind || !out.is_aligned() || !other.is_aligned()) Py_RETURN_FALSE;
    Along all{sizes[0], sizes[1], sizes[2], sizes[3], static_cast<const std::int64_t *>(indices.data()), false};
    std::size_t whole = product({all.outer, all.length, all.inner}), part = product({all.outer, all.picked, all.inner});
    const Array &wide = PICKS ? other : out, &narrow = PICKS ? out : other;
    // A corner of what is wide may be worked on: fewer outer ones than there are.
    if (!whole || !part || wide.size() < whole || narrow.size() != part) Py_RETURN_FALSE;
    all.are_slices = indices.size() == all.picked && part != all.picked;
    if (!all.are_slices && indices.size() != part) Py_RETURN_FALSE;
    if ((!MOVE::CHECKS || all.are_slices) && !are_between(all.indices, indices.size(), 0, static_cast<std::int64_t>(all.length))) Py_RETURN_FALSE;
    bool is_done = false;
    if constexpr (ADDS) {
        is_done = (out.is_double() ? move_along<MOVE, double> : move_along<MOVE, float>)(all, out.data(), other.data());
    } else {
        switch (out.itemsize()) {
            case 1: is_done = move_along<MOVE, std::uint8_t>(all, out.data(), other.data()); break;
            case 2: is_done = move_along<MOVE, std::uint16_t>(all, out.data(), other.data()); break;
            case 4: is_done = move_along<MOVE, std::uint32_t>(all, out.data(), other.data()); break;
            case 8: is_done = move_along<MOVE, std::uint64_t>(all, out.data(), other.data()); break;
            default: break;
        }
    }
    return PyBool_FromLong(is_done);
}

// (indices, low, high): whether all of them are in between; None where they are not of 64 bits, in order.
PyObject *within(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 3)) return nullptr;
    std::int64_t low = PyLong_AsLongLong(args[1]), high = PyLong_AsLongLong(args[2]);
    if (PyErr_Occurred()) return nullptr;
    Array indices;
    if (!indices.get_indices(args[0], false)) Py_RETURN_NONE;
    bool are = false;
    unlocked(indices.size(), [&] { are = are_between(static_cast<const std::int64_t *>(indices.data()), indices.size(), low, high); });
    return PyBool_FromLong(are);
}

}  // namespace

PyMethodDef place_functions[] = {
    fast("add_at", add_at),
    fast("pick_along", along<Pick, true>),
    fast("put_along", along<Put, false>),
    fast("add_along", along<Add, false>),
    fast("within", within),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
