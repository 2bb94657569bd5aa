// Arguments from Python: objects with the buffer protocol, by Python's stable ABI alone.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace rushlight {

constexpr std::size_t GIVES_LOCK_AWAY = 1 << 14;  // numbers: with fewer, taking it back costs more than the work

// One argument's memory, held as long as this lives.
class Array {
  public:
    Array() = default;
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    ~Array() {
        if (is_held) PyBuffer_Release(&view);
    }

    // False where it cannot be had as wanted; None is nothing, if it may be.
    bool get(PyObject *object, bool written, bool may_be_none = false) {
        return object == Py_None ? may_be_none : hold(object, written) && (kind == 'f' || kind == 'd');
    }
    // Numbers of any one kind, to be moved and not looked at.
    bool get_any(PyObject *object, bool written) { return hold(object, written) && kind; }
    // Four axes of these sizes, of which the numbers along the last lie side by side.
    bool get_rows(PyObject *object, const std::size_t (&sizes)[4]) {
        if (!hold(object, false, PyBUF_STRIDES) || (kind != 'f' && kind != 'd') || view.ndim != 4 || view.strides[3] != view.itemsize) return false;
        for (int axis = 0; axis < 4; axis++)
            if (static_cast<std::size_t>(view.shape[axis]) != sizes[axis] || view.strides[axis] % view.itemsize) return false;
        return is_aligned();
    }
    // Two axes at least, of which the numbers along the last but one lie side by side.
    bool get_turned(PyObject *object) { return get_strided(object) && view.ndim >= 2 && view.strides[view.ndim - 2] == view.itemsize; }
    // One axis at least, along the last of which the numbers lie side by side, the last of them first.
    bool get_backwards(PyObject *object) { return get_strided(object) && view.ndim >= 1 && view.strides[view.ndim - 1] == -view.itemsize; }
    int dimensions() const { return view.ndim; }
    std::size_t length(int axis) const { return static_cast<std::size_t>(view.shape[axis]); }
    std::ptrdiff_t bytes(int axis) const { return view.strides[axis]; }
    // How far numbers are apart along an axis, in numbers.
    std::ptrdiff_t stride(int axis) const { return view.strides[axis] / view.itemsize; }
    // Whole numbers of 64 bits.
    bool get_indices(PyObject *object, bool written) {
        return hold(object, written) && (kind == 'q' || kind == 'l') && view.itemsize == 8 && is_aligned();
    }
    bool is_like(const Array &other) const { return kind == other.kind && view.len == other.view.len; }
    void *data() const { return is_held ? view.buf : nullptr; }
    bool is_double() const { return kind == 'd'; }
    bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(view.buf) % static_cast<std::size_t>(view.itemsize) == 0; }
    std::size_t itemsize() const { return static_cast<std::size_t>(view.itemsize); }
    std::size_t size() const { return static_cast<std::size_t>(view.len / view.itemsize); }
    // Writes one number, in the array's dtype, wherever it lies.
    void put(std::size_t place, double value) const {
        auto narrow = static_cast<float>(value);
        std::size_t size = static_cast<std::size_t>(view.itemsize);
        std::memcpy(static_cast<char *>(view.buf) + place * size, is_double() ? static_cast<const void *>(&value) : &narrow, size);
    }
    double number(std::size_t place) const {
        double wide;
        float narrow;
        std::memcpy(is_double() ? static_cast<void *>(&wide) : &narrow, static_cast<const char *>(view.buf) + place * itemsize(), itemsize());
        return is_double() ? wide : static_cast<double>(narrow);
    }
    explicit operator bool() const { return is_held; }
    char kind = 0;

  private:
    bool get_strided(PyObject *object) {
        return hold(object, false, PyBUF_STRIDES) && kind && (view.itemsize == 1 || view.itemsize == 2 || view.itemsize == 4 || view.itemsize == 8);
    }
    bool hold(PyObject *object, bool written, int layout = PyBUF_C_CONTIGUOUS) {
        if (PyObject_GetBuffer(object, &view, layout | PyBUF_FORMAT | (written ? PyBUF_WRITABLE : 0)) < 0) {
            PyErr_Clear();
            return false;
        }
        is_held = true;
        const char *format = view.format ? view.format : "B";
        if (*format == '@' || *format == '=') format++;
        kind = format[0] && !format[1] ? format[0] : 0;
        return true;
    }
    Py_buffer view{};
    bool is_held = false;
};

// Whether indices are in [low, high): the sign of one of two differences says where one is not.
inline bool are_between(const std::int64_t *indices, std::size_t count, std::int64_t low, std::int64_t high) {
    std::uint64_t signs = 0, first = static_cast<std::uint64_t>(low), last = static_cast<std::uint64_t>(high) - 1;
    for (std::size_t i = 0; i < count; i++) {
        auto index = static_cast<std::uint64_t>(indices[i]);
        signs |= (index - first) | (last - index);
    }
    return !(signs >> 63);
}

// Runs `work` without Python's lock where it takes a while.
template <class F> void unlocked(std::size_t size, F work) {
    if (size < GIVES_LOCK_AWAY) {
        work();
        return;
    }
    PyThreadState *state = PyEval_SaveThread();
    work();
    PyEval_RestoreThread(state);
}

// A tuple of so many sizes; false where Python has been told what is wrong with it.
template <Py_ssize_t COUNT> bool get_sizes(PyObject *tuple, std::size_t (&sizes)[COUNT]) {
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != COUNT) {
        PyErr_Format(PyExc_TypeError, "expected a tuple of %zd sizes", COUNT);
        return false;
    }
    for (Py_ssize_t i = 0; i < COUNT; i++) sizes[i] = PyLong_AsSize_t(PyTuple_GetItem(tuple, i));
    return !PyErr_Occurred();
}

inline bool has(Py_ssize_t count, Py_ssize_t wanted) {
    if (count == wanted) return true;
    PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd", wanted, count);
    return false;
}

}  // namespace rushlight
