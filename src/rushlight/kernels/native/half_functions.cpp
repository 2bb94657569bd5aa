// Numbers of two bytes as Python sees them: arrays of their bits, whole numbers without a sign.
#include "functions.h"
#include "pool.h"

namespace rushlight {
namespace {

constexpr double COST = 0.2;  // of a number, in nanoseconds, about

// (out, x): of as many numbers as the other.
template <ConversionKind KIND, bool WIDENS> PyObject *converted(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 2)) return nullptr;
    Array out, x;
    if (!out.get_any(args[0], true) || !x.get_any(args[1], false) || !out.is_aligned() || !x.is_aligned()) Py_RETURN_FALSE;
    if (out.kind != (WIDENS ? 'f' : 'H') || x.kind != (WIDENS ? 'H' : 'f') || out.size() != x.size()) Py_RETURN_FALSE;
    ConversionLoop loop = in_use.load()->conversions[KIND];
    unlocked(x.size(), [&] {
        share(x.size(), 4096, COST, [&](std::size_t from, std::size_t to) {
            loop(static_cast<const char *>(x.data()) + from * x.itemsize(), static_cast<char *>(out.data()) + from * out.itemsize(), to - from);
        });
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef half_functions[] = {
    fast("single_of_half", converted<SINGLE_OF_HALF, true>),
    fast("half_of_single", converted<HALF_OF_SINGLE, false>),
    fast("single_of_brain", converted<SINGLE_OF_BRAIN, true>),
    fast("brain_of_single", converted<BRAIN_OF_SINGLE, false>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
