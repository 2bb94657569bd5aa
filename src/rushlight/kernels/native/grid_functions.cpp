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

enum Mode { BILINEAR, NEAREST, BICUBIC, MODES };
enum Padding { ZEROS, BORDER, REFLECTION, PADDINGS };

struct Grid {
    std::size_t samples, channels, spatial[3], places, rank, mode, padding, align_corners, orders[3];  // of derivatives, by coordinate

    std::size_t plane() const { return spatial[0] * spatial[1] * spatial[2]; }
};

constexpr double CUBIC = -0.75;
constexpr std::int32_t FRAME = 2;   // zeros on each side of an image, which is what is seen wherever there is no image
constexpr std::size_t BLOCK = 64;  // places that are worked on together

// Of a block of places the taps along one axis: where they are in the frame, and their weights or the derivatives of these.
template <class T> struct Axis {
    std::size_t taps = 1;
    std::int32_t index[4][BLOCK] = {};
    T weights[4][BLOCK];

    Axis() { std::fill(weights[0], weights[0] + BLOCK, T(1)); }
};

// Thrown back at the borders of the image until it lies within.
template <class T> T reflected(T position, std::size_t size, bool align_corners, T &slope) {
    T low = align_corners ? T(0) : T(-0.5), high = static_cast<T>(size) - (align_corners ? T(1) : T(0.5)), span = high - low;
    if (span == 0) return slope = 0;
    T distance = position - low;
    slope = distance < 0 ? T(-1) : T(1);
    distance = std::abs(distance);
    T turns = std::floor(distance / span), rest = distance - turns * span;
    if (std::fmod(turns, T(2)) != 1) return rest + low;
    slope = -slope;
    return high - rest;
}

// Positions brought inside as the padding says, and the slopes of that.
template <class T> void pad(const Grid &grid, std::size_t size, T *positions, T *slopes) {
    T last = static_cast<T>(size) - 1;
    for (std::size_t i = 0; i < BLOCK; i++) slopes[i] = 1;
    if (grid.padding == ZEROS) {  // what is neither here nor there is weighed in two dimensions, and passed over in three
        for (std::size_t i = 0; i < BLOCK && grid.rank == 3; i++) positions[i] = positions[i] - positions[i] == 0 ? positions[i] : T(-FRAME);
        return;
    }
    for (std::size_t i = 0; i < BLOCK && grid.padding == REFLECTION; i++) positions[i] = reflected(positions[i], size, grid.align_corners, slopes[i]);
    for (std::size_t i = 0; i < BLOCK; i++) {
        T position = positions[i];
        slopes[i] = position > 0 && position < last ? slopes[i] : T(0);
        positions[i] = position > 0 ? (position < last ? position : last) : T(0);  // nan becomes 0
    }
}

// The whole number below a position, or its distance of the frame's edge.
template <class T> std::int32_t below(T position, std::size_t size) {
    T edge = static_cast<T>(size), held = position > T(-FRAME) ? (position < edge ? position : edge) : T(-FRAME);
    auto whole = static_cast<std::int32_t>(held);
    return whole - (held < static_cast<T>(whole));
}

template <class T> T cubic(T distance, std::size_t order) {
    constexpr T A = T(CUBIC);
    T d = std::abs(distance);
    if (order == 0) return d <= 1 ? ((A + 2) * d - (A + 3)) * d * d + 1 : ((A * d - 5 * A) * d + 8 * A) * d - 4 * A;
    return (distance < 0 ? T(-1) : T(1)) * (d <= 1 ? (3 * (A + 2) * d - 2 * (A + 3)) * d : (3 * A * d - 10 * A) * d + 8 * A);
}

template <class T> void find_axis(const Grid &grid, const T *places, std::size_t count, std::size_t size, std::size_t order, Axis<T> &axis) {
    T scale = static_cast<T>(grid.align_corners ? static_cast<double>(size - 1) / 2 : static_cast<double>(size) / 2);
    T half = grid.align_corners ? T(0) : T(0.5), positions[BLOCK] = {}, moved[BLOCK], slopes[BLOCK];
    for (std::size_t i = 0; i < count; i++) positions[i] = (places[i * grid.rank] + 1) * scale - half;
    if (grid.mode == BICUBIC) {
        axis.taps = 4;
        for (int tap = 0; tap < 4; tap++) {
            for (std::size_t i = 0; i < BLOCK; i++) {
                T first = std::floor(positions[i]), distance = positions[i] - first - T(tap - 1);
                axis.weights[tap][i] = cubic(distance, order) * (order ? scale : T(1));
                moved[i] = first + T(tap - 1);
            }
            pad(grid, size, moved, slopes);
            for (std::size_t i = 0; i < BLOCK; i++) axis.index[tap][i] = below(moved[i], size) + FRAME;
        }
        return;
    }
    pad(grid, size, positions, slopes);
    if (grid.mode == NEAREST) {
        for (std::size_t i = 0; i < BLOCK; i++) axis.index[0][i] = below(std::nearbyint(positions[i]), size) + FRAME;
        return;
    }
    axis.taps = 2;
    for (std::size_t i = 0; i < BLOCK; i++) {
        std::int32_t first = below(positions[i], size);
        T beyond = positions[i] - positions[i];  // 0, or nan where weights are to be nan
        T upper = positions[i] >= T(-FRAME) && positions[i] < static_cast<T>(size) ? positions[i] - static_cast<T>(first) : beyond;
        axis.index[0][i] = first + FRAME, axis.index[1][i] = first + FRAME + 1;
        axis.weights[1][i] = order ? slopes[i] * scale : upper;
        axis.weights[0][i] = order ? -slopes[i] * scale : 1 - upper;
    }
}

// Images in their frames.
struct Frames {
    std::size_t spatial[3], size = 1;
    std::size_t images[3];

    explicit Frames(const Grid &grid) {
        for (std::size_t axis = 0; axis < 3; axis++) {
            images[axis] = grid.spatial[axis];
            spatial[axis] = images[axis] + (axis + grid.rank < 3 ? 0 : 2 * FRAME);
            size *= spatial[axis];
        }
    }
    // f(line of an image, where it lies in the frame) for each line.
    template <class F> void each_line(F f) const {
        std::size_t front = (spatial[0] - images[0]) / 2;
        for (std::size_t z = 0; z < images[0]; z++)
            for (std::size_t y = 0; y < images[1]; y++) f((z * images[1] + y) * images[2], ((z + front) * spatial[1] + y + FRAME) * spatial[2] + FRAME);
    }
};

template <class T> struct Taps {
    std::size_t count = 0;
    std::int32_t index[16][BLOCK];
    T weights[16][BLOCK];

    Taps(const Grid &grid, const Frames &frames, const T *places, std::size_t block) {
        Axis<T> axes[3];
        for (std::size_t coordinate = 0; coordinate < grid.rank; coordinate++)
            find_axis(grid, places + coordinate, block, grid.spatial[2 - coordinate], grid.orders[coordinate], axes[2 - coordinate]);
        auto depth = static_cast<std::int32_t>(frames.spatial[1]), width = static_cast<std::int32_t>(frames.spatial[2]);
        for (std::size_t z = 0; z < axes[0].taps; z++)
            for (std::size_t y = 0; y < axes[1].taps; y++)
                for (std::size_t x = 0; x < axes[2].taps; x++, count++)
                    for (std::size_t i = 0; i < BLOCK; i++) {
                        index[count][i] = (axes[0].index[z][i] * depth + axes[1].index[y][i]) * width + axes[2].index[x][i];
                        weights[count][i] = axes[0].weights[z][i] * axes[1].weights[y][i] * axes[2].weights[x][i];
                    }
    }
    template <std::size_t COUNT> void read(const T *image, T *values, std::size_t block) const {
        for (std::size_t i = 0; i < block; i++) {
            T total = 0;
            for (std::size_t tap = 0; tap < COUNT; tap++) total += image[index[tap][i]] * weights[tap][i];
            values[i] = total;
        }
    }
    template <std::size_t COUNT> void add(T *image, const T *values, std::size_t block) const {
        for (std::size_t i = 0; i < block; i++)
            for (std::size_t tap = 0; tap < COUNT; tap++) image[index[tap][i]] += values[i] * weights[tap][i];
    }
    template <bool BACK, std::size_t COUNT> void go(T *image, T *values, std::size_t block) const {
        if constexpr (BACK) add<COUNT>(image, values, block);
        else read<COUNT>(image, values, block);
    }
    template <bool BACK> void all(T *image, T *values, std::size_t block) const {
        if (count == 1) go<BACK, 1>(image, values, block);
        else if (count == 4) go<BACK, 4>(image, values, block);
        else if (count == 8) go<BACK, 8>(image, values, block);
        else go<BACK, 16>(image, values, block);
    }
};

// Of one sample: y (channels, places) from images x, or images x from y.
template <class T, bool BACK> void sample(const Grid &grid, const Frames &frames, T *framed, T *x, const T *places, T *y) {
    std::size_t width = grid.spatial[2];
    std::fill(framed, framed + grid.channels * frames.size, T(0));
    auto each_line = [&](auto copy) {
        for (std::size_t c = 0; c < grid.channels; c++)
            frames.each_line([&](std::size_t line, std::size_t place) { copy(x + c * grid.plane() + line, framed + c * frames.size + place); });
    };
    if (!BACK) each_line([&](const T *line, T *place) { std::copy(line, line + width, place); });
    for (std::size_t start = 0; start < grid.places; start += BLOCK) {
        std::size_t block = std::min(BLOCK, grid.places - start);
        Taps<T> taps(grid, frames, places + start * grid.rank, block);
        for (std::size_t c = 0; c < grid.channels; c++) taps.template all<BACK>(framed + c * frames.size, y + c * grid.places + start, block);
    }
    if (BACK) each_line([&](T *line, const T *place) { std::copy(place, place + width, line); });
}

template <class T, bool BACK> bool sample_all(const Grid &grid, void *x, const void *places, void *y) {
    Frames frames(grid);
    std::atomic<bool> failed{false};
    double cost = static_cast<double>(grid.places) * (20 + 4 * static_cast<double>(grid.channels));
    share(grid.samples, 1, cost, [&](std::size_t from, std::size_t to) {
        Memory<T> framed(grid.channels * frames.size);
        if (!framed) failed = true;
        for (std::size_t n = from; n < to && framed; n++)
            sample<T, BACK>(grid, frames, framed.get(), static_cast<T *>(x) + n * grid.channels * grid.plane(),
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
    if (grid.rank < 2 || grid.rank > 3 || grid.mode >= MODES || grid.padding >= PADDINGS || (grid.rank == 3 && grid.mode == BICUBIC)) Py_RETURN_FALSE;
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
