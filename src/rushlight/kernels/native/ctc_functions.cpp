// Connectionist temporal classification as Python sees it: numbers (times, samples, classes), labels (samples, room for labels). Labels
// have blanks round and between them: of n labels there are 2 * n + 1 places.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>

#include "functions.h"
#include "memory.h"
#include "pool.h"

namespace rushlight {
namespace {

constexpr double NONE = -std::numeric_limits<double>::infinity();
constexpr std::size_t ROOM = 2;  // on each side of a row of places, from where nothing comes
constexpr double COST = 15;      // of a place, in nanoseconds, about

struct Ctc {
    std::size_t times, samples, classes, labels, blank, zero_infinity;
    const std::int64_t *targets, *input_lengths, *target_lengths;
    const void *x;
    void *out;  // the losses, or the slopes
    double *alpha;

    std::size_t places() const { return 2 * labels + 1; }
    std::size_t length(std::size_t n) const { return static_cast<std::size_t>(input_lengths[n]); }
    std::size_t count(std::size_t n) const { return 2 * static_cast<std::size_t>(target_lengths[n]) + 1; }
    std::size_t label(std::size_t n, std::size_t place) const { return place % 2 ? static_cast<std::size_t>(targets[n * labels + place / 2]) : blank; }
    bool are_known() const {
        for (std::size_t n = 0; n < samples; n++) {
            if (length(n) > times || static_cast<std::size_t>(target_lengths[n]) > labels) return false;
            for (std::size_t place = 1; place < count(n); place += 2)
                if (label(n, place) >= classes) return false;
        }
        return blank < classes;
    }
};

// What one sample is worked out in.
template <class T> struct Sample {
    const Ctc &ctc;
    std::size_t n = 0, count = 0;
    Memory<double> held;
    double *rows[2], *jumps, *emitted, *shares, *totals;

    explicit Sample(const Ctc &ctc) : ctc(ctc), held(5 * (ctc.places() + 2 * ROOM) + ctc.classes) {
        if (!held) return;
        std::size_t pitch = ctc.places() + 2 * ROOM;
        double *from = held.get() + ROOM;
        rows[0] = from, rows[1] = from + pitch, jumps = from + 2 * pitch, emitted = from + 3 * pitch, shares = from + 4 * pitch;
        totals = held.get() + 5 * pitch;
    }
    const T *at(std::size_t t) const { return static_cast<const T *>(ctc.x) + (t * ctc.samples + n) * ctc.classes; }
    double *alpha(std::size_t t) const { return ctc.alpha + (t * ctc.samples + n) * ctc.places(); }

    // `step` is -1 where places come from those before them, and 1 from those behind. Two places may be skipped between labels that differ.
    void begin(std::size_t sample, int step) {
        n = sample, count = ctc.count(n);
        for (double *row : rows) std::fill(row - ROOM, row + count + ROOM, NONE);
        for (std::size_t place = 0; place < count; place++) {
            std::size_t later = step < 0 ? place : place + 2;
            jumps[place] = later >= 2 && later < count && ctc.label(n, later) != ctc.label(n, later - 2) ? 0 : NONE;
        }
    }
    void emit(std::size_t t) {
        const T *x = at(t);
        for (std::size_t place = 0; place < count; place++) emitted[place] = static_cast<double>(x[ctc.label(n, place)]);
    }
    void step(const Set &set, std::size_t turn, int direction) { set.alignments({rows[(turn + 1) % 2], jumps, emitted, rows[turn % 2], direction, count}); }

    double likelihood() const {
        if (!ctc.length(n)) return count == 1 ? 0 : NONE;
        const double *last = alpha(ctc.times - 1);
        double end = last[count - 1], before = count > 1 ? last[count - 2] : NONE, most = std::max(end, before);
        if (std::isnan(end) || std::isnan(before)) return std::numeric_limits<double>::quiet_NaN();
        return most == NONE ? NONE : most + std::log(std::exp(end - most) + std::exp(before - most));
    }

    void forward(const Set &set, std::size_t sample) {
        begin(sample, -1);
        for (std::size_t t = 0; t < ctc.times; t++) {
            double *out = alpha(t), *row = rows[t % 2];
            if (t == 0 || t < ctc.length(n)) {
                emit(t);
                if (t) step(set, t, -1);
                else std::copy(emitted, emitted + std::min<std::size_t>(2, count), row);
                std::copy(row, row + count, out);
                std::fill(out + count, out + ctc.places(), NONE);
            } else {  // the last row stays
                std::copy(alpha(t - 1), alpha(t - 1) + ctc.places(), out);
            }
        }
        static_cast<T *>(ctc.out)[n] = static_cast<T>(0 - likelihood());
    }

    void backward(const Set &set, std::size_t sample) {
        begin(sample, 1);
        double loss = -likelihood();
        bool is_endless = std::isinf(loss);
        auto slopes = [&](std::size_t t) { return static_cast<T *>(ctc.out) + (t * ctc.samples + n) * ctc.classes; };
        for (std::size_t t = ctc.length(n); t < ctc.times; t++) std::fill(slopes(t), slopes(t) + ctc.classes, T(0));
        for (std::size_t t = ctc.length(n); t--;) {
            double *row = rows[t % 2];
            emit(t);
            if (t + 1 < ctc.length(n)) step(set, t, 1);
            else
                for (std::size_t place = count > 1 ? count - 2 : 0; place < count; place++) row[place] = emitted[place];
            set.shares(alpha(t), row, emitted, loss, shares, count);
            // As in PyTorch: a last label that is the blank has its own share alone there, not that of the blank behind it too.
            if (t + 1 == ctc.length(n) && count > 1 && ctc.label(n, count - 2) == ctc.blank) shares[count - 1] = 0;
            std::fill(totals, totals + ctc.classes, 0.0);
            for (std::size_t place = 0; place < count; place++)
                if (std::isfinite(shares[place])) totals[ctc.label(n, place)] += shares[place];
            set.less_shares[sizeof(T) == 8](at(t), totals, slopes(t), ctc.classes);
            if (is_endless) std::fill(slopes(t), slopes(t) + ctc.classes, ctc.zero_infinity ? T(0) : std::numeric_limits<T>::quiet_NaN());
        }
    }
};

template <class T, bool BACK> bool all_samples(const Set &set, const Ctc &ctc) {
    std::atomic<bool> failed{false};
    share(ctc.samples, 1, COST * static_cast<double>(ctc.times * ctc.places()), [&](std::size_t from, std::size_t to) {
        Sample<T> sample(ctc);
        if (!sample.held) failed = true;
        for (std::size_t n = from; n < to && sample.held; n++) {
            if constexpr (BACK) sample.backward(set, n);
            else sample.forward(set, n);
        }
    });
    return !failed;
}

// (losses, log_probs, targets, input_lengths, target_lengths, alpha, sizes) or, alpha being given, (slopes, ...). Sizes are the first
// numbers of a Ctc. False too for labels and lengths that there are not.
template <bool BACK> PyObject *ctc(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 7)) return nullptr;
    std::size_t sizes[6];
    if (!get_sizes(args[6], sizes)) return nullptr;
    Ctc all{sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
    Array out, x, targets, inputs, lengths, alpha;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !targets.get_indices(args[2], false)) Py_RETURN_FALSE;
    if (!inputs.get_indices(args[3], false) || !lengths.get_indices(args[4], false) || !alpha.get(args[5], !BACK)) Py_RETURN_FALSE;
    std::size_t size = product({all.times, all.samples, all.classes});
    if (!size || !product({all.labels, all.samples}) || !product({all.times, all.samples, all.labels, 16}) || x.size() != size) Py_RETURN_FALSE;
    if (out.size() != (BACK ? size : all.samples) || out.kind != x.kind || !out.is_aligned() || !x.is_aligned()) Py_RETURN_FALSE;
    if (targets.size() != all.samples * all.labels || inputs.size() != all.samples || lengths.size() != all.samples) Py_RETURN_FALSE;
    if (!alpha.is_double() || !alpha.is_aligned() || alpha.size() != all.times * all.samples * all.places()) Py_RETURN_FALSE;
    auto numbers = [](const Array &array) { return static_cast<const std::int64_t *>(array.data()); };
    all.targets = numbers(targets), all.input_lengths = numbers(inputs), all.target_lengths = numbers(lengths);
    all.x = x.data(), all.out = out.data(), all.alpha = static_cast<double *>(alpha.data());
    if (!all.are_known()) Py_RETURN_FALSE;
    bool done = false;
    unlocked(alpha.size(), [&] { done = (x.is_double() ? all_samples<double, BACK> : all_samples<float, BACK>)(*in_use.load(), all); });
    if (!done) return PyErr_NoMemory();
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef ctc_functions[] = {
    fast("ctc_loss", ctc<false>),
    fast("ctc_loss_backward", ctc<true>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
