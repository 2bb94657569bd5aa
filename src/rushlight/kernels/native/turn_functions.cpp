// Copies in order of arrays whose last two dimensions lie the other way round.
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
            for (std::size_t plane = is_one ? 0 : from; plane < (is_one ? 1 : to); plane++) {
                const char *place = static_cast<const char *>(x.data());
                std::size_t rest = plane;
                for (int axis = last - 2; axis >= 0; rest /= x.length(axis), axis--) place += static_cast<std::ptrdiff_t>(rest % x.length(axis)) * x.bytes(axis);
                char *into = static_cast<char *>(out.data()) + plane * rows * columns * item;
                std::size_t top = is_one ? from : 0, bottom = is_one ? to : rows;
                switch (item) {
                    case 1: turn(place, step, columns, reinterpret_cast<std::uint8_t *>(into), top, bottom); break;
                    case 2: turn(place, step, columns, reinterpret_cast<std::uint16_t *>(into), top, bottom); break;
                    case 4: turn(place, step, columns, reinterpret_cast<std::uint32_t *>(into), top, bottom); break;
                    default: turn(place, step, columns, reinterpret_cast<std::uint64_t *>(into), top, bottom);
                }
            }
        });
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef turn_functions[] = {
    fast("turned", turned),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
