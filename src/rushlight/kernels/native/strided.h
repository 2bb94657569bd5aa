// Arrays as they lie, that meet by broadcasting.
#pragma once

#include "arguments.h"

#include <utility>

namespace rushlight {

constexpr std::size_t DIMENSIONS = 32;

// Every one has as many dimensions as the first of the results, and as long ones, or 0 steps.
struct Strided {
    Py_buffer view{};
    bool is_held = false;
    char kind = 0;
    std::ptrdiff_t strides[DIMENSIONS] = {};

    ~Strided() {
        if (is_held) PyBuffer_Release(&view);
    }
    // Numbers of one of `kinds`; those that are written lie in order.
    bool get(PyObject *object, bool written, const char *kinds) {
        if (PyObject_GetBuffer(object, &view, PyBUF_FORMAT | (written ? PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE : PyBUF_STRIDES)) < 0) {
            PyErr_Clear();
            return false;
        }
        is_held = true;
        const char *format = view.format ? view.format : "B";
        if (*format == '@' || *format == '=') format++;  // the latter where it is not aligned
        kind = format[0];
        return kind && std::strchr(kinds, kind) && !format[1] && view.ndim <= static_cast<int>(DIMENSIONS);
    }
    // Seen in the shape of another, as broadcasting sees it.
    bool broadcast(const Py_buffer &shape) {
        int lead = shape.ndim - view.ndim;
        if (lead < 0) return false;
        for (int axis = 0; axis < view.ndim; axis++) {
            if (view.shape[axis] == 1) continue;
            if (view.shape[axis] != shape.shape[axis + lead]) return false;
            strides[axis + lead] = view.strides[axis];
        }
        return true;
    }
    // From the first byte on to behind the last.
    std::pair<const char *, const char *> span() const {
        auto *low = static_cast<const char *>(view.buf), *high = low + view.itemsize;
        for (int axis = 0; axis < view.ndim; axis++) {
            std::ptrdiff_t far = view.shape[axis] ? (view.shape[axis] - 1) * view.strides[axis] : 0;
            (far < 0 ? low : high) += far;
        }
        return {low, high};
    }
    bool overlaps(const Strided &other) const {
        auto [low, high] = span();
        auto [first, last] = other.span();
        return low < last && first < high;
    }
};

// Makes one of dimensions that are one behind the other in every array; gives how many are left, and their lengths.
inline std::size_t merged(Strided *arrays, std::size_t count, std::size_t *lengths) {
    const Py_buffer &shape = arrays[0].view;
    std::size_t dimensions = 0;
    for (int axis = 0; axis < shape.ndim; axis++) {
        auto length = static_cast<std::size_t>(shape.shape[axis]);
        if (length == 1) continue;
        bool goes_on = dimensions > 0;
        for (std::size_t i = 0; goes_on && i < count; i++)
            goes_on = arrays[i].strides[dimensions - 1] == arrays[i].strides[axis] * static_cast<std::ptrdiff_t>(length);
        if (!goes_on) lengths[dimensions++] = 1;
        lengths[dimensions - 1] *= length;
        for (std::size_t i = 0; i < count; i++) arrays[i].strides[dimensions - 1] = arrays[i].strides[axis];
    }
    if (!dimensions) {
        lengths[dimensions++] = 1;
        for (std::size_t i = 0; i < count; i++) arrays[i].strides[0] = arrays[i].view.itemsize;
    }
    return dimensions;
}

}  // namespace rushlight
