// Batch norm and group norm as Python sees them. Sizes are samples, channels, how many numbers a sample has of each, and for groups how many
// of these there are.
#include "functions.h"
#include "memory.h"
#include "pool.h"

namespace rushlight {
namespace {

// What one number takes, in nanoseconds, about: whether other threads are worth waking.
constexpr double COST = 0.6;

template <Py_ssize_t COUNT = 3> bool read(PyObject *numbers, Channels &arrays) {
    std::size_t sizes[COUNT];
    if (!get_sizes(numbers, sizes)) return false;
    arrays.samples = sizes[0], arrays.channels = sizes[1], arrays.length = sizes[2];
    arrays.groups = COUNT == 4 ? sizes[COUNT - 1] : 1;
    return true;
}

bool fits(const Channels &arrays, const Array &x) {
    std::size_t size = product({arrays.samples, arrays.channels, arrays.length});
    return size && size == x.size() && arrays.groups && arrays.channels % arrays.groups == 0;
}

bool is_by_channel(const Array &vector, const Array &x, const Channels &arrays) {
    return !vector || (vector.kind == x.kind && vector.size() == arrays.channels);
}

// By channels, or by each sample's groups of them: `count`, with so many sweeps over their numbers. Channels of one number by stripes.
void by_channel(const Channels &arrays, ChannelsKind kind, bool is_double, std::size_t count, int sweeps) {
    const Set *set = in_use.load();
    bool are_columns = arrays.length == 1 && static_cast<int>(kind) < static_cast<int>(COLUMN_NORMS);
    ChannelsLoop loop = are_columns ? set->column_norms[kind][is_double] : set->channels[kind][is_double];
    if (are_columns) count = (count + BROAD - 1) / BROAD;
    std::size_t size = arrays.samples * arrays.channels * arrays.length;
    unlocked(size, [&] {
        share(count, 1, COST * static_cast<double>(size) / static_cast<double>(count) * sweeps, [&](std::size_t from, std::size_t to) { loop(arrays, from, to); });
    });
}

// (moments, x, sizes): of each channel the mean, and after all of these its variance, in double.
PyObject *channel_moments(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 3)) return nullptr;
    Channels arrays{};
    if (!read(args[2], arrays)) return nullptr;
    Array moments, x;
    if (!moments.get(args[0], true) || !x.get(args[1], false) || !moments.is_double() || !fits(arrays, x)) Py_RETURN_FALSE;
    if (moments.size() != 2 * arrays.channels) Py_RETURN_FALSE;
    arrays.moments = static_cast<double *>(moments.data()), arrays.x = x.data();
    by_channel(arrays, CHANNEL_MOMENTS, x.is_double(), arrays.channels, 1);
    Py_RETURN_TRUE;
}

// (out, x, weight, bias, eps, sizes); weight and bias may be None.
template <ChannelsKind KIND> PyObject *norm(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 6)) return nullptr;
    Channels arrays{};
    arrays.eps = PyFloat_AsDouble(args[4]);
    if (PyErr_Occurred() || !read<KIND == GROUP_NORM ? 4 : 3>(args[5], arrays)) return nullptr;
    Array out, x, weight, bias;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !x.is_like(out) || !fits(arrays, x)) Py_RETURN_FALSE;
    if (!weight.get(args[2], false, true) || !bias.get(args[3], false, true)) Py_RETURN_FALSE;
    if (!is_by_channel(weight, x, arrays) || !is_by_channel(bias, x, arrays)) Py_RETURN_FALSE;
    arrays.out = out.data(), arrays.x = x.data(), arrays.weight = weight.data(), arrays.bias = bias.data();
    by_channel(arrays, KIND, x.is_double(), KIND == GROUP_NORM ? arrays.samples * arrays.groups : arrays.channels, 2);
    Py_RETURN_TRUE;
}

// (out, x, moments, weight, bias, eps, sizes): moments in double, as channel_moments gives them; weight and bias may be None.
PyObject *batch_norm_given(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 7)) return nullptr;
    Channels arrays{};
    arrays.eps = PyFloat_AsDouble(args[5]);
    if (PyErr_Occurred() || !read(args[6], arrays)) return nullptr;
    Array out, x, moments, weight, bias;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !x.is_like(out) || !fits(arrays, x)) Py_RETURN_FALSE;
    if (!moments.get(args[2], false) || !moments.is_double() || !moments.is_aligned() || moments.size() != 2 * arrays.channels) Py_RETURN_FALSE;
    if (!weight.get(args[3], false, true) || !bias.get(args[4], false, true)) Py_RETURN_FALSE;
    if (!is_by_channel(weight, x, arrays) || !is_by_channel(bias, x, arrays)) Py_RETURN_FALSE;
    arrays.out = out.data(), arrays.x = x.data(), arrays.moments = static_cast<double *>(moments.data()), arrays.weight = weight.data(), arrays.bias = bias.data();
    by_channel(arrays, BATCH_NORM_GIVEN, x.is_double(), arrays.channels, 1);
    Py_RETURN_TRUE;
}

// (for_x, for_weight, for_bias, g, x, weight, eps, sizes): of the first three those that are not wanted are None; weight may be.
template <ChannelsKind KIND> PyObject *norm_backward(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 8)) return nullptr;
    Channels arrays{};
    arrays.eps = PyFloat_AsDouble(args[6]);
    if (PyErr_Occurred() || !read<KIND == GROUP_NORM_BACKWARD ? 4 : 3>(args[7], arrays)) return nullptr;
    Array for_x, for_weight, for_bias, g, x, weight;
    if (!for_x.get(args[0], true, true) || !for_weight.get(args[1], true, true) || !for_bias.get(args[2], true, true)) Py_RETURN_FALSE;
    if (!g.get(args[3], false) || !x.get(args[4], false) || !weight.get(args[5], false, true)) Py_RETURN_FALSE;
    if (!g.is_like(x) || !fits(arrays, x) || (for_x && !for_x.is_like(x))) Py_RETURN_FALSE;
    for (const Array *vector : {&for_weight, &for_bias, &weight})
        if (!is_by_channel(*vector, x, arrays)) Py_RETURN_FALSE;
    arrays.out = for_x.data(), arrays.for_weight = for_weight.data(), arrays.for_bias = for_bias.data();
    arrays.g = g.data(), arrays.x = x.data(), arrays.weight = weight.data();
    if (KIND == BATCH_NORM_BACKWARD) {
        by_channel(arrays, KIND, x.is_double(), arrays.channels, 3);
        Py_RETURN_TRUE;
    }
    Memory<double> sums(2 * arrays.samples * arrays.channels);  // at most twice x
    if (!sums) return PyErr_NoMemory();
    arrays.sums = sums.get();
    by_channel(arrays, KIND, x.is_double(), arrays.samples * arrays.groups, 3);
    for (std::size_t channel = 0; channel < arrays.channels; channel++) {
        double totals[2] = {};
        for (std::size_t n = 0; n < arrays.samples; n++)
            for (std::size_t i = 0; i < 2; i++) totals[i] += arrays.sums[2 * (n * arrays.channels + channel) + i];
        if (for_weight) for_weight.put(channel, totals[0]);
        if (for_bias) for_bias.put(channel, totals[1]);
    }
    Py_RETURN_TRUE;
}

// (out, g, x, means, sizes): of each channel the sum of g * (x - mean).
PyObject *channel_dots(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 5)) return nullptr;
    Channels arrays{};
    if (!read(args[4], arrays)) return nullptr;
    Array out, g, x, means;
    if (!out.get(args[0], true) || !g.get(args[1], false) || !x.get(args[2], false) || !means.get(args[3], false)) Py_RETURN_FALSE;
    if (!g.is_like(x) || !fits(arrays, x) || !is_by_channel(out, x, arrays) || !is_by_channel(means, x, arrays)) Py_RETURN_FALSE;
    arrays.out = out.data(), arrays.g = g.data(), arrays.x = x.data(), arrays.weight = means.data();
    by_channel(arrays, CHANNEL_DOTS, x.is_double(), arrays.channels, 1);
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef channel_functions[] = {
    fast("channel_moments", channel_moments),
    fast("batch_norm", norm<BATCH_NORM>),
    fast("batch_norm_given", batch_norm_given),
    fast("batch_norm_backward", norm_backward<BATCH_NORM_BACKWARD>),
    fast("channel_dots", channel_dots),
    fast("group_norm", norm<GROUP_NORM>),
    fast("group_norm_backward", norm_backward<GROUP_NORM_BACKWARD>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
