// Of windows some at a time meet the weights of as many channels as two vectors hold, which lie beside one another: nothing that is
// between windows or beyond them is worked on, and sums across vectors there are none.
#include "convolution_tiles.h"

#include <atomic>
#include <cmath>

#include "pool.h"

namespace rushlight {
namespace {

constexpr std::size_t LEAST_TERMS = 48;   // of fewer a result is as soon worked out as it is put in its place
constexpr std::size_t AT_ONCE = 64;       // windows, of which results are put in their places
constexpr std::size_t SEGMENT = 256;      // windows, that gradients of weights are summed over before they go on in double
constexpr std::size_t SUMS_BYTES = 2 << 20;  // of all parts
constexpr std::size_t TASKS = 8;          // if there are as many: for the threads
constexpr double COST = 0.04;             // of a multiplication and addition, in nanoseconds, about
constexpr double MOST_OF_BLOCK = 3e7, MOST = 1e10;  // numbers

// Panels of channels: each of two vectors, but for the last, which may be of one.
struct Panels {
    std::size_t lanes, channels, terms;

    std::size_t count() const { return (channels + 2 * lanes - 1) / (2 * lanes); }
    std::size_t vectors(std::size_t panel) const { return channels - panel * 2 * lanes > lanes ? 2 : 1; }
    std::size_t width(std::size_t panel) const { return vectors(panel) * lanes; }
    std::size_t end(std::size_t panel) const { return std::min(channels, (panel + 1) * 2 * lanes); }
    std::size_t start(std::size_t panel) const { return panel * 2 * lanes * terms; }
    std::size_t size() const { return start(count() - 1) + width(count() - 1) * terms; }
};

Panels panels_of(const Set &set, const Plan &plan, std::size_t itemsize) { return {set.width / itemsize, plan.channels, plan.depth * plan.taps.size()}; }

// How many tasks the panels are divided among.
std::size_t slices_of(const Panels &panels, std::size_t others) { return std::min(panels.count(), (TASKS + others - 1) / others); }

// Where in a line each window of a block begins.
template <class T> void place_windows(const Block<T> &block, std::size_t *to) {
    const std::size_t *apart = block.plan.apart;
    for (std::size_t n = 0; n < block.last - block.first; n++)
        for (std::size_t i = 0; i < block.out[0]; i++)
            for (std::size_t j = 0; j < block.out[1]; j++) {
                std::size_t row = n * block.plane + (i * apart[0] * block.extent[1] + j * apart[1]) * block.extent[2];
                for (std::size_t k = 0; k < block.out[2]; k++) *to++ = row + k * apart[2];
            }
}

template <class T> std::size_t windows_of(const Block<T> &block) { return (block.last - block.first) * block.out[0] * block.out[1] * block.out[2]; }

// Where in y the result of each window goes, of the first channel of the group.
template <class T> void place_results(const Block<T> &block, const Target &target, std::size_t *to) {
    std::size_t volume = target.whole[0] * target.whole[1] * target.whole[2];
    for (std::size_t n = block.first; n < block.last; n++)
        for (std::size_t i = 0; i < block.out[0]; i++)
            for (std::size_t j = 0; j < block.out[1]; j++) {
                std::size_t place[3] = {i, j, 0};
                for (std::size_t a = 0; a < 3; a++) place[a] = target.first[a] + (block.begin[a] + place[a]) * target.step[a];
                std::size_t row = (n * block.plan.groups + block.group) * block.plan.channels * volume + (place[0] * target.whole[1] + place[1]) * target.whole[2] + place[2];
                for (std::size_t k = 0; k < block.out[2]; k++) *to++ = row + k * target.step[2];
            }
}

// Results (windows, width) to their places in y, channel by channel.
template <class T> void put(const T *results, const std::size_t *targets, std::size_t count, std::size_t width, std::size_t channels, const T *bias, T *y, std::size_t volume) {
    for (std::size_t o = 0; o < channels; o++, y += volume)
        for (std::size_t i = 0; i < count; i++) y[targets[i]] = results[i * width + o] + (bias ? bias[o] : T(0));
}

// The same, four windows that are beside one another and four channels at a time.
template <class T> void put_runs(const T *results, const std::size_t *targets, std::size_t count, std::size_t width, std::size_t channels, const T *bias, T *y, std::size_t volume) {
    typedef T Four __attribute__((vector_size(4 * sizeof(T))));
    std::size_t i = 0;
    while (i < count) {
        if (count - i < 4 || targets[i + 3] != targets[i] + 3) {
            put(results + i * width, targets + i, 1, width, channels, bias, y, volume);
            i++;
            continue;
        }
        T *to = y + targets[i];
        std::size_t o = 0;
        for (; o + 4 <= channels; o += 4) {
            Four row[4], added = {};
            if (bias) __builtin_memcpy(&added, bias + o, sizeof(added));
            for (std::size_t k = 0; k < 4; k++) {
                __builtin_memcpy(&row[k], results + (i + k) * width + o, sizeof(Four));
                row[k] += added;
            }
            Four low = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5), high = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
            Four less = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5), more = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
            Four turned[4] = {__builtin_shufflevector(low, less, 0, 1, 4, 5), __builtin_shufflevector(low, less, 2, 3, 6, 7),
                              __builtin_shufflevector(high, more, 0, 1, 4, 5), __builtin_shufflevector(high, more, 2, 3, 6, 7)};
            for (std::size_t k = 0; k < 4; k++) __builtin_memcpy(to + (o + k) * volume, &turned[k], sizeof(Four));
        }
        put(results + i * width + o, targets + i, 4, width, channels - o, bias ? bias + o : nullptr, y + o * volume, volume);
        i += 4;
    }
}

}  // namespace

bool goes_by_windows(const Set &set, Plan &plan, std::size_t itemsize) {
    std::size_t lanes = set.width / itemsize, padded = (plan.channels + lanes - 1) / lanes * lanes;
    if (plan.channels * 4 < padded * 3 || plan.depth * plan.taps.size() < LEAST_TERMS) return false;
    double whole = static_cast<double>(plan.depth);
    for (std::size_t a = 0; a < 3; a++) whole *= static_cast<double>(plan.out[a]) * static_cast<double>(plan.apart[a]) + static_cast<double>(plan.reach[a]);
    if (whole > MOST) return false;
    plan.divide_by_windows(itemsize);
    double block = static_cast<double>(plan.depth * plan.together);
    for (std::size_t a = 0; a < 3; a++) block *= static_cast<double>(plan.extent(a, a == plan.axis ? plan.rows : plan.out[a]));
    return block <= MOST_OF_BLOCK;
}

template <class T> Outcome correlate_windows(const Set &set, const Plan &plan, const Target &target, T *y, const T *x, const Weights<T> &w, const T *bias) {
    Panels panels = panels_of(set, plan, sizeof(T));
    Memory<T> packed(plan.groups * panels.size());
    if (!packed) return FAILED;
    for (std::size_t group = 0; group < plan.groups; group++)
        for (std::size_t panel = 0; panel < panels.count(); panel++) {
            T *to = packed.get() + group * panels.size() + panels.start(panel);
            std::size_t first = panel * 2 * panels.lanes, width = panels.width(panel);
            for (std::size_t c = 0; c < plan.depth; c++)
                for (const Tap &tap : plan.taps) {
                    const T *from = w.numbers + group * w.of_group + first * w.of_channel + c * w.of_depth + tap.index;
                    for (std::size_t o = 0; o < width; o++) *to++ = first + o < plan.channels ? from[o * w.of_channel] : T(0);
                }
        }
    std::size_t blocks = plan.sample_blocks() * plan.row_blocks(), volume = target.whole[0] * target.whole[1] * target.whole[2];
    std::size_t slices = slices_of(panels, plan.groups * blocks), tasks = plan.groups * blocks * slices;
    double work = COST * static_cast<double>(plan.samples * plan.groups * plan.out[0] * plan.out[1] * plan.out[2]) * static_cast<double>(panels.size());
    std::atomic<bool> failed{false};
    share(tasks, 1, work / static_cast<double>(tasks), [&](std::size_t from, std::size_t to) {
        Block<T> largest(plan, 0, 0);
        std::size_t windows = windows_of(largest);
        Memory<T> lines(largest.lines() * largest.pitch), results(AT_ONCE * 2 * panels.lanes);
        Memory<std::size_t> offsets(panels.terms), places(windows), targets(windows);
        if (!lines || !results || !offsets || !places || !targets) {
            failed = true;
            return;
        }
        for (std::size_t task = from; task < to; task++) {
            Block<T> block(plan, task / slices / blocks, task / slices % blocks);
            if (task == from || task % slices == 0) {  // else it is the block before
                block.offsets(offsets.get());
                block.fill(lines.get(), x);
                place_windows(block, places.get());
                place_results(block, target, targets.get());
            }
            for (std::size_t panel = task % slices; panel < panels.count(); panel += slices) {
                std::size_t width = panels.width(panel), first = panel * 2 * panels.lanes;
                const T *weights = packed.get() + block.group * panels.size() + panels.start(panel);
                for (std::size_t start = 0, count; start < windows_of(block); start += count) {
                    count = std::min(AT_ONCE, windows_of(block) - start);
                    set.tiles[sizeof(T) == 8]({lines.get(), places.get() + start, count, offsets.get(), panels.terms, weights, panels.vectors(panel), results.get(), false});
                    const T *added = bias ? bias + block.group * plan.channels + first : nullptr;
                    if (target.step[2] == 1) put_runs(results.get(), targets.get() + start, count, width, panels.end(panel) - first, added, y + first * volume, volume);
                    else put(results.get(), targets.get() + start, count, width, panels.end(panel) - first, added, y + first * volume, volume);
                }
            }
        }
    });
    return failed ? FAILED : DONE;
}

template <class T> Outcome weights_of_windows(const Set &set, const Plan &plan, T *for_w, const T *g, const T *x) {
    Panels panels = panels_of(set, plan, sizeof(T));
    std::size_t blocks = plan.sample_blocks() * plan.row_blocks(), sums = plan.groups * panels.size();
    std::size_t parts = std::min({PARTS, blocks, std::max<std::size_t>(1, SUMS_BYTES / sizeof(double) / sums)});
    Memory<double> totals(parts * sums);
    if (!totals) return FAILED;
    std::fill(totals.get(), totals.get() + parts * sums, 0.0);
    std::size_t slices = slices_of(panels, plan.groups * parts), tasks = plan.groups * parts * slices;
    double work = COST * static_cast<double>(plan.samples * plan.out[0] * plan.out[1] * plan.out[2]) * static_cast<double>(sums);
    std::atomic<bool> failed{false};
    share(tasks, 1, work / static_cast<double>(tasks), [&](std::size_t from, std::size_t to) {
        Block<T> largest(plan, 0, 0);
        Memory<T> lines(largest.lines() * largest.pitch), given(SEGMENT * 2 * panels.lanes);
        Memory<std::size_t> offsets(panels.terms), places(windows_of(largest)), sources(windows_of(largest));
        if (!lines || !given || !offsets || !places || !sources) {
            failed = true;
            return;
        }
        Target whole{{plan.out[0], plan.out[1], plan.out[2]}, {0, 0, 0}, {1, 1, 1}};
        std::size_t volume = plan.out[0] * plan.out[1] * plan.out[2];
        for (std::size_t task = from; task < to; task++) {
            std::size_t part = task / slices % parts, group = task / slices / parts;
            for (std::size_t number = part; number < blocks; number += parts) {
                Block<T> block(plan, group, number);
                block.offsets(offsets.get());
                block.fill(lines.get(), x);
                place_windows(block, places.get());
                place_results(block, whole, sources.get());
                for (std::size_t panel = task % slices; panel < panels.count(); panel += slices) {
                    std::size_t width = panels.width(panel), first = panel * 2 * panels.lanes;
                    double *total = totals.get() + part * sums + group * panels.size() + panels.start(panel);
                    std::fill(given.get(), given.get() + SEGMENT * width, T(0));
                    for (std::size_t start = 0, count; start < windows_of(block); start += count) {
                        count = std::min(SEGMENT, windows_of(block) - start);
                        for (std::size_t o = first; o < panels.end(panel); o++) {
                            const T *source = g + o * volume;
                            T *into = given.get() + (o - first);
                            for (std::size_t i = 0; i < count; i++) into[i * width] = source[sources.get()[start + i]];
                        }
                        set.tiles[sizeof(T) == 8]({lines.get(), offsets.get(), panels.terms, places.get() + start, count, given.get(), panels.vectors(panel), total, true});
                    }
                }
            }
        }
    });
    if (failed) return FAILED;
    for (std::size_t group = 0; group < plan.groups; group++)
        for (std::size_t panel = 0; panel < panels.count(); panel++)
            for (std::size_t term = 0; term < panels.terms; term++) {
                std::size_t width = panels.width(panel), first = panel * 2 * panels.lanes;
                const double *row = totals.get() + group * panels.size() + panels.start(panel) + term * width;
                for (std::size_t o = first; o < panels.end(panel); o++, row++) {
                    double total = 0;
                    for (std::size_t part = 0; part < parts; part++) total += row[part * sums];
                    if (!std::isfinite(total)) return NOT_FINITE;
                    for_w[(group * plan.channels + o) * panels.terms + term] = static_cast<T>(total);
                }
            }
    return DONE;
}

template Outcome correlate_windows(const Set &, const Plan &, const Target &, float *, const float *, const Weights<float> &, const float *);
template Outcome correlate_windows(const Set &, const Plan &, const Target &, double *, const double *, const Weights<double> &, const double *);
template Outcome weights_of_windows(const Set &, const Plan &, float *, const float *, const float *);
template Outcome weights_of_windows(const Set &, const Plan &, double *, const double *, const double *);

}  // namespace rushlight
