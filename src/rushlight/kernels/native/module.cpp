// The module: which instruction set and how many threads are in use, and what functions of arrays there are.
#include <cstring>

#include "functions.h"
#include "pool.h"

std::atomic<const rushlight::Set *> rushlight::in_use{rushlight::set_base()};

namespace {

using rushlight::in_use;
using rushlight::Set;

PyObject *set_threads(PyObject *, PyObject *count) {
    std::size_t wanted = PyLong_AsSize_t(count);
    if (PyErr_Occurred()) return nullptr;
    rushlight::set_threads(wanted);
    Py_RETURN_NONE;
}

PyObject *threads(PyObject *, PyObject *) { return PyLong_FromSize_t(rushlight::threads()); }

PyObject *instruction_set(PyObject *, PyObject *) { return PyUnicode_FromString(in_use.load()->name); }

// Those that this processor has, the best last.
PyObject *instruction_sets(PyObject *, PyObject *) {
    PyObject *names = PyList_New(0);
    for (const Set *each : {rushlight::set_base(), rushlight::set_v3(), rushlight::set_v4()}) {
        if (!names || !each) continue;
        PyObject *name = PyUnicode_FromString(each->name);
        if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

PyObject *use(PyObject *, PyObject *name) {
    PyObject *bytes = PyUnicode_AsUTF8String(name);
    if (!bytes) return nullptr;
    const Set *found = nullptr;
    const char *wanted = PyBytes_AsString(bytes);
    for (const Set *each : {rushlight::set_base(), rushlight::set_v3(), rushlight::set_v4()})
        if (each && !std::strcmp(each->name, wanted)) found = each;
    Py_DECREF(bytes);
    if (!found) return PyErr_Format(PyExc_ValueError, "no such instruction set here: %R", name);
    in_use = found;
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"set_threads", set_threads, METH_O, nullptr},
    {"threads", threads, METH_NOARGS, nullptr},
    {"instruction_set", instruction_set, METH_NOARGS, nullptr},
    {"instruction_sets", instruction_sets, METH_NOARGS, nullptr},
    {"use", use, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

int begin(PyObject *module) {
    for (const Set *each : {rushlight::set_v3(), rushlight::set_v4()})
        if (each) in_use = each;
    for (PyMethodDef *family : {rushlight::arithmetic_functions, rushlight::sweep_functions, rushlight::row_functions, rushlight::channel_functions, rushlight::class_functions, rushlight::place_functions,
                                rushlight::convolution_functions, rushlight::lstm_functions, rushlight::attention_functions, rushlight::step_functions, rushlight::grid_functions,
                                rushlight::ctc_functions, rushlight::box_functions, rushlight::chain_functions,
                                rushlight::twister_functions, rushlight::order_functions, rushlight::scan_functions, rushlight::normal_functions, rushlight::half_functions, rushlight::turn_functions,
                                rushlight::weight_functions, rushlight::distance_functions, rushlight::bag_functions})
        if (PyModule_AddFunctions(module, family) < 0) return -1;
    return 0;
}

// What Python learnt after 3.11, by number: this is built for all from there on.
constexpr int MULTIPLE_INTERPRETERS = 3, GIL = 4;

PyModuleDef_Slot slots[4] = {{Py_mod_exec, reinterpret_cast<void *>(begin)}, {0, nullptr}, {0, nullptr}, {0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", "Fused loops over arrays.", 0, methods, slots, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__native() {
    int next = 1;
    if (Py_Version >= 0x030C0000) slots[next++] = {MULTIPLE_INTERPRETERS, reinterpret_cast<void *>(2)};  // each with a lock of its own
    if (Py_Version >= 0x030D0000) slots[next++] = {GIL, reinterpret_cast<void *>(1)};  // not used
    return PyModuleDef_Init(&definition);
}
