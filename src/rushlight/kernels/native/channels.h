// Channels of numbers (samples, channels, length): brought to mean 0 and variance 1, and the way back. Each is summed sample by sample.

// Where the segment of a sample and a channel begins.
inline std::size_t segment(const Channels &arrays, std::size_t sample, std::size_t channel) {
    return (sample * arrays.channels + channel) * arrays.length;
}

// As those of a row (rows.h): the mean is mended by what distances from it sum up to.
template <class T> inline void moments_of_channel(const Channels &arrays, std::size_t channel, double &mean, double &variance) {
    const T *x = static_cast<const T *>(arrays.x);
    double size = static_cast<double>(arrays.samples * arrays.length), total = 0, off = 0, squares = 0;
    for (std::size_t n = 0; n < arrays.samples; n++) {
        const T *from = x + segment(arrays, n, channel);
        total += sum_of_row<T>(arrays.length, [&](std::size_t i, std::size_t count) { return some<T>(from + i, count); });
    }
    T near = static_cast<T>(total / size);
    for (std::size_t n = 0; n < arrays.samples; n++) {
        const T *from = x + segment(arrays, n, channel);
        double sums[2];
        two_sums_of_row<T>(arrays.length, sums, [&](std::size_t i, std::size_t count, V<T> &first, V<T> &second) {
            V<T> far = first_lanes<T>(some<T>(from + i, count) - near, count);
            first += far;
            second += far * far;
        });
        off += sums[0], squares += sums[1];
    }
    off /= size;
    variance = squares / size - off * off;
    variance = variance < 0 ? 0 : variance;  // nan stays
    mean = static_cast<double>(near) + off;
}

// What rounding took from a mean: beside numbers far from 0 that are close together it is not small.
template <class T> inline double lost(double mean, T rounded) {
    double rest = mean - static_cast<double>(rounded);
    return std::isfinite(rest) ? rest : 0;  // nan and inf stay where the sums have them
}

template <class T> void channel_moments(const Channels &arrays, std::size_t from, std::size_t to) {
    for (std::size_t channel = from; channel < to; channel++) {
        double found[2];
        moments_of_channel<T>(arrays, channel, found[0], found[1]);
        __builtin_memcpy(arrays.moments + channel, found, sizeof(double));
        __builtin_memcpy(arrays.moments + arrays.channels + channel, found + 1, sizeof(double));
    }
}

template <class T> void batch_norm(const Channels &arrays, std::size_t from, std::size_t to) {
    const T *x = static_cast<const T *>(arrays.x), *weight = static_cast<const T *>(arrays.weight), *bias = static_cast<const T *>(arrays.bias);
    for (std::size_t channel = from; channel < to; channel++) {
        double center, variance;
        moments_of_channel<T>(arrays, channel, center, variance);
        T mean = static_cast<T>(center), rstd = static_cast<T>(1 / std::sqrt(variance + arrays.eps));
        T scale = weight ? rstd * one<T>(weight + channel) : rstd;
        T shift = static_cast<T>((bias ? static_cast<double>(one<T>(bias + channel)) : 0.0) - lost(center, mean) * scale);
        for (std::size_t n = 0; n < arrays.samples; n++) {
            std::size_t start = segment(arrays, n, channel);
            T *out = static_cast<T *>(arrays.out) + start;
            along_row<T>(arrays.length, [&](std::size_t i, std::size_t count) { put<T>(out + i, (some<T>(x + start + i, count) - mean) * scale + shift, count); });
        }
    }
}

// The gradients of the input (where `out` is given) and of weight and bias (where they are).
template <class T> void batch_norm_backward(const Channels &arrays, std::size_t from, std::size_t to) {
    const T *x = static_cast<const T *>(arrays.x), *g = static_cast<const T *>(arrays.g), *weight = static_cast<const T *>(arrays.weight);
    double size = static_cast<double>(arrays.samples * arrays.length);
    for (std::size_t channel = from; channel < to; channel++) {
        double center, variance, total = 0, along = 0;
        moments_of_channel<T>(arrays, channel, center, variance);
        double deviation = 1 / std::sqrt(variance + arrays.eps);
        T mean = static_cast<T>(center), rstd = static_cast<T>(deviation);
        for (std::size_t n = 0; n < arrays.samples; n++) {
            const T *here = x + segment(arrays, n, channel), *given = g + segment(arrays, n, channel);
            double sums[2];
            two_sums_of_row<T>(arrays.length, sums, [&](std::size_t i, std::size_t count, V<T> &first, V<T> &second) {
                V<T> slope = some<T>(given + i, count);
                first += slope;
                second += first_lanes<T>(slope * (some<T>(here + i, count) - mean), count);
            });
            total += sums[0], along += sums[1];
        }
        along -= lost(center, mean) * total;
        T for_weight = static_cast<T>(along * deviation), for_bias = static_cast<T>(total);
        if (arrays.for_weight) __builtin_memcpy(static_cast<T *>(arrays.for_weight) + channel, &for_weight, sizeof(T));
        if (arrays.for_bias) __builtin_memcpy(static_cast<T *>(arrays.for_bias) + channel, &for_bias, sizeof(T));
        if (!arrays.out) continue;
        T scale = weight ? rstd * one<T>(weight + channel) : rstd;
        double turns = along * deviation * deviation / size;
        T turn = static_cast<T>(turns), level = static_cast<T>(total / size - lost(center, mean) * turns);
        for (std::size_t n = 0; n < arrays.samples; n++) {
            std::size_t start = segment(arrays, n, channel);
            T *out = static_cast<T *>(arrays.out) + start;
            along_row<T>(arrays.length, [&](std::size_t i, std::size_t count) {
                put<T>(out + i, (some<T>(g + start + i, count) - level - (some<T>(x + start + i, count) - mean) * turn) * scale, count);
            });
        }
    }
}
