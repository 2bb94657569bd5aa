// Running sums, products and extremes as Python sees them.
#include "functions.h"
#include "pool.h"

namespace rushlight {
namespace {

constexpr double COST = 0.5;  // of a number, in nanoseconds, about

// (out, x, length, inner): numbers beside one another behind the axis are `inner`.
template <ScanKind KIND, bool PLACES> PyObject *scan(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 4)) return nullptr;
    Array out, x;
    if (!x.get(args[1], false) || !(PLACES ? out.get_indices(args[0], true) : out.get(args[0], true))) Py_RETURN_FALSE;
    Rows rows{};
    rows.length = PyLong_AsSize_t(args[2]);
    rows.inner = PyLong_AsSize_t(args[3]);
    if (PyErr_Occurred()) return nullptr;
    if (out.size() != x.size() || (!PLACES && out.kind != x.kind) || !rows.length || !rows.inner || !x.size()) Py_RETURN_FALSE;
    std::size_t lines = x.size() / rows.length;
    if (x.size() % rows.length || lines % rows.inner) Py_RETURN_FALSE;
    rows.x = x.data(), rows.out = out.data();
    RowsLoop loop = in_use.load()->scans[KIND][x.is_double()];
    std::size_t parts = rows.inner == 1 ? lines : lines / rows.inner * ((rows.inner + STRIPE - 1) / STRIPE);
    unlocked(x.size(), [&] {
        share(parts, rows.inner == 1 ? SCANNED_ABREAST : 1, COST * static_cast<double>(x.size()) / static_cast<double>(parts),
              [&](std::size_t from, std::size_t to) { loop(rows, from, to); });
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef scan_functions[] = {
    fast("running_sum", scan<RUNNING_SUM, false>),
    fast("running_sum_back", scan<RUNNING_SUM_BACK, false>),
    fast("running_product", scan<RUNNING_PRODUCT, false>),
    fast("last_maximum", scan<LAST_MAXIMUM, true>),
    fast("last_minimum", scan<LAST_MINIMUM, true>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
