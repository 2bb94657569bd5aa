// The negative log likelihood of classes as Python sees it: numbers (samples, classes, places), and of each sample and place a class.
#include <algorithm>
#include <cstdint>

#include "functions.h"
#include "memory.h"

namespace rushlight {
namespace {

enum Reduction { NONE, MEAN, SUM, REDUCTIONS };

struct Classes {
    const void *x, *weight;
    const std::int64_t *target;
    void *out;
    std::size_t samples, classes, places, reduction;
    std::int64_t ignored;

    std::size_t count() const { return samples * places; }
    bool counts(std::size_t i) const { return target[i] != ignored; }
    std::size_t chosen(std::size_t i) const { return static_cast<std::size_t>(target[i]); }
    // f(number, where the number of its class is in the line of all) for each that counts.
    template <class F> void each(F f) const {
        for (std::size_t n = 0, i = 0; n < samples; n++)
            for (std::size_t place = 0; place < places; place++, i++)
                if (counts(i)) f(i, (n * classes + chosen(i)) * places + place);
    }
    bool are_known() const {
        for (std::size_t i = 0; i < count(); i++)
            if (counts(i) && chosen(i) >= classes) return false;
        return true;
    }
    template <class T> T scale(std::size_t i) const { return weight ? static_cast<const T *>(weight)[chosen(i)] : T(1); }
};

// A sum in levels, each of which takes over what the one below has after so many terms: partial sums stay small beside one another.
template <class T> class LeveledSum {
  public:
    explicit LeveledSum(std::size_t terms) {
        std::size_t bits = 0;
        while (bits < 64 && (terms - 1) >> bits) bits++;
        power = std::max<std::size_t>(4, bits / LEVELS);
        mask = (std::size_t(1) << power) - 1;
    }
    void add(T value, std::size_t number) {
        sums[0] += value;
        if (!(number & mask)) carry(number);
    }
    T total() const {
        T out = 0;
        for (T each : sums) out += each;
        return out;
    }

  private:
    void carry(std::size_t number) {
        for (std::size_t level = 0; level + 1 < LEVELS && !(number & mask); level++, number >>= power) {
            sums[level + 1] += sums[level];
            sums[level] = 0;
        }
    }
    static constexpr std::size_t LEVELS = 8;
    std::size_t power, mask;
    T sums[LEVELS] = {};
};

// The loss, if it is one number, and what its mean divides by.
template <class T> T summed(const Classes &all, const T *x, T &divisor) {
    LeveledSum<T> loss(all.count()), total(all.count());
    std::size_t counted = 0;
    all.each([&](std::size_t i, std::size_t at) {
        T scale = all.scale<T>(i);
        if (x) loss.add(-x[at] * scale, i);
        if (all.weight) total.add(scale, i);
        counted++;
    });
    divisor = all.reduction == SUM ? T(1) : all.weight ? total.total() : static_cast<T>(counted);
    return loss.total();
}

template <class T> void forward(const Classes &all) {
    const T *x = static_cast<const T *>(all.x);
    T *out = static_cast<T *>(all.out), divisor;
    if (all.reduction == NONE) {
        std::fill(out, out + all.count(), T(0));
        all.each([&](std::size_t i, std::size_t at) { out[i] = -x[at] * all.scale<T>(i); });
    } else {
        T loss = summed(all, x, divisor);
        *out = loss / divisor;
    }
}

// Writes into zeros.
template <class T> void backward(const Classes &all) {
    const T *g = static_cast<const T *>(all.x);
    T *out = static_cast<T *>(all.out), whole = 0;
    if (all.reduction != NONE) {
        T divisor;
        summed<T>(all, nullptr, divisor);
        whole = -(*g / divisor);
    }
    all.each([&](std::size_t i, std::size_t at) { out[at] = all.scale<T>(i) * (all.reduction == NONE ? -g[i] : whole); });
}

// (loss, x, target, weight, ignored, sizes) or (for_x, g, target, weight, ignored, sizes), for_x being zeros; weight may be None.
// Sizes are samples, classes, places, and the number of a Reduction. False too for a class that there is not.
template <bool SLOPE> PyObject *nll_loss(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 6)) return nullptr;
    std::size_t sizes[4];
    if (!get_sizes(args[5], sizes)) return nullptr;
    Classes all{};
    all.samples = sizes[0], all.classes = sizes[1], all.places = sizes[2], all.reduction = sizes[3];
    int beyond = 0;
    all.ignored = PyLong_AsLongLongAndOverflow(args[4], &beyond);
    if (PyErr_Occurred()) return nullptr;
    Array out, x, target, weight;
    if (!out.get(args[0], true) || !x.get(args[1], false) || !target.get_indices(args[2], false) || !weight.get(args[3], false, true)) Py_RETURN_FALSE;
    std::size_t size = product({all.samples, all.classes, all.places}), losses = all.reduction == NONE ? all.samples * all.places : 1;
    if (beyond || !size || all.reduction >= REDUCTIONS || x.kind != out.kind || !x.is_aligned() || !out.is_aligned()) Py_RETURN_FALSE;
    if (target.size() != all.count() || (SLOPE ? out : x).size() != size || (SLOPE ? x : out).size() != losses) Py_RETURN_FALSE;
    if (weight && (weight.kind != x.kind || weight.size() != all.classes || !weight.is_aligned())) Py_RETURN_FALSE;
    all.x = x.data(), all.weight = weight.data(), all.target = static_cast<const std::int64_t *>(target.data()), all.out = out.data();
    if (!all.are_known()) Py_RETURN_FALSE;
    auto loop = SLOPE ? (x.is_double() ? backward<double> : backward<float>) : (x.is_double() ? forward<double> : forward<float>);
    unlocked(all.count(), [&] { loop(all); });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef class_functions[] = {
    fast("nll_loss", nll_loss<false>),
    fast("nll_loss_backward", nll_loss<true>),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
