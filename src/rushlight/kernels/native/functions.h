// The module's functions by family, each in its own file; module.cpp adds them all. Their arguments are objects with the buffer
// protocol. Each gives True, or False, and then has done nothing, where an array is not of a kind that it takes: not in order, or
// not all of one dtype.
#pragma once

#include "arguments.h"

#include <atomic>

#include "loops.h"

namespace rushlight {

extern std::atomic<const Set *> in_use;

using Fast = PyObject *(*)(PyObject *, PyObject *const *, Py_ssize_t);

inline PyMethodDef fast(const char *name, Fast function) {
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), METH_FASTCALL, nullptr};
}

extern PyMethodDef arithmetic_functions[], sweep_functions[], row_functions[], channel_functions[], class_functions[], place_functions[], convolution_functions[],
    lstm_functions[], attention_functions[], step_functions[], grid_functions[], ctc_functions[], box_functions[], chain_functions[],
    twister_functions[], order_functions[], scan_functions[], normal_functions[], half_functions[], turn_functions[],
    weight_functions[], distance_functions[], bag_functions[];

}  // namespace rushlight
