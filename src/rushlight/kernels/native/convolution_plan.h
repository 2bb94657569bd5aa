// How convolutions are divided into blocks, and how the planes of a block lie: with zeros around them, one line for each channel.
#pragma once

#include <algorithm>
#include <vector>

#include "convolution.h"
#include "memory.h"

namespace rushlight {

constexpr std::size_t BLOCK_BYTES = 192 << 10;  // of the lines of a block: they stay in the second cache
constexpr std::size_t WINDOWS_BYTES = 384 << 10;  // the same, where windows are worked on alone
constexpr std::size_t PARTS = 8;                // that gradients of weights are summed in, by whatever number of threads
constexpr std::size_t LEAST = 512;              // numbers of a line, if there are as many: sums across vectors cost then little

struct Tap {
    std::size_t index, phase, shift[3];  // in the weight, of the line, and where in it
};

// (windows * apart + shift) * step + offset + phase is where in x a tap of a window lies, along each axis: either lines take every
// step-th number and windows are beside one another, or lines take all and windows are apart.
struct Plan {
    std::size_t samples, groups, depth, channels;
    std::size_t in[3], out[3], step[3];
    std::size_t apart[3] = {1, 1, 1};
    std::ptrdiff_t offset[3];
    std::vector<Tap> taps;
    std::vector<std::size_t> phases[3];  // those that taps see
    std::size_t reach[3] = {0, 0, 0};    // the farthest shift
    std::size_t axis, rows, together;    // blocks: so many rows of that axis, of so many samples
    std::size_t shared = 0;              // zeros that end a line of the last axis and begin the next

    std::size_t extent(std::size_t a, std::size_t length) const { return (length - 1) * apart[a] + 1 + reach[a] - (a == 2 ? shared : 0); }
    std::size_t plane_size() const { return extent(0, out[0]) * extent(1, out[1]) * extent(2, out[2]); }
    std::size_t number_of_phases() const { return phases[0].size() * phases[1].size() * phases[2].size(); }
    std::size_t row_blocks() const { return (out[axis] + rows - 1) / rows; }
    std::size_t sample_blocks() const { return (samples + together - 1) / together; }

    // By sizes alone, never by the number of threads.
    void divide(std::size_t itemsize) {
        axis = out[0] > 1 ? 0 : out[1] > 1 ? 1 : 2;
        std::size_t before = offset[2] < 0 ? static_cast<std::size_t>(-offset[2]) : 0, whole = out[2] + reach[2];
        if (axis != 2 && step[2] == 1 && phases[2].size() == 1 && before + in[2] < whole) shared = std::min({before, whole - before - in[2], reach[2]});
        std::size_t across = depth * number_of_phases() * itemsize;
        for (std::size_t a = 0; a < 3; a++)
            if (a != axis) across *= extent(a, out[a]);
        std::size_t fit = BLOCK_BYTES / across;
        rows = std::min(out[axis], std::max(fit > reach[axis] ? fit - reach[axis] : 0, 2 * reach[axis] + 1));
        std::size_t room = fit / (rows + reach[axis]);
        together = rows < out[axis] ? 1 : std::min(samples, std::max<std::size_t>(1, std::min(room, std::max((samples + PARTS - 1) / PARTS, LEAST / plane_size()))));
    }

    // The same for windows that are worked on alone: blocks may be small, and are as large as one another.
    void divide_by_windows(std::size_t itemsize) {
        axis = out[0] > 1 ? 0 : out[1] > 1 ? 1 : 2;
        std::size_t across = depth * itemsize;
        for (std::size_t a = 0; a < 3; a++)
            if (a != axis) across *= extent(a, out[a]);
        std::size_t fit = WINDOWS_BYTES / across, least = 2 * reach[axis] / apart[axis] + 1;
        rows = std::min(out[axis], std::max(fit > reach[axis] ? (fit - reach[axis] - 1) / apart[axis] + 1 : 0, least));
        rows = (out[axis] + row_blocks() - 1) / row_blocks();
        together = rows < out[axis] ? 1 : std::min({samples, (samples + PARTS - 1) / PARTS, std::max<std::size_t>(1, fit / extent(axis, rows))});
    }
};

// Rows are short, and for most of them a call would take longer than this.
template <class T> inline void copy_row(const T *from, std::size_t count, T *to) {
    constexpr std::size_t PIECE = 16, LONG = 160;
    std::size_t bytes = count * sizeof(T);
    if (bytes < PIECE || bytes > LONG) {
        std::copy(from, from + count, to);
        return;
    }
    const char *source = reinterpret_cast<const char *>(from);
    char *into = reinterpret_cast<char *>(to);
    for (std::size_t at = 0; at + PIECE < bytes; at += PIECE) __builtin_memcpy(into + at, source + at, PIECE);
    __builtin_memcpy(into + bytes - PIECE, source + bytes - PIECE, PIECE);
}

// One block: its extents with what windows reach beyond, and how its lines lie.
template <class T> struct Block {
    const Plan &plan;
    std::size_t group, first, last;  // samples
    std::size_t begin[3], out[3], extent[3], plane, length, pitch;

    Block(const Plan &plan, std::size_t group, std::size_t number) : plan(plan), group(group) {
        first = number / plan.row_blocks() * plan.together;
        last = std::min(plan.samples, first + plan.together);
        std::size_t row = number % plan.row_blocks() * plan.rows;
        for (std::size_t a = 0; a < 3; a++) {
            begin[a] = a == plan.axis ? row : 0;
            out[a] = a == plan.axis ? std::min(plan.rows, plan.out[a] - row) : plan.out[a];
            extent[a] = plan.extent(a, out[a]);
        }
        plane = extent[0] * extent[1] * extent[2];
        length = (last - first) * plane;
        // Room for the last step from the farthest offset on; lines a power of two apart would drive each other out of the cache.
        pitch = rounded<T>(length) + rounded<T>((plan.reach[0] * extent[1] + plan.reach[1]) * extent[2] + plan.reach[2]) + STEP<T> + 16;
    }

    std::size_t lines() const { return plan.depth * plan.number_of_phases(); }

    // Where the line of each tap of each channel begins.
    void offsets(std::size_t *to) const {
        for (std::size_t c = 0; c < plan.depth; c++)
            for (const Tap &tap : plan.taps)
                *to++ = (c * plan.number_of_phases() + tap.phase) * pitch + (tap.shift[0] * extent[1] + tap.shift[1]) * extent[2] + tap.shift[2];
    }

    void fill(T *to, const T *x) const {
        std::size_t whole = plan.in[0] * plan.in[1] * plan.in[2];
        for (std::size_t c = 0; c < plan.depth; c++)
            for (std::size_t p0 : plan.phases[0])
                for (std::size_t p1 : plan.phases[1])
                    for (std::size_t p2 : plan.phases[2]) {
                        T *line = to;
                        for (std::size_t n = first; n < last; n++, line += plane)
                            fill_plane(line, x + ((n * plan.groups + group) * plan.depth + c) * whole, p0, p1, p2);
                        std::fill(line, to + pitch, T(0));
                        to += pitch;
                    }
    }

    // Where in x an element of a line lies.
    std::ptrdiff_t place(std::size_t a, std::size_t at, std::size_t phase) const {
        return static_cast<std::ptrdiff_t>((begin[a] * plan.apart[a] + at) * plan.step[a] + phase) + plan.offset[a];
    }

    void fill_plane(T *to, const T *x, std::size_t p0, std::size_t p1, std::size_t p2) const {
        std::ptrdiff_t start = place(2, 0, p2), step = static_cast<std::ptrdiff_t>(plan.step[2]), width = static_cast<std::ptrdiff_t>(plan.in[2]);
        std::ptrdiff_t extent2 = static_cast<std::ptrdiff_t>(extent[2]);
        std::ptrdiff_t from = start < 0 ? std::min(extent2, (-start + step - 1) / step) : 0;
        std::ptrdiff_t until = start < width ? std::min(extent2, (width - 1 - start) / step + 1) : 0;
        until = std::max(from, until);
        for (std::size_t i = 0; i < extent[0]; i++)
            for (std::size_t j = 0; j < extent[1]; j++, to += extent2) {
                std::ptrdiff_t y = place(0, i, p0), z = place(1, j, p1);
                if (y < 0 || z < 0 || y >= static_cast<std::ptrdiff_t>(plan.in[0]) || z >= static_cast<std::ptrdiff_t>(plan.in[1])) {
                    std::fill(to, to + extent2, T(0));
                    continue;
                }
                const T *row = x + (y * static_cast<std::ptrdiff_t>(plan.in[1]) + z) * width;
                if (from == 1) to[0] = 0;
                else std::fill(to, to + from, T(0));
                if (step == 1) copy_row(row + start + from, static_cast<std::size_t>(until - from), to + from);
                else if (step == 2)  // known to the compiler, which then takes many at a time
                    for (std::ptrdiff_t k = from; k < until; k++) to[k] = row[start + k * 2];
                else
                    for (std::ptrdiff_t k = from; k < until; k++) to[k] = row[start + k * step];
                if (until + 1 == extent2) to[until] = 0;
                else std::fill(to + until, to + extent2, T(0));
            }
    }
};

// Where results go: position i of axis a lies at first[a] + i * step[a] of `whole`.
struct Target {
    std::size_t whole[3], first[3], step[3];
};

// The plan of y from x, whose windows are `stride` apart.
inline Plan forward(const Convolution &c) {
    Plan plan;
    plan.samples = c.samples, plan.groups = c.groups, plan.depth = c.depth, plan.channels = c.channels;
    std::vector<std::size_t> phase[3];  // of each tap of an axis the number of its phase
    for (std::size_t a = 0; a < 3; a++) {
        plan.in[a] = c.in[a], plan.out[a] = c.out[a], plan.step[a] = c.stride[a];
        plan.offset[a] = -static_cast<std::ptrdiff_t>(c.padding[a]);
        for (std::size_t t = 0; t < c.kernel[a]; t++) {
            std::size_t wanted = t * c.dilation[a] % c.stride[a];
            auto found = std::find(plan.phases[a].begin(), plan.phases[a].end(), wanted);
            phase[a].push_back(static_cast<std::size_t>(found - plan.phases[a].begin()));
            if (found == plan.phases[a].end()) plan.phases[a].push_back(wanted);
            plan.reach[a] = std::max(plan.reach[a], t * c.dilation[a] / c.stride[a]);
        }
    }
    for (std::size_t i = 0; i < c.kernel[0]; i++)
        for (std::size_t j = 0; j < c.kernel[1]; j++)
            for (std::size_t k = 0; k < c.kernel[2]; k++) {
                std::size_t index = (i * c.kernel[1] + j) * c.kernel[2] + k;
                std::size_t lies = (phase[0][i] * plan.phases[1].size() + phase[1][j]) * plan.phases[2].size() + phase[2][k];
                plan.taps.push_back({index, lies, {i * c.dilation[0] / c.stride[0], j * c.dilation[1] / c.stride[1], k * c.dilation[2] / c.stride[2]}});
            }
    return plan;
}

// The same, with lines that take all of x where windows are wider than one tap.
inline Plan forward_by_windows(const Convolution &c) {
    Convolution dense = c;
    for (std::size_t a = 0; a < 3; a++)
        if (c.kernel[a] > 1) dense.stride[a] = 1;
    Plan plan = forward(dense);
    for (std::size_t a = 0; a < 3; a++) plan.apart[a] = c.stride[a] / dense.stride[a];
    return plan;
}

// Taps of one axis that inputs of a phase (their position modulo the stride) see, and where in g from the first on.
struct Seen {
    std::vector<std::size_t> taps;
    std::vector<std::ptrdiff_t> places;
    std::ptrdiff_t least() const { return *std::min_element(places.begin(), places.end()); }
};

inline Seen seen(const Convolution &c, std::size_t a, std::size_t phase) {
    Seen found;
    std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(c.stride[a]);
    for (std::size_t t = 0; t < c.kernel[a]; t++) {
        std::ptrdiff_t at = static_cast<std::ptrdiff_t>(phase + c.padding[a]) - static_cast<std::ptrdiff_t>(t * c.dilation[a]);
        if (at % stride) continue;
        found.taps.push_back(t);
        found.places.push_back(at / stride);
    }
    return found;
}

}  // namespace rushlight
