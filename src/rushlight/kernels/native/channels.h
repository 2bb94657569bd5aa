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

// A segment less a mean, over the standard deviation, times weight and plus bias of its channel.
template <class T> inline void normalize_segment(const Channels &arrays, std::size_t start, std::size_t channel, double center, double variance) {
    const T *x = static_cast<const T *>(arrays.x) + start, *weight = static_cast<const T *>(arrays.weight), *bias = static_cast<const T *>(arrays.bias);
    T *out = static_cast<T *>(arrays.out) + start;
    T mean = static_cast<T>(center), rstd = static_cast<T>(1 / std::sqrt(variance + arrays.eps));
    T scale = weight ? rstd * one<T>(weight + channel) : rstd;
    T shift = static_cast<T>((bias ? static_cast<double>(one<T>(bias + channel)) : 0.0) - lost(center, mean) * static_cast<double>(scale));
    along_row<T>(arrays.length, [&](std::size_t i, std::size_t count) { put<T>(out + i, (some<T>(x + i, count) - mean) * scale + shift, count); });
}

template <class T> void batch_norm(const Channels &arrays, std::size_t from, std::size_t to) {
    for (std::size_t channel = from; channel < to; channel++) {
        double center, variance;
        moments_of_channel<T>(arrays, channel, center, variance);
        for (std::size_t n = 0; n < arrays.samples; n++) normalize_segment<T>(arrays, segment(arrays, n, channel), channel, center, variance);
    }
}

template <class T> void batch_norm_given(const Channels &arrays, std::size_t from, std::size_t to) {
    for (std::size_t channel = from; channel < to; channel++)
        for (std::size_t n = 0; n < arrays.samples; n++)
            normalize_segment<T>(arrays, segment(arrays, n, channel), channel, arrays.moments[channel], arrays.moments[arrays.channels + channel]);
}

// Each group of a sample is a row, all of whose numbers are normalized together.
inline Channels in_groups(const Channels &arrays) {
    Channels rows = arrays;
    rows.samples = 1, rows.channels = arrays.samples * arrays.groups, rows.length = arrays.channels / arrays.groups * arrays.length;
    return rows;
}

template <class T> void group_norm(const Channels &arrays, std::size_t from, std::size_t to) {
    Channels rows = in_groups(arrays);
    std::size_t each = arrays.channels / arrays.groups;
    for (std::size_t group = from; group < to; group++) {
        double center, variance;
        moments_of_channel<T>(rows, group, center, variance);
        for (std::size_t i = group * each; i < (group + 1) * each; i++) normalize_segment<T>(arrays, i * arrays.length, i % arrays.channels, center, variance);
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

// Of each channel the sum of g times the distance of x from a mean that is given.
template <class T> void channel_dots(const Channels &arrays, std::size_t from, std::size_t to) {
    const T *x = static_cast<const T *>(arrays.x), *g = static_cast<const T *>(arrays.g), *means = static_cast<const T *>(arrays.weight);
    for (std::size_t channel = from; channel < to; channel++) {
        T mean = one<T>(means + channel);
        double total = 0;
        for (std::size_t n = 0; n < arrays.samples; n++) {
            const T *here = x + segment(arrays, n, channel), *given = g + segment(arrays, n, channel);
            total += sum_of_row<T>(arrays.length, [&](std::size_t i, std::size_t count) {
                return first_lanes<T>(some<T>(given + i, count) * (some<T>(here + i, count) - mean), count);
            });
        }
        T rounded = static_cast<T>(total);
        __builtin_memcpy(static_cast<T *>(arrays.out) + channel, &rounded, sizeof(T));
    }
}

// The gradient of the input (where `out` is given), and what goes to weight and bias.
template <class T> void group_norm_backward(const Channels &arrays, std::size_t from, std::size_t to) {
    Channels rows = in_groups(arrays);
    const T *x = static_cast<const T *>(arrays.x), *g = static_cast<const T *>(arrays.g), *weight = static_cast<const T *>(arrays.weight);
    std::size_t each = arrays.channels / arrays.groups;
    for (std::size_t group = from; group < to; group++) {
        double center, variance, total = 0, along = 0;
        moments_of_channel<T>(rows, group, center, variance);
        double deviation = 1 / std::sqrt(variance + arrays.eps), size = static_cast<double>(rows.length);
        T mean = static_cast<T>(center), rstd = static_cast<T>(deviation);
        auto scale = [&](std::size_t i) { return weight ? one<T>(weight + i % arrays.channels) : T(1); };
        for (std::size_t i = group * each; i < (group + 1) * each; i++) {
            const T *here = x + i * arrays.length, *given = g + i * arrays.length;
            double sums[2];
            two_sums_of_row<T>(arrays.length, sums, [&](std::size_t place, std::size_t count, V<T> &first, V<T> &second) {
                V<T> slope = some<T>(given + place, count);
                first += slope;
                second += first_lanes<T>(slope * (some<T>(here + place, count) - mean), count);
            });
            sums[1] -= lost(center, mean) * sums[0];
            arrays.sums[2 * i] = sums[1] * deviation, arrays.sums[2 * i + 1] = sums[0];
            total += static_cast<double>(scale(i)) * sums[0], along += static_cast<double>(scale(i)) * sums[1];
        }
        if (!arrays.out) continue;
        double turns = along * deviation * deviation / size;
        T turn = static_cast<T>(turns), level = static_cast<T>(total / size - lost(center, mean) * turns);
        for (std::size_t i = group * each; i < (group + 1) * each; i++) {
            const T *here = x + i * arrays.length, *given = g + i * arrays.length;
            T *out = static_cast<T *>(arrays.out) + i * arrays.length, factor = scale(i);
            along_row<T>(arrays.length, [&](std::size_t place, std::size_t count) {
                put<T>(out + place, (some<T>(given + place, count) * factor - level - (some<T>(here + place, count) - mean) * turn) * rstd, count);
            });
        }
    }
}
