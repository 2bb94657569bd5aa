// Copies in order of arrays whose last two dimensions lie the other way round, or whose last runs backwards.
#include <algorithm>

#include "functions.h"
#include "pool.h"

namespace rushlight {
namespace {

constexpr double COST = 0.5;  // of a number, in nanoseconds, about
constexpr std::size_t BLOCK = 16;  // of as many rows and columns, which stay in the nearest cache

template <class T> void turn(const char *from, std::ptrdiff_t step, std::size_t columns, T *out, std::size_t first, std::size_t last) {
    for (std::size_t top = first; top < last; top += BLOCK) {
        std::size_t bottom = std::min(top + BLOCK, last);
        for (std::size_t left = 0; left < columns; left += BLOCK) {
            std::size_t right = std::min(left + BLOCK, columns);
            for (std::size_t row = top; row < bottom; row++)
                for (std::size_t column = left; column < right; column++)
                    std::memcpy(out + row * columns + column, from + static_cast<std::ptrdiff_t>(column) * step + row * sizeof(T), sizeof(T));
        }
    }
}

template <class T> void copy_backwards(const char *__restrict first, void *__restrict to, std::size_t count) {
    T *out = static_cast<T *>(to);
    for (std::size_t i = 0; i < count; i++) std::memcpy(out + i, first - i * sizeof(T), sizeof(T));
}

// Calls work(number of a part, where in x it begins) for parts `from` to `to` of x, which are what its first dimensions lead to.
template <class F> void at_parts(const Array &x, int dimensions, std::size_t from, std::size_t to, F work) {
    for (std::size_t part = from; part < to; part++) {
        const char *place = static_cast<const char *>(x.data());
        std::size_t rest = part;
        for (int axis = dimensions - 1; axis >= 0; rest /= x.length(axis), axis--) place += static_cast<std::ptrdiff_t>(rest % x.length(axis)) * x.bytes(axis);
        work(part, place);
    }
}

// (out, x): of one shape, out in order; along the last of its dimensions the numbers of x lie side by side, the last of them first.
PyObject *backwards(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 2)) return nullptr;
    Array out, x;
    if (!out.get_any(args[0], true) || !x.get_backwards(args[1]) || out.itemsize() != x.itemsize() || out.size() != x.size()) Py_RETURN_FALSE;
    if (!out.size()) Py_RETURN_TRUE;
    int last = x.dimensions() - 1;
    std::size_t length = x.length(last), item = x.itemsize();
    auto copy = item == 1 ? copy_backwards<std::uint8_t> : item == 2 ? copy_backwards<std::uint16_t> : item == 4 ? copy_backwards<std::uint32_t> : copy_backwards<std::uint64_t>;
    unlocked(out.size(), [&] {
        share(out.size() / length, 1, COST * static_cast<double>(length), [&](std::size_t from, std::size_t to) {
            at_parts(x, last, from, to, [&](std::size_t row, const char *place) { copy(place, static_cast<char *>(out.data()) + row * length * item, length); });
        });
    });
    Py_RETURN_TRUE;
}

// (out, x): of one shape, out in order; along the last but one of its dimensions the numbers of x lie side by side.
PyObject *turned(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 2)) return nullptr;
    Array out, x;
    if (!out.get_any(args[0], true) || !x.get_turned(args[1]) || out.itemsize() != x.itemsize() || out.size() != x.size()) Py_RETURN_FALSE;
    int last = x.dimensions() - 1;
    std::size_t rows = x.length(last - 1), columns = x.length(last), item = x.itemsize();
    std::ptrdiff_t step = x.bytes(last);
    if (!out.size()) Py_RETURN_TRUE;
    std::size_t planes = out.size() / (rows * columns);
    unlocked(out.size(), [&] {
        bool is_one = planes == 1;
        share(is_one ? rows : planes, is_one ? BLOCK : 1, COST * static_cast<double>(is_one ? columns : rows * columns), [&](std::size_t from, std::size_t to) {
            at_parts(x, last - 1, is_one ? 0 : from, is_one ? 1 : to, [&](std::size_t plane, const char *place) {
                char *into = static_cast<char *>(out.data()) + plane * rows * columns * item;
                std::size_t top = is_one ? from : 0, bottom = is_one ? to : rows;
                switch (item) {
                    case 1: turn(place, step, columns, reinterpret_cast<std::uint8_t *>(into), top, bottom); break;
                    case 2: turn(place, step, columns, reinterpret_cast<std::uint16_t *>(into), top, bottom); break;
                    case 4: turn(place, step, columns, reinterpret_cast<std::uint32_t *>(into), top, bottom); break;
                    default: turn(place, step, columns, reinterpret_cast<std::uint64_t *>(into), top, bottom);
                }
            });
        });
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef turn_functions[] = {
    fast("turned", turned),
    fast("backwards", backwards),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
