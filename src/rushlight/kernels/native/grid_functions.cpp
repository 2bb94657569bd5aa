// Images sampled at the places of a grid, and the transpose of that, as Python sees them. Images are (samples, channels, depth, height,
// width), the grid (samples, places, rank): of each place the coordinates from -1 to 1, the width's first. Those of rank 2 have depth 1.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "functions.h"
#include "memory.h"
#include "pool.h"

namespace rushlight {
namespace {

// Images in their frames.
struct Frames {
    std::size_t spatial[3], size = 1;
    std::size_t images[3];

    explicit Frames(const Grid &grid) {
        for (std::size_t axis = 0; axis < 3; axis++) {
            images[axis] = grid.spatial[axis];
            spatial[axis] = images[axis] + (axis + grid.rank < 3 ? 0 : 2 * GRID_FRAME);
            size *= spatial[axis];
        }
    }
    // f(line of an image, where it lies in the frame) for each line.
    template <class F> void each_line(F f) const {
        std::size_t front = (spatial[0] - images[0]) / 2;
        for (std::size_t z = 0; z < images[0]; z++)
            for (std::size_t y = 0; y < images[1]; y++) f((z * images[1] + y) * images[2], ((z + front) * spatial[1] + y + GRID_FRAME) * spatial[2] + GRID_FRAME);
    }
};

// Where places are along one axis, in numbers of the image. Here products are rounded before anything is taken from them, as NumPy's are:
// the whole number next to a position depends on its last bit.
template <class T> void find_positions(const Grid &grid, const T *places, std::size_t count, std::size_t size, T *positions) {
    T scale = static_cast<T>(grid.scale(size)), half = grid.align_corners ? T(0) : T(0.5);
    for (std::size_t i = 0; i < count; i++) positions[i] = (places[i * grid.rank] + 1) * scale - half;
}

// Of one sample: y (channels, places) from images x, or images x from y.
template <class T, bool BACK> void sample(GridLoop loop, const Grid &grid, const Frames &frames, T *framed, T *x, const T *places, T *y) {
    std::size_t width = grid.spatial[2];
    T positions[3 * GRID_BLOCK] = {};
    std::fill(framed, framed + grid.channels * frames.size, T(0));
    auto each_line = [&](auto copy) {
        for (std::size_t c = 0; c < grid.channels; c++)
            frames.each_line([&](std::size_t line, std::size_t place) { copy(x + c * grid.plane() + line, framed + c * frames.size + place); });
    };
    if (!BACK) each_line([&](const T *line, T *place) { std::copy(line, line + width, place); });
    for (std::size_t start = 0; start < grid.places; start += GRID_BLOCK) {
        std::size_t block = std::min(GRID_BLOCK, grid.places - start);
        for (std::size_t coordinate = 0; coordinate < grid.rank; coordinate++)
            find_positions(grid, places + start * grid.rank + coordinate, block, grid.spatial[2 - coordinate], positions + coordinate * GRID_BLOCK);
        loop(grid, {positions, block, frames.spatial, frames.size, framed, y + start});
    }
    if (BACK) each_line([&](T *line, const T *place) { std::copy(place, place + width, line); });
}

template <class T, bool BACK> bool sample_all(const Grid &grid, void *x, const void *places, void *y) {
    Frames frames(grid);
    const Set *set = in_use.load();
    GridLoop loop = (BACK ? set->grids_back : set->grids)[sizeof(T) == 8];
    std::atomic<bool> failed{false};
    double cost = static_cast<double>(grid.places) * (20 + 4 * static_cast<double>(grid.channels));
    share(grid.samples, 1, cost, [&](std::size_t from, std::size_t to) {
        Memory<T> framed(grid.channels * frames.size);
        if (!framed) failed = true;
        for (std::size_t n = from; n < to && framed; n++)
            sample<T, BACK>(loop, grid, frames, framed.get(), static_cast<T *>(x) + n * grid.channels * grid.plane(),
                            static_cast<const T *>(places) + n * grid.places * grid.rank, static_cast<T *>(y) + n * grid.channels * grid.places);
    });
    return !failed;
}

// (y, x, grid, sizes) or (x, y, grid, sizes). Sizes are the numbers of a Grid.
template <bool BACK> PyObject *grid_sample(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 4)) return nullptr;
    std::size_t sizes[13];
    if (!get_sizes(args[3], sizes)) return nullptr;
    Grid grid{sizes[0], sizes[1], {sizes[2], sizes[3], sizes[4]}, sizes[5], sizes[6], sizes[7], sizes[8], sizes[9], {sizes[10], sizes[11], sizes[12]}};
    Array out, given, places;
    if (!out.get(args[0], true) || !given.get(args[1], false) || !places.get(args[2], false)) Py_RETURN_FALSE;
    Array &x = BACK ? out : given, &y = BACK ? given : out;
    std::size_t images = product({grid.samples, grid.channels, grid.spatial[0], grid.spatial[1], grid.spatial[2]});
    std::size_t values = product({grid.samples, grid.channels, grid.places}), named = product({grid.samples, grid.places, grid.rank});
    if (!images || !values || !named || x.size() != images || y.size() != values || places.size() != named) Py_RETURN_FALSE;
    if (x.kind != y.kind || x.kind != places.kind || !x.is_aligned() || !y.is_aligned() || !places.is_aligned()) Py_RETURN_FALSE;
    if (grid.rank < 2 || grid.rank > 3 || grid.mode >= GRID_MODES || grid.padding >= GRID_PADDINGS || (grid.rank == 3 && grid.mode == BICUBIC)) Py_RETURN_FALSE;
    if ((grid.rank == 2 && grid.spatial[0] != 1) || std::any_of(grid.orders, grid.orders + 3, [&](std::size_t order) { return order > (grid.mode != NEAREST); })) Py_RETURN_FALSE;
    // So that places in a frame fit in 32 bits, and positions near an image are whole numbers in single precision.
    if (!product({grid.channels, grid.spatial[0] + 4, grid.spatial[1] + 4, grid.spatial[2] + 4}) || Frames(grid).size >= 1u << 31) Py_RETURN_FALSE;
    if (std::any_of(grid.spatial, grid.spatial + 3, [](std::size_t size) { return size >= 1 << 22; })) Py_RETURN_FALSE;
    auto work = x.is_double() ? sample_all<double, BACK> : sample_all<float, BACK>;
    bool done = false;
    unlocked(values, [&] { done = work(grid, x.data(), places.data(), y.data()); });
    if (!done) return PyErr_NoMemory();
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef grid_functions[] = {
    fast("grid_sample", grid_sample<false>),
    fast("grid_sample_backward", grid_sample<true>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
