// Batch norm of numbers (samples, channels): columns that stand beside one another go together, SHORT rows at a time.

constexpr std::size_t SHORT = 16;

// BROAD channels, or fewer at the end, and what is known of each.
template <class T> struct Stripe {
    const Channels &arrays;
    std::size_t start, width;
    double mean[BROAD], variance[BROAD];
    T center[BROAD + LANES<T>] = {}, scale[BROAD + LANES<T>], shift[BROAD + LANES<T>];

    Stripe(const Channels &arrays, std::size_t number)
        : arrays(arrays), start(number * BROAD), width(arrays.channels - start < BROAD ? arrays.channels - start : BROAD) {}
    const T *x(std::size_t row) const { return static_cast<const T *>(arrays.x) + row * arrays.channels + start; }
    const T *g(std::size_t row) const { return static_cast<const T *>(arrays.g) + row * arrays.channels + start; }
    T *out(std::size_t row) const { return static_cast<T *>(arrays.out) + row * arrays.channels + start; }
    double size() const { return static_cast<double>(arrays.samples); }
    T weight(std::size_t i) const { return arrays.weight ? one<T>(static_cast<const T *>(arrays.weight) + start + i) : T(1); }
    T bias(std::size_t i) const { return arrays.bias ? one<T>(static_cast<const T *>(arrays.bias) + start + i) : T(0); }

    // Two sums down each column, which add(row, column, how many, first, second) adds to.
    template <class F> void sums(double *first, double *second, F add) const {
        for (std::size_t i = 0; i < width; i++) first[i] = second[i] = 0;
        for (std::size_t top = 0; top < arrays.samples; top += SHORT) {
            std::size_t end = arrays.samples - top < SHORT ? arrays.samples : top + SHORT;
            along_row<T>(width, [&](std::size_t i, std::size_t count) {
                V<T> a{}, b{};
                for (std::size_t row = top; row < end; row++) add(row, i, count, a, b);
                for (std::size_t lane = 0; lane < count; lane++) first[i + lane] += static_cast<double>(a[lane]), second[i + lane] += static_cast<double>(b[lane]);
            });
        }
    }
    // As moments_of_channel finds them.
    void measure() {
        double off[BROAD], squares[BROAD];
        sums(off, squares, [&](std::size_t row, std::size_t i, std::size_t count, V<T> &first, V<T> &) { first += some<T>(x(row) + i, count); });
        for (std::size_t i = 0; i < width; i++) center[i] = static_cast<T>(off[i] / size());
        sums(off, squares, [&](std::size_t row, std::size_t i, std::size_t count, V<T> &first, V<T> &second) {
            V<T> far = some<T>(x(row) + i, count) - load<T>(center + i);
            first += far;
            second += far * far;
        });
        for (std::size_t i = 0; i < width; i++) {
            double less = off[i] / size(), found = squares[i] / size() - less * less;
            mean[i] = static_cast<double>(center[i]) + less;
            variance[i] = found < 0 ? 0 : found;  // nan stays
        }
    }
    void normalize() {
        for (std::size_t i = 0; i < width; i++) {
            center[i] = static_cast<T>(mean[i]);
            scale[i] = static_cast<T>(1 / std::sqrt(variance[i] + arrays.eps)) * weight(i);
            shift[i] = static_cast<T>(static_cast<double>(bias(i)) - lost(mean[i], center[i]) * static_cast<double>(scale[i]));
        }
        for (std::size_t row = 0; row < arrays.samples; row++)
            along_row<T>(width, [&](std::size_t i, std::size_t count) {
                put<T>(out(row) + i, (some<T>(x(row) + i, count) - load<T>(center + i)) * load<T>(scale + i) + load<T>(shift + i), count);
            });
    }
    void back() {
        double total[BROAD], along[BROAD];
        T turn[BROAD + LANES<T>];
        measure();
        for (std::size_t i = 0; i < width; i++) center[i] = static_cast<T>(mean[i]);
        sums(total, along, [&](std::size_t row, std::size_t i, std::size_t count, V<T> &first, V<T> &second) {
            V<T> given = some<T>(g(row) + i, count);
            first += given;
            second += given * (some<T>(x(row) + i, count) - load<T>(center + i));
        });
        for (std::size_t i = 0; i < width; i++) {
            double deviation = 1 / std::sqrt(variance[i] + arrays.eps), less = lost(mean[i], center[i]);
            along[i] -= less * total[i];
            T for_weight = static_cast<T>(along[i] * deviation), for_bias = static_cast<T>(total[i]);
            if (arrays.for_weight) __builtin_memcpy(static_cast<T *>(arrays.for_weight) + start + i, &for_weight, sizeof(T));
            if (arrays.for_bias) __builtin_memcpy(static_cast<T *>(arrays.for_bias) + start + i, &for_bias, sizeof(T));
            double turns = along[i] * deviation * deviation / size();
            turn[i] = static_cast<T>(turns), shift[i] = static_cast<T>(total[i] / size() - less * turns);
            scale[i] = static_cast<T>(deviation) * weight(i);
        }
        for (std::size_t row = 0; row < arrays.samples && arrays.out; row++)
            along_row<T>(width, [&](std::size_t i, std::size_t count) {
                V<T> far = some<T>(x(row) + i, count) - load<T>(center + i);
                put<T>(out(row) + i, (some<T>(g(row) + i, count) - load<T>(shift + i) - far * load<T>(turn + i)) * load<T>(scale + i), count);
            });
    }
};

template <class T> void moments_of_columns(const Channels &arrays, std::size_t from, std::size_t to) {
    for (std::size_t number = from; number < to; number++) {
        Stripe<T> stripe(arrays, number);
        stripe.measure();
        __builtin_memcpy(arrays.moments + stripe.start, stripe.mean, stripe.width * sizeof(double));
        __builtin_memcpy(arrays.moments + arrays.channels + stripe.start, stripe.variance, stripe.width * sizeof(double));
    }
}

template <class T> void norm_of_columns(const Channels &arrays, std::size_t from, std::size_t to) {
    for (std::size_t number = from; number < to; number++) {
        Stripe<T> stripe(arrays, number);
        stripe.measure();
        stripe.normalize();
    }
}

template <class T> void norm_of_columns_given(const Channels &arrays, std::size_t from, std::size_t to) {
    for (std::size_t number = from; number < to; number++) {
        Stripe<T> stripe(arrays, number);
        __builtin_memcpy(stripe.mean, arrays.moments + stripe.start, stripe.width * sizeof(double));
        __builtin_memcpy(stripe.variance, arrays.moments + arrays.channels + stripe.start, stripe.width * sizeof(double));
        stripe.normalize();
    }
}

template <class T> void norm_of_columns_backward(const Channels &arrays, std::size_t from, std::size_t to) {
    for (std::size_t number = from; number < to; number++) Stripe<T>(arrays, number).back();
}
