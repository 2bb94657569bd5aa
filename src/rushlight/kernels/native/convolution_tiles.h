// Convolutions worked out window by window (convolution_tiles.cpp): those with enough channels to fill vectors.
#pragma once

#include "convolution_plan.h"

namespace rushlight {

// Whether a convolution of this plan is; then the plan is divided for it.
bool goes_by_windows(const Set &, Plan &, std::size_t itemsize);

template <class T> struct Weights {
    const T *numbers;
    std::size_t of_channel, of_depth, of_group;  // how far apart they are
};

template <class T> Outcome correlate_windows(const Set &, const Plan &, const Target &, T *y, const T *x, const Weights<T> &, const T *bias);
template <class T> Outcome weights_of_windows(const Set &, const Plan &, T *for_w, const T *g, const T *x);

}  // namespace rushlight
