// Convolutions of up to three dimensions, and their gradients.
#pragma once

#include <cstddef>

#include "loops.h"

namespace rushlight {

// x (samples, groups * depth, *in), w (groups * channels, depth, *kernel), y (samples, groups * channels, *out).
struct Convolution {
    std::size_t samples, groups, depth, channels;
    std::size_t in[3], kernel[3], out[3], stride[3], padding[3], dilation[3];
};

enum Outcome { DONE, FAILED, NOT_FINITE };  // FAILED: there is no memory for it

using ConvolutionLoop = int (*)(const Set &, bool is_double, const Convolution &, void *out, const void *a, const void *b, const void *bias);

int convolve(const Set &, bool is_double, const Convolution &, void *y, const void *x, const void *w, const void *bias);
int convolve_back(const Set &, bool is_double, const Convolution &, void *for_x, const void *g, const void *w, const void *);
// NOT_FINITE where a sum is not: zeros may have met an infinity that no window sees.
int convolve_to_weights(const Set &, bool is_double, const Convolution &, void *for_w, const void *g, const void *x, const void *);

// Whether arrays have the sizes that a convolution says, none of them 0.
bool fits(const Convolution &, ConvolutionLoop, std::size_t out, std::size_t a, std::size_t b, std::size_t bias);

}  // namespace rushlight
