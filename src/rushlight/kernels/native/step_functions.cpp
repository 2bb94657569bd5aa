// Steps of optimizers as Python sees them: lists of parameters and gradients, whose states lie one after another in rows.
#include <algorithm>
#include <vector>

#include "functions.h"
#include "pool.h"

namespace rushlight {
namespace {

constexpr std::size_t PIECE = 1 << 14;  // numbers of a parameter that are stepped together
constexpr double COST = 1.0;            // of a number, in nanoseconds, about

struct Piece {
    Step step;
    std::size_t from, to;
};

// (parameters, gradients, rows, numbers): of three rows each may be None.
template <StepKind KIND> PyObject *step(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 4)) return nullptr;
    if (!PyList_Check(args[0]) || !PyList_Check(args[1]) || !PyTuple_Check(args[2]) || PyTuple_Size(args[2]) != 3 || !PyTuple_Check(args[3]) || PyTuple_Size(args[3]) != STEP_NUMBERS) {
        PyErr_SetString(PyExc_TypeError, "expected two lists, a tuple of three rows, and one of numbers");
        return nullptr;
    }
    Step step{};
    for (Py_ssize_t i = 0; i < STEP_NUMBERS; i++) step.numbers[i] = PyFloat_AsDouble(PyTuple_GetItem(args[3], i));
    if (PyErr_Occurred()) return nullptr;
    auto many = static_cast<std::size_t>(PyList_Size(args[0]));
    if (static_cast<std::size_t>(PyList_Size(args[1])) != many) Py_RETURN_FALSE;
    Array rows[3];
    std::vector<Array> params(many), grads(many);
    std::size_t size = 0;
    for (std::size_t i = 0; i < many; i++) {
        Array &p = params[i], &g = grads[i];
        if (!p.get(PyList_GetItem(args[0], static_cast<Py_ssize_t>(i)), true) || !g.get(PyList_GetItem(args[1], static_cast<Py_ssize_t>(i)), false)) Py_RETURN_FALSE;
        if (!g.is_like(p) || p.kind != params[0].kind || !p.is_aligned() || !g.is_aligned()) Py_RETURN_FALSE;
        size += p.size();
    }
    for (Py_ssize_t i = 0; i < 3; i++) {
        if (!rows[i].get(PyTuple_GetItem(args[2], i), true, true)) Py_RETURN_FALSE;
        if (rows[i] && (!many || rows[i].kind != params[0].kind || !rows[i].is_aligned() || rows[i].size() != size)) Py_RETURN_FALSE;
    }
    for (int i = 0; i < NEEDED[KIND]; i++)
        if (!rows[i]) Py_RETURN_FALSE;
    if (!size) Py_RETURN_TRUE;
    std::size_t itemsize = params[0].is_double() ? sizeof(double) : sizeof(float), before = 0;
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < many; before += params[i++].size()) {
        step.p = params[i].data(), step.g = grads[i].data();
        for (int row = 0; row < 3; row++) step.states[row] = rows[row] ? static_cast<char *>(rows[row].data()) + before * itemsize : nullptr;
        for (std::size_t from = 0; from < params[i].size(); from += PIECE) pieces.push_back({step, from, std::min(params[i].size(), from + PIECE)});
    }
    StepLoop loop = in_use.load()->steps[KIND][params[0].is_double()];
    unlocked(size, [&] {
        share(pieces.size(), 1, COST * static_cast<double>(size) / static_cast<double>(pieces.size()), [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; i++) loop(pieces[i].step, pieces[i].from, pieces[i].to);
        });
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef step_functions[] = {
    fast("adam_step", step<ADAM>),
    fast("sgd_step", step<SGD>),
    fast("rmsprop_step", step<RMSPROP>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
