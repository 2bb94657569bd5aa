// A block of samples at a time is laid out with zeros around its planes, as one line for each channel: what a tap of all windows
// sees is then that line from an offset on. With strides, positions of one phase (modulo the stride) lie together.
#include "convolution_tiles.h"

#include <atomic>
#include <cmath>

#include "pool.h"

namespace rushlight {
namespace {

constexpr std::size_t SEGMENT_BYTES = 4096;     // of a line, in sums along it: with others it stays in the first
constexpr std::size_t OUTPUTS = 32;             // that a task takes the gradients of weights of
constexpr std::size_t SUMS_BYTES = 64 << 20;    // of all parts
constexpr double COST = 0.06;                   // of a multiplication and addition, in nanoseconds, about

template <class T> Outcome correlate(const Set &set, const Plan &plan, const Target &target, T *y, const T *x, const Weights<T> &w, const T *bias) {
    std::size_t terms = plan.depth * plan.taps.size(), padded = (plan.channels + 3) / 4 * 4;
    Memory<T> packed(plan.groups * padded * terms);
    if (!packed) return FAILED;
    for (std::size_t group = 0; group < plan.groups; group++)
        for (std::size_t output = 0, count; output < plan.channels; output += count) {
            count = outputs_at(output, plan.channels);
            T *to = packed.get() + (group * padded + output) * terms;
            for (std::size_t c = 0; c < plan.depth; c++)
                for (const Tap &tap : plan.taps)
                    for (std::size_t o = output; o < output + count; o++)
                        *to++ = o < plan.channels ? w.numbers[group * w.of_group + o * w.of_channel + c * w.of_depth + tap.index] : T(0);
        }
    std::size_t blocks = plan.sample_blocks() * plan.row_blocks();
    std::size_t volume = target.whole[0] * target.whole[1] * target.whole[2];
    std::atomic<bool> failed{false};
    double cost = COST * static_cast<double>(plan.together * plan.rows * plan.channels * terms);
    for (std::size_t a = 0; a < 3; a++)
        if (a != plan.axis) cost *= static_cast<double>(plan.out[a]);
    share(plan.groups * blocks, 1, cost, [&](std::size_t from, std::size_t to) {
        Block<T> largest(plan, 0, 0);
        Memory<T> lines(largest.lines() * largest.pitch), results(4 * largest.pitch);
        Memory<std::size_t> offsets(terms);
        if (!lines || !results || !offsets) {
            failed = true;
            return;
        }
        for (std::size_t task = from; task < to; task++) {
            Block<T> block(plan, task / blocks, task % blocks);
            block.offsets(offsets.get());
            block.fill(lines.get(), x);
            for (std::size_t output = 0, count; output < plan.channels; output += count) {
                count = outputs_at(output, plan.channels);
                const T *weights = packed.get() + (block.group * padded + output) * terms;
                set.products[sizeof(T) == 8](lines.get(), offsets.get(), terms, weights, count, block.length, results.get(), block.pitch);
                for (std::size_t o = output; o < std::min(output + count, plan.channels); o++) {
                    const T *line = results.get() + (o - output) * block.pitch;
                    T added = bias ? bias[block.group * plan.channels + o] : T(0);
                    for (std::size_t n = block.first; n < block.last; n++, line += block.plane) {
                        T *into = y + ((n * plan.groups + block.group) * plan.channels + o) * volume;
                        for (std::size_t i = 0; i < block.out[0]; i++)
                            for (std::size_t j = 0; j < block.out[1]; j++) {
                                const T *row = line + (i * block.extent[1] + j) * block.extent[2];
                                std::size_t place[3] = {i, j, 0};
                                for (std::size_t a = 0; a < 3; a++) place[a] = target.first[a] + (block.begin[a] + place[a]) * target.step[a];
                                T *out = into + (place[0] * target.whole[1] + place[1]) * target.whole[2] + place[2];
                                if (target.step[2] == 1)
                                    for (std::size_t k = 0; k < block.out[2]; k++) out[k] = row[k] + added;
                                else
                                    for (std::size_t k = 0; k < block.out[2]; k++) out[k * target.step[2]] = row[k] + added;
                            }
                    }
                }
            }
        }
    });
    return failed ? FAILED : DONE;
}

template <class T> Outcome convolved(const Set &set, const Convolution &c, T *y, const T *x, const T *w, const T *bias) {
    std::size_t taps = c.kernel[0] * c.kernel[1] * c.kernel[2];
    Target target{{c.out[0], c.out[1], c.out[2]}, {0, 0, 0}, {1, 1, 1}};
    Weights<T> weights{w, c.depth * taps, taps, c.channels * c.depth * taps};
    Plan plan = forward_by_windows(c);
    if (goes_by_windows(set, plan, sizeof(T))) return correlate_windows<T>(set, plan, target, y, x, weights, bias);
    plan = forward(c);
    plan.divide(sizeof(T));
    return correlate<T>(set, plan, target, y, x, weights, bias);
}

template <class T> Outcome convolved_back(const Set &set, const Convolution &c, T *for_x, const T *g, const T *w) {
    std::size_t taps = c.kernel[0] * c.kernel[1] * c.kernel[2], phases[3];
    for (std::size_t a = 0; a < 3; a++) phases[a] = std::min(c.stride[a], c.in[a]);
    std::fill(for_x, for_x + c.samples * c.groups * c.depth * c.in[0] * c.in[1] * c.in[2], T(0));
    for (std::size_t number = 0; number < phases[0] * phases[1] * phases[2]; number++) {
        std::size_t phase[3] = {number / phases[2] / phases[1], number / phases[2] % phases[1], number % phases[2]};
        Seen found[3] = {seen(c, 0, phase[0]), seen(c, 1, phase[1]), seen(c, 2, phase[2])};
        if (found[0].taps.empty() || found[1].taps.empty() || found[2].taps.empty()) continue;
        Plan plan;
        plan.samples = c.samples, plan.groups = c.groups, plan.depth = c.channels, plan.channels = c.depth;
        Target target;
        for (std::size_t a = 0; a < 3; a++) {
            plan.in[a] = c.out[a], plan.out[a] = (c.in[a] - phase[a] + c.stride[a] - 1) / c.stride[a], plan.step[a] = 1;
            plan.offset[a] = found[a].least();
            plan.phases[a] = {0};
            target.whole[a] = c.in[a], target.first[a] = phase[a], target.step[a] = c.stride[a];
            for (std::ptrdiff_t place : found[a].places) plan.reach[a] = std::max(plan.reach[a], static_cast<std::size_t>(place - found[a].least()));
        }
        for (std::size_t i = 0; i < found[0].taps.size(); i++)
            for (std::size_t j = 0; j < found[1].taps.size(); j++)
                for (std::size_t k = 0; k < found[2].taps.size(); k++) {
                    Tap tap{(found[0].taps[i] * c.kernel[1] + found[1].taps[j]) * c.kernel[2] + found[2].taps[k], 0, {0, 0, 0}};
                    std::size_t which[3] = {i, j, k};
                    for (std::size_t a = 0; a < 3; a++) tap.shift[a] = static_cast<std::size_t>(found[a].places[which[a]] - plan.offset[a]);
                    plan.taps.push_back(tap);
                }
        Weights<T> weights{w, taps, c.depth * taps, c.channels * c.depth * taps};
        Outcome outcome;
        if (goes_by_windows(set, plan, sizeof(T))) {
            outcome = correlate_windows<T>(set, plan, target, for_x, g, weights, nullptr);
        } else {
            plan.divide(sizeof(T));
            outcome = correlate<T>(set, plan, target, for_x, g, weights, nullptr);
        }
        if (outcome != DONE) return outcome;
    }
    return DONE;
}

template <class T> Outcome convolved_to_weights(const Set &set, const Convolution &c, T *for_w, const T *g, const T *x) {
    Plan plan = forward_by_windows(c);
    if (goes_by_windows(set, plan, sizeof(T))) return weights_of_windows<T>(set, plan, for_w, g, x);
    plan = forward(c);
    plan.divide(sizeof(T));
    std::size_t terms = plan.depth * plan.taps.size(), blocks = plan.sample_blocks() * plan.row_blocks();
    std::size_t together = plan.channels == 1 ? 1 : 4, padded = (plan.channels + together - 1) / together * together;
    std::size_t sums = plan.groups * padded * terms, parts = std::min(PARTS, blocks);
    parts = std::max<std::size_t>(1, std::min(parts, SUMS_BYTES / 8 / sums));
    Memory<double> totals(parts * sums);
    if (!totals) return FAILED;
    std::fill(totals.get(), totals.get() + parts * sums, 0.0);
    std::atomic<bool> failed{false};
    std::size_t slices = (plan.channels + OUTPUTS - 1) / OUTPUTS;
    double work = COST * static_cast<double>(plan.samples * plan.out[0] * plan.out[1] * plan.out[2]) * static_cast<double>(padded * terms);
    share(plan.groups * parts * slices, 1, work / static_cast<double>(parts * slices), [&](std::size_t from, std::size_t to) {
        Block<T> largest(plan, 0, 0);
        Memory<T> lines(largest.lines() * largest.pitch), given(std::min(OUTPUTS, padded) * largest.pitch);
        Memory<std::size_t> offsets(terms);
        if (!lines || !given || !offsets) {
            failed = true;
            return;
        }
        for (std::size_t task = from; task < to; task++) {
            std::size_t part = task / slices % parts, group = task / slices / parts, output = task % slices * OUTPUTS;
            std::size_t until = std::min(plan.channels, output + OUTPUTS), wanted = std::min(padded - output, OUTPUTS);
            double *total = totals.get() + part * sums + (group * padded + output) * terms;
            for (std::size_t number = part; number < blocks; number += parts) {
                Block<T> block(plan, group, number);
                block.offsets(offsets.get());
                block.fill(lines.get(), x);
                std::fill(given.get(), given.get() + wanted * block.pitch, T(0));
                for (std::size_t o = output; o < until; o++)
                    for (std::size_t n = block.first; n < block.last; n++)
                        for (std::size_t i = 0; i < block.out[0]; i++)
                            for (std::size_t j = 0; j < block.out[1]; j++) {
                                std::size_t plane = (n * plan.groups + block.group) * plan.channels + o;
                                const T *row = g + ((plane * plan.out[0] + block.begin[0] + i) * plan.out[1] + block.begin[1] + j) * plan.out[2] + block.begin[2];
                                T *into = given.get() + (o - output) * block.pitch + (n - block.first) * block.plane + (i * block.extent[1] + j) * block.extent[2];
                                copy_row(row, block.out[2], into);
                            }
                constexpr std::size_t SEGMENT = SEGMENT_BYTES / sizeof(T);
                for (std::size_t start = 0; start < block.length; start += SEGMENT) {
                    std::size_t length = std::min(SEGMENT, block.length - start);
                    for (std::size_t o = 0; o < wanted; o += together)
                        set.dots[sizeof(T) == 8](given.get() + o * block.pitch + start, block.pitch, together, lines.get() + start, offsets.get(), terms, length, total + o * terms);
                }
            }
        }
    });
    if (failed) return FAILED;
    for (std::size_t group = 0; group < plan.groups; group++)
        for (std::size_t i = 0; i < plan.channels * terms; i++) {
            double total = 0;
            for (std::size_t part = 0; part < parts; part++) total += totals.get()[part * sums + group * padded * terms + i];
            if (!std::isfinite(total)) return NOT_FINITE;
            for_w[group * plan.channels * terms + i] = static_cast<T>(total);
        }
    return DONE;
}

}  // namespace

bool fits(const Convolution &c, ConvolutionLoop loop, std::size_t out, std::size_t a, std::size_t b, std::size_t bias) {
    std::size_t x = product({c.samples, c.groups, c.depth, c.in[0], c.in[1], c.in[2]});
    std::size_t w = product({c.groups, c.channels, c.depth, c.kernel[0], c.kernel[1], c.kernel[2]});
    std::size_t y = product({c.samples, c.groups, c.channels, c.out[0], c.out[1], c.out[2]});
    if (!x || !w || !y || (bias && bias != c.groups * c.channels)) return false;
    double lines = static_cast<double>(c.depth + c.channels) * 8;
    for (std::size_t i = 0; i < 3; i++) {
        constexpr std::size_t MOST = std::size_t(1) << 31;
        if (!c.stride[i] || !c.dilation[i] || c.stride[i] > MOST || c.dilation[i] > MOST || c.padding[i] > MOST || c.kernel[i] > MOST) return false;
        double reach = static_cast<double>(c.kernel[i] - 1) * static_cast<double>(c.dilation[i]) + 1;
        lines *= (static_cast<double>(c.out[i]) + reach + static_cast<double>(c.in[i])) * static_cast<double>(std::min(c.stride[i], c.kernel[i]));
    }
    if (lines > 1e13) return false;
    if (loop == convolve) return out == y && a == x && b == w;
    if (loop == convolve_back) return out == x && a == y && b == w;
    return out == w && a == y && b == x;
}

int convolve(const Set &set, bool is_double, const Convolution &c, void *y, const void *x, const void *w, const void *bias) {
    if (is_double) return convolved(set, c, static_cast<double *>(y), static_cast<const double *>(x), static_cast<const double *>(w), static_cast<const double *>(bias));
    return convolved(set, c, static_cast<float *>(y), static_cast<const float *>(x), static_cast<const float *>(w), static_cast<const float *>(bias));
}

int convolve_back(const Set &set, bool is_double, const Convolution &c, void *for_x, const void *g, const void *w, const void *) {
    if (is_double) return convolved_back(set, c, static_cast<double *>(for_x), static_cast<const double *>(g), static_cast<const double *>(w));
    return convolved_back(set, c, static_cast<float *>(for_x), static_cast<const float *>(g), static_cast<const float *>(w));
}

int convolve_to_weights(const Set &set, bool is_double, const Convolution &c, void *for_w, const void *g, const void *x, const void *) {
    if (is_double) return convolved_to_weights(set, c, static_cast<double *>(for_w), static_cast<const double *>(g), static_cast<const double *>(x));
    return convolved_to_weights(set, c, static_cast<float *>(for_w), static_cast<const float *>(g), static_cast<const float *>(x));
}

}  // namespace rushlight
