// The places of sorted numbers as Python sees them, equal ones where the library of C++ leaves them: another library than
// libstdc++ goes other steps, so there nothing is sorted.
#include <algorithm>
#include <cstdint>

#include "functions.h"
#include "memory.h"
#include "pool.h"

namespace rushlight {
namespace {

#ifdef __GLIBCXX__
constexpr bool IS_KNOWN = true;
#else
constexpr bool IS_KNOWN = false;
#endif
constexpr double COST = 20;               // of a number, about a nanosecond each
constexpr std::size_t FEW_OF_MANY = 64;  // of so many times as many the greatest are found by a heap

struct Rows {
    const void *values;
    std::int64_t *places;
    std::size_t count, length, wanted;
    bool is_whole, is_descending;
};

template <class T> struct Item {
    T value;
    std::int64_t place;
};

// nan comes after all others; whole numbers are never nan.
struct IsBefore {
    template <class T> bool operator()(const Item<T> &a, const Item<T> &b) const {
        return a.value < b.value || (b.value != b.value && a.value == a.value);
    }
};
struct IsAfter {
    template <class T> bool operator()(const Item<T> &a, const Item<T> &b) const { return IsBefore()(b, a); }
};

template <class T, class Comes> void put_in_order(Item<T> *items, const Rows &rows, Comes comes) {
    Item<T> *end = items + rows.length, *wanted = items + rows.wanted;
    if (rows.is_whole) {
        std::sort(items, end, comes);
    } else if (rows.wanted * FEW_OF_MANY <= rows.length) {
        std::partial_sort(items, wanted, end, comes);
    } else {
        std::nth_element(items, wanted - 1, end, comes);
        std::sort(items, wanted - 1, comes);
    }
}

// Puts in place `wanted` what sorting puts there: quickselect around the median of three, as the NumPy kernel has it.
template <class T> void put_in_place(Item<T> *items, const Rows &rows) {
    IsAfter above;
    std::size_t low = 0, high = rows.length - 1;
    while (high > low + 1) {
        std::swap(items[(low + high) / 2], items[low + 1]);
        if (above(items[low + 1], items[high])) std::swap(items[low + 1], items[high]);
        if (above(items[low], items[high])) std::swap(items[low], items[high]);
        if (above(items[low + 1], items[low])) std::swap(items[low + 1], items[low]);
        std::size_t i = low + 1, j = high;
        const Item<T> pivot = items[low];
        for (;;) {
            do i++;
            while (above(pivot, items[i]));
            do j--;
            while (above(items[j], pivot));
            if (j < i) break;
            std::swap(items[i], items[j]);
        }
        std::swap(items[low], items[j]);
        if (j <= rows.wanted) low = i;
        if (j >= rows.wanted) high = j - 1;
    }
    if (high == low + 1 && above(items[low], items[high])) std::swap(items[low], items[high]);
}

// For each row work(its items, its number); false where there is no memory for them.
template <class T, class Work> bool each_row(const Rows &rows, Work work) {
    std::atomic<bool> is_done{true};
    share(rows.count, 1, COST * static_cast<double>(rows.length), [&](std::size_t from, std::size_t to) {
        Memory<Item<T>> memory(rows.length);
        if (!memory) {
            is_done = false;
            return;
        }
        Item<T> *items = memory.get();
        for (std::size_t row = from; row < to; row++) {
            const T *values = static_cast<const T *>(rows.values) + row * rows.length;
            for (std::size_t i = 0; i < rows.length; i++) items[i] = {values[i], static_cast<std::int64_t>(i)};
            work(items, row);
        }
    });
    return is_done;
}

template <class T> bool order_rows(const Rows &rows) {
    return each_row<T>(rows, [&](Item<T> *items, std::size_t row) {
        if (rows.is_descending)
            put_in_order(items, rows, IsAfter());
        else
            put_in_order(items, rows, IsBefore());
        for (std::size_t i = 0; i < rows.wanted; i++) rows.places[row * rows.wanted + i] = items[i].place;
    });
}

template <class T> bool select_in_rows(const Rows &rows) {
    return each_row<T>(rows, [&](Item<T> *items, std::size_t row) {
        put_in_place(items, rows);
        rows.places[row] = items[rows.wanted].place;
    });
}

struct Loops {
    bool (*of_integers)(const Rows &), (*of_doubles)(const Rows &), (*of_floats)(const Rows &);
};

// Runs a loop over rows of values, each with so many places to be found.
PyObject *run(Rows &rows, PyObject *given, PyObject *found, std::size_t places_each, const Loops &loops) {
    Array numbers, integers, places;
    bool are_integers = integers.get_indices(given, false);
    if (!(are_integers || numbers.get(given, false)) || !places.get_indices(found, true)) Py_RETURN_FALSE;
    const Array &values = are_integers ? integers : numbers;
    if (!rows.length || !places_each || places_each > rows.length || !values.is_aligned() || values.size() % rows.length) Py_RETURN_FALSE;
    rows.count = values.size() / rows.length, rows.values = values.data(), rows.places = static_cast<std::int64_t *>(places.data());
    if (places.size() % places_each || places.size() / places_each != rows.count) Py_RETURN_FALSE;
    auto loop = are_integers ? loops.of_integers : values.is_double() ? loops.of_doubles : loops.of_floats;
    bool is_done = false;
    unlocked(values.size(), [&] { is_done = loop(rows); });
    return PyBool_FromLong(is_done);
}

// (values, places, length, wanted, descending): of each row of values, so long, the places of all in order, or where that is not 0 of
// the first so many, found as topk finds them.
PyObject *order(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 5)) return nullptr;
    Rows rows{};
    rows.length = PyLong_AsSize_t(args[2]);
    if (!PyErr_Occurred()) rows.wanted = PyLong_AsSize_t(args[3]);
    if (!PyErr_Occurred()) rows.is_descending = PyObject_IsTrue(args[4]) == 1;
    if (PyErr_Occurred()) return nullptr;
    rows.is_whole = !rows.wanted;
    if (rows.is_whole) rows.wanted = rows.length;
    if (!IS_KNOWN) Py_RETURN_FALSE;
    return run(rows, args[0], args[1], rows.wanted, {order_rows<std::int64_t>, order_rows<double>, order_rows<float>});
}

// (values, places, length, wanted): of each row of values, so long, the place of what sorting would put there.
PyObject *select(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 4)) return nullptr;
    Rows rows{};
    rows.length = PyLong_AsSize_t(args[2]);
    if (!PyErr_Occurred()) rows.wanted = PyLong_AsSize_t(args[3]);
    if (PyErr_Occurred()) return nullptr;
    if (rows.wanted >= rows.length) Py_RETURN_FALSE;
    return run(rows, args[0], args[1], 1, {select_in_rows<std::int64_t>, select_in_rows<double>, select_in_rows<float>});
}

template <class T> void search_rows(const T *sums, const double *targets, std::int64_t *places, std::size_t rows, std::size_t length, std::size_t wanted) {
    for (std::size_t row = 0; row < rows; row++, sums += length)
        for (std::size_t i = 0; i < wanted; i++)
            *places++ = std::lower_bound(sums, sums + length, *targets++, [](T sum, double target) { return static_cast<double>(sum) < target; }) - sums;
}

// (places, sums, targets, length): of each row of sums, so long and rising, where each of its targets, in double, would stand.
PyObject *search(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 4)) return nullptr;
    std::size_t length = PyLong_AsSize_t(args[3]);
    if (PyErr_Occurred()) return nullptr;
    Array places, sums, targets;
    if (!places.get_indices(args[0], true) || !sums.get(args[1], false) || !targets.get(args[2], false) || !targets.is_double()) Py_RETURN_FALSE;
    if (!length || !sums.size() || sums.size() % length || places.size() != targets.size() || !sums.is_aligned() || !targets.is_aligned()) Py_RETURN_FALSE;
    std::size_t rows = sums.size() / length, wanted = targets.size() / rows;
    if (targets.size() % rows) Py_RETURN_FALSE;
    auto *to = static_cast<std::int64_t *>(places.data());
    auto *from = static_cast<const double *>(targets.data());
    unlocked(targets.size() * 16, [&] {
        if (sums.is_double()) search_rows(static_cast<const double *>(sums.data()), from, to, rows, length, wanted);
        else search_rows(static_cast<const float *>(sums.data()), from, to, rows, length, wanted);
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef order_functions[] = {
    fast("order", order),
    fast("select", select),
    fast("search", search),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
