// Pooling as Python sees it: planes (count, depth, height, width), and boxes that are windows of them.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "functions.h"
#include "memory.h"
#include "pool.h"

namespace rushlight {
namespace {

constexpr std::size_t MOST_PLACES = 1 << 14;  // numbers, which stay in the second cache
constexpr std::size_t FEW_PLANES = 4;         // for which places would be found in vain

// Whether a box has a place, and none outside; every axis' bounds are where its windows begin, where they end, and how much they count.
bool are_within(const Boxes &boxes) {
    for (std::size_t axis = 0; axis < 3; axis++)
        for (std::size_t i = 0; i < boxes.out[axis]; i++) {
            std::int64_t begin = boxes.begin[axis][i], end = boxes.end[axis][i];
            if (begin < 0 || end <= begin || static_cast<std::size_t>(end) > boxes.in[axis]) return false;
        }
    return true;
}

// The longest stretch of windows along the width that go on as they began: as long, and as far from one another.
void find_regular(Boxes &boxes) {
    std::size_t size = boxes.out[2];
    const std::int64_t *begin = boxes.begin[2], *end = boxes.end[2];
    for (std::size_t first = 0; first + 1 < size;) {
        std::size_t last = first + 1;
        std::int64_t apart = begin[last] - begin[first];
        while (last < size && begin[last] - begin[last - 1] == apart && end[last] - begin[last] == end[first] - begin[first]) last++;
        if (apart > 0 && last - first > boxes.regular[1] - boxes.regular[0]) boxes.regular[0] = first, boxes.regular[1] = last, boxes.stride = static_cast<std::size_t>(apart);
        first = std::max(last - 1, first + 1);
    }
}

// Where the taps of all windows lie, one tap of all after another. A window that has fewer along an axis sees its last there again.
std::vector<std::int32_t> find_places(const Boxes &boxes, std::size_t &taps) {
    auto number = [&](std::size_t axis, std::size_t i) { return (static_cast<std::size_t>(boxes.end[axis][i] - boxes.begin[axis][i]) + boxes.step[axis] - 1) / boxes.step[axis]; };
    std::size_t most[3] = {1, 1, 1};
    for (std::size_t axis = 0; axis < 3; axis++)
        for (std::size_t i = 0; i < boxes.out[axis]; i++) most[axis] = std::max(most[axis], number(axis, i));
    taps = product({most[0], most[1], most[2]});
    std::vector<std::int32_t> places;
    if (!taps || !product({taps, boxes.windows()}) || taps * boxes.windows() > MOST_PLACES) return places;
    for (std::size_t tap = 0; tap < taps; tap++)
        for (std::size_t window = 0; window < boxes.windows(); window++) {
            std::size_t taps_at[3] = {tap / most[2] / most[1], tap / most[2] % most[1], tap % most[2]}, place = 0;
            std::size_t at[3] = {window / boxes.out[2] / boxes.out[1], window / boxes.out[2] % boxes.out[1], window % boxes.out[2]};
            for (std::size_t axis = 0; axis < 3; axis++) {
                std::size_t seen = std::min(taps_at[axis], number(axis, at[axis]) - 1);
                place = place * boxes.in[axis] + static_cast<std::size_t>(boxes.begin[axis][at[axis]]) + seen * boxes.step[axis];
            }
            places.push_back(static_cast<std::int32_t>(place));
        }
    return places;
}

// (values, indices or None, x, bounds, sizes). Sizes are the planes' count, what a Boxes has as `in`, `out` and `step`.
template <BoxesKind KIND> PyObject *pool(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 5)) return nullptr;
    std::size_t sizes[10];
    if (!get_sizes(args[4], sizes)) return nullptr;
    Boxes boxes{};
    std::copy(sizes + 1, sizes + 4, boxes.in), std::copy(sizes + 4, sizes + 7, boxes.out), std::copy(sizes + 7, sizes + 10, boxes.step);
    Array values, indices, x, bounds;
    if (!values.get(args[0], true) || !x.get(args[2], false) || !bounds.get_indices(args[3], false)) Py_RETURN_FALSE;
    if (KIND == BOX_MAXIMA ? !indices.get_indices(args[1], true) : args[1] != Py_None) Py_RETURN_FALSE;
    std::size_t whole = product({sizes[0], boxes.in[0], boxes.in[1], boxes.in[2]}), windows = product({sizes[0], boxes.out[0], boxes.out[1], boxes.out[2]});
    Array &planes = KIND == BOX_MEANS_BACKWARD ? values : x, &pooled = KIND == BOX_MEANS_BACKWARD ? x : values;
    if (!whole || !windows || planes.size() != whole || pooled.size() != windows || x.kind != values.kind || !x.is_aligned() || !values.is_aligned()) Py_RETURN_FALSE;
    if ((KIND == BOX_MAXIMA && indices.size() != windows) || bounds.size() != 3 * (boxes.out[0] + boxes.out[1] + boxes.out[2])) Py_RETURN_FALSE;
    if (boxes.plane() >= std::size_t(1) << 31 || !boxes.step[0] || !boxes.step[1] || !boxes.step[2]) Py_RETURN_FALSE;
    if (*std::max_element(boxes.step, boxes.step + 3) > (KIND == BOX_MAXIMA ? std::size_t(1) << 31 : 1)) Py_RETURN_FALSE;
    const std::int64_t *bound = static_cast<const std::int64_t *>(bounds.data());
    for (std::size_t axis = 0; axis < 3; axis++)
        for (const std::int64_t **array : {&boxes.begin[axis], &boxes.end[axis], &boxes.count[axis]}) *array = bound, bound += boxes.out[axis];
    if (!are_within(boxes)) Py_RETURN_FALSE;
    find_regular(boxes);
    boxes.x = x.data(), boxes.out_values = values.data(), boxes.indices = static_cast<std::int64_t *>(indices.data());
    const Set &set = *in_use.load();
    std::size_t lanes = set.width / (x.is_double() ? sizeof(double) : sizeof(float));
    std::vector<std::int32_t> places;
    if (KIND == BOX_MAXIMA && boxes.regular[1] - boxes.regular[0] < lanes && boxes.windows() >= lanes && sizes[0] >= FEW_PLANES) places = find_places(boxes, boxes.taps);
    boxes.places = places.empty() ? nullptr : places.data();
    BoxesLoop loop = set.boxes[KIND][x.is_double()];
    std::atomic<bool> failed{false};
    unlocked(whole, [&] {
        share(sizes[0], 1, static_cast<double>(boxes.plane() + 2 * boxes.windows()), [&](std::size_t from, std::size_t to) {
            Memory<double> room(boxes.in[2] + boxes.out[2]);
            if (room) loop(boxes, from, to, room.get());
            else failed = true;
        });
    });
    if (failed) return PyErr_NoMemory();
    Py_RETURN_TRUE;
}

// Adds to planes, which are zeros, what was given at the places of maxima, a plane's own.
template <class T> void scatter(T *planes, const T *given, const std::int64_t *indices, std::size_t plane, std::size_t windows, std::size_t from, std::size_t to) {
    for (std::size_t n = from; n < to; n++)
        for (std::size_t i = 0; i < windows; i++) planes[n * plane + static_cast<std::size_t>(indices[n * windows + i])] += given[n * windows + i];
}

// (planes, given, indices, sizes): sizes are how many planes, how many numbers in each, and how many windows. False too for a place
// that there is not.
PyObject *pool_scatter(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 4)) return nullptr;
    std::size_t sizes[3];
    if (!get_sizes(args[3], sizes)) return nullptr;
    Array planes, given, indices;
    if (!planes.get(args[0], true) || !given.get(args[1], false) || !indices.get_indices(args[2], false)) Py_RETURN_FALSE;
    std::size_t whole = product({sizes[0], sizes[1]}), windows = product({sizes[0], sizes[2]});
    if (!whole || !windows || planes.size() != whole || given.size() != windows || indices.size() != windows) Py_RETURN_FALSE;
    if (planes.kind != given.kind || !planes.is_aligned() || !given.is_aligned()) Py_RETURN_FALSE;
    const std::int64_t *places = static_cast<const std::int64_t *>(indices.data());
    if (!std::all_of(places, places + windows, [&](std::int64_t place) { return static_cast<std::size_t>(place) < sizes[1]; })) Py_RETURN_FALSE;
    unlocked(windows, [&] {
        share(sizes[0], 1, 2 * static_cast<double>(sizes[2]), [&](std::size_t from, std::size_t to) {
            if (planes.is_double()) scatter(static_cast<double *>(planes.data()), static_cast<const double *>(given.data()), places, sizes[1], sizes[2], from, to);
            else scatter(static_cast<float *>(planes.data()), static_cast<const float *>(given.data()), places, sizes[1], sizes[2], from, to);
        });
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef box_functions[] = {
    fast("box_maxima", pool<BOX_MAXIMA>),
    fast("box_means", pool<BOX_MEANS>),
    fast("box_means_backward", pool<BOX_MEANS_BACKWARD>),
    fast("pool_scatter", pool_scatter),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
