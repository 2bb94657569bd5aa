// Sums, differences, products and quotients of two arrays that meet by broadcasting, each as NumPy's, to the last bit.
#include <algorithm>
#include <utility>

#include "functions.h"
#include "pool.h"
#include "strided.h"

namespace rushlight {
namespace {

constexpr double COST = 0.08;  // of a byte of the result, in nanoseconds, about
constexpr std::size_t ROOM = 2048, WIDE = 16, LONG = 64;  // numbers: of lines from the last on each is sooner worked on with its one number than that laid out

// One of the two, as lines of `columns` numbers see it: it has a line for each, or (step 0) one for all, of numbers side by side, or of one.
template <class T> struct Operand {
    const char *base;
    std::size_t columns;
    std::ptrdiff_t line_step, step;
    std::size_t filled = 0;
    T room[ROOM + WIDE];

    Operand(const Strided &array, std::size_t length, std::size_t dimensions)
        : base(static_cast<const char *>(array.view.buf)), columns(length), line_step(dimensions > 1 ? array.strides[0] : 0), step(array.strides[dimensions - 1]) {}

    const char *place(std::size_t line, std::size_t from) const { return base + static_cast<std::ptrdiff_t>(line) * line_step + static_cast<std::ptrdiff_t>(from) * step; }

    // The first `count` numbers of several lines, or those of one from number `from` on.
    const void *numbers(std::size_t line, std::size_t from, std::size_t lines, std::size_t count) {
        const char *source = place(line, from);
        if (step && (lines == 1 || line_step == static_cast<std::ptrdiff_t>(columns * sizeof(T)))) return source;
        if (!line_step && filled >= count) return room;
        std::size_t length = count / lines;
        for (T *to = room; lines--; to += length, source += line_step) {
            if (step) {
                std::memcpy(to, source, length * sizeof(T));
            } else {
                T value;
                std::memcpy(&value, source, sizeof(T));
                for (std::size_t i = 0; i < length; i += WIDE) std::fill_n(to + i, WIDE, value);  // the next line goes over what is too much
            }
        }
        filled = count;
        return room;
    }
};

template <class T> void work(const Strided &first, const Strided &second, char *out, SweepLoop both, SweepLoop by_number, std::size_t columns, std::size_t dimensions,
                             std::size_t from, std::size_t to) {
    Operand<T> a(first, columns, dimensions), b(second, columns, dimensions);
    for (std::size_t at = from, count; at < to; at += count) {
        std::size_t line = at / columns, begin = at % columns, lines = begin || (!b.step && columns >= LONG) ? 1 : std::min(ROOM / columns, (to - at) / columns);
        if (lines > 1) count = lines * columns;
        else lines = 1, count = std::min({columns - begin, to - at, a.step ? columns : ROOM});
        Sweep sweep{a.numbers(line, begin, lines, count), nullptr, out + at * sizeof(T), {}};
        if (!b.step && lines == 1) {
            T value;
            std::memcpy(&value, b.place(line, begin), sizeof(T));
            sweep.numbers[0] = static_cast<double>(value);
            by_number(sweep, 0, count);
        } else {
            sweep.h = b.numbers(line, begin, lines, count);
            both(sweep, 0, count);
        }
    }
}

// (out, a, b): out may be one of them.
template <SweepKind BOTH, SweepKind BY_NUMBER> PyObject *arithmetic(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 3)) return nullptr;
    Strided arrays[3];
    for (std::size_t i = 0; i < 3; i++)
        if (!arrays[i].get(args[i], !i, "fd") || arrays[i].kind != arrays[0].kind || !arrays[i].broadcast(arrays[0].view)) Py_RETURN_FALSE;
    for (std::size_t i = 1; i < 3; i++)  // what is read at its own place is not written before
        if (arrays[i].overlaps(arrays[0]) && (arrays[i].view.buf != arrays[0].view.buf || !std::equal(arrays[0].strides, arrays[0].strides + DIMENSIONS, arrays[i].strides)))
            Py_RETURN_FALSE;
    std::ptrdiff_t item = arrays[0].view.itemsize;
    std::size_t lengths[DIMENSIONS], dimensions = merged(arrays, 3, lengths), columns = lengths[dimensions - 1];
    if (dimensions > 2) Py_RETURN_FALSE;
    bool is_column[2];
    for (std::size_t i = 0; i < 2; i++) {
        std::ptrdiff_t step = arrays[1 + i].strides[dimensions - 1];
        is_column[i] = !step;
        if (step && step != item) Py_RETURN_FALSE;
    }
    bool is_swapped = (BOTH == SUM || BOTH == PRODUCT) && is_column[0] && !is_column[1];  // numbers come second
    const Strided &first = arrays[is_swapped ? 2 : 1], &second = arrays[is_swapped ? 1 : 2];
    const Set *set = in_use.load();
    bool is_double = item == sizeof(double);
    SweepLoop both = set->sweeps[BOTH][is_double], by_number = set->sweeps[BY_NUMBER][is_double];
    char *out = static_cast<char *>(arrays[0].view.buf);
    auto size = static_cast<std::size_t>(arrays[0].view.len / item);
    unlocked(size, [&] {
        share(size, 1024, COST * static_cast<double>(item), [&](std::size_t from, std::size_t to) {
            is_double ? work<double>(first, second, out, both, by_number, columns, dimensions, from, to)
                      : work<float>(first, second, out, both, by_number, columns, dimensions, from, to);
        });
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef arithmetic_functions[] = {
    fast("add", arithmetic<SUM, SUM_NUMBER>),
    fast("subtract", arithmetic<DIFFERENCE, DIFFERENCE_NUMBER>),
    fast("multiply", arithmetic<PRODUCT, PRODUCT_NUMBER>),
    fast("divide", arithmetic<QUOTIENT, QUOTIENT_NUMBER>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
