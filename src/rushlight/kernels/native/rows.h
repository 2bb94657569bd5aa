// Rows of numbers: softmax, its logarithm, and layer norm, with their slopes.

// The sum of f(i, vector) over a row: four sums side by side, begun anew for each block so that what is added to them stays small
// beside what they are, and the blocks added up in double. It depends on the length of the row alone.
constexpr std::size_t BLOCK = 2048;

template <class T, class F> inline double sum_of_row(std::size_t length, F term) {
    constexpr std::size_t L = LANES<T>;
    double total = 0;
    for (std::size_t start = 0; start < length; start += BLOCK) {
        std::size_t end = length - start < BLOCK ? length : start + BLOCK, i = start;
        V<T> a{}, b{}, c{}, d{};
        for (; i + 4 * L <= end; i += 4 * L) {
            a += term(i, L);
            b += term(i + L, L);
            c += term(i + 2 * L, L);
            d += term(i + 3 * L, L);
        }
        for (; i + L <= end; i += L) a += term(i, L);
        if (i < end) b += term(i, end - i);
        total += static_cast<double>(across<T>((a + b) + (c + d)));
    }
    return total;
}

// Two such sums, which add(i, how many, first, second) adds to.
template <class T, class F> inline void two_sums_of_row(std::size_t length, double (&totals)[2], F add) {
    constexpr std::size_t L = LANES<T>;
    totals[0] = totals[1] = 0;
    for (std::size_t start = 0; start < length; start += BLOCK) {
        std::size_t end = length - start < BLOCK ? length : start + BLOCK, i = start;
        V<T> a{}, b{}, c{}, d{};
        for (; i + 2 * L <= end; i += 2 * L) {
            add(i, L, a, c);
            add(i + L, L, b, d);
        }
        for (; i + L <= end; i += L) add(i, L, a, c);
        if (i < end) add(i, end - i, b, d);
        totals[0] += static_cast<double>(across<T>(a + b));
        totals[1] += static_cast<double>(across<T>(c + d));
    }
}

// Whole vectors, or `count` numbers and zeros.
template <class T> inline V<T> some(const T *from, std::size_t count) {
    return count == LANES<T> ? load<T>(from) : load_part<T>(from, count);
}

template <class T> inline void put(T *to, V<T> value, std::size_t count) {
    if (count == LANES<T>) store<T>(to, value);
    else store_part<T>(to, value, count);
}

// f(i, how many) for each vector of a row.
template <class T, class F> inline void along_row(std::size_t length, F each) {
    std::size_t i = 0;
    for (; i + LANES<T> <= length; i += LANES<T>) each(i, LANES<T>);
    if (i < length) each(i, length - i);
}

template <class T> inline T highest_of_row(const T *x, std::size_t length) {
    constexpr std::size_t L = LANES<T>;
    constexpr T NONE = -std::numeric_limits<T>::infinity();
    V<T> a = all<T>(NONE), b = a;
    std::size_t i = 0;
    for (; i + 2 * L <= length; i += 2 * L) {
        V<T> p = load<T>(x + i), q = load<T>(x + i + L);
        a = p > a ? p : a;
        b = q > b ? q : b;
    }
    for (; i < length; i += L) {
        V<T> p = length - i >= L ? load<T>(x + i) : load_part<T>(x + i, length - i, NONE);
        a = p > a ? p : a;
    }
    return highest<T>(a > b ? a : b);
}

// `value` in the lanes before `count`, `filler` in the others.
template <class T> inline V<T> up_to(V<T> value, std::size_t count, T filler) {
    if (count >= LANES<T>) return value;
    typename Traits<T>::I lanes;
    for (std::size_t lane = 0; lane < LANES<T>; lane++) lanes[lane] = static_cast<typename Traits<T>::Int>(lane);
    return lanes < static_cast<typename Traits<T>::Int>(count) ? value : all<T>(filler);
}

template <class T> inline V<T> first_lanes(V<T> value, std::size_t count) { return up_to<T>(value, count, T(0)); }

template <class T> void softmax(const Rows &rows, std::size_t from, std::size_t to) {
    for (std::size_t row = from; row < to; row++) {
        const T *x = static_cast<const T *>(rows.x) + row * rows.length;
        T *out = static_cast<T *>(rows.out) + row * rows.length;
        T most = highest_of_row<T>(x, rows.length);
        T total = static_cast<T>(sum_of_row<T>(rows.length, [&](std::size_t i, std::size_t count) {
            V<T> power = exponential<T>(some<T>(x + i, count) - most);
            put<T>(out + i, power, count);
            return first_lanes<T>(power, count);
        }));
        along_row<T>(rows.length, [&](std::size_t i, std::size_t count) { put<T>(out + i, some<T>(out + i, count) / total, count); });
    }
}

template <class T> void log_softmax(const Rows &rows, std::size_t from, std::size_t to) {
    for (std::size_t row = from; row < to; row++) {
        const T *x = static_cast<const T *>(rows.x) + row * rows.length;
        T *out = static_cast<T *>(rows.out) + row * rows.length;
        T most = highest_of_row<T>(x, rows.length);
        T less = static_cast<T>(std::log(sum_of_row<T>(rows.length, [&](std::size_t i, std::size_t count) {
            return first_lanes<T>(exponential<T>(some<T>(x + i, count) - most), count);
        })));
        along_row<T>(rows.length, [&](std::size_t i, std::size_t count) { put<T>(out + i, (some<T>(x + i, count) - most) - less, count); });
    }
}

// Of softmax y, given the cotangent g: (g - sum(g * y)) * y.
template <class T> void softmax_backward(const Rows &rows, std::size_t from, std::size_t to) {
    for (std::size_t row = from; row < to; row++) {
        const T *y = static_cast<const T *>(rows.x) + row * rows.length, *g = static_cast<const T *>(rows.g) + row * rows.length;
        T *out = static_cast<T *>(rows.out) + row * rows.length;
        T dot = static_cast<T>(sum_of_row<T>(
            rows.length, [&](std::size_t i, std::size_t count) { return some<T>(g + i, count) * some<T>(y + i, count); }));
        along_row<T>(rows.length, [&](std::size_t i, std::size_t count) {
            put<T>(out + i, (some<T>(g + i, count) - dot) * some<T>(y + i, count), count);
        });
    }
}

// Of its logarithm y: g - exp(y) * sum(g).
template <class T> void log_softmax_backward(const Rows &rows, std::size_t from, std::size_t to) {
    for (std::size_t row = from; row < to; row++) {
        const T *y = static_cast<const T *>(rows.x) + row * rows.length, *g = static_cast<const T *>(rows.g) + row * rows.length;
        T *out = static_cast<T *>(rows.out) + row * rows.length;
        T total = static_cast<T>(sum_of_row<T>(rows.length, [&](std::size_t i, std::size_t count) { return some<T>(g + i, count); }));
        along_row<T>(rows.length, [&](std::size_t i, std::size_t count) {
            put<T>(out + i, some<T>(g + i, count) - exponential<T>(some<T>(y + i, count)) * total, count);
        });
    }
}

// Mean and 1 / standard deviation of a row. The mean is mended by what its distances sum up to: of equal numbers they are 0 then.
template <class T> inline void moments(const T *x, std::size_t length, double eps, T &mean, T &rstd) {
    double size = static_cast<double>(length);
    T near = static_cast<T>(sum_of_row<T>(length, [&](std::size_t i, std::size_t count) { return some<T>(x + i, count); }) / size);
    double sums[2];
    two_sums_of_row<T>(length, sums, [&](std::size_t i, std::size_t count, V<T> &off, V<T> &squares) {
        V<T> far = first_lanes<T>(some<T>(x + i, count) - near, count);
        off += far;
        squares += far * far;
    });
    double off = sums[0] / size, variance = sums[1] / size - off * off;
    mean = static_cast<T>(static_cast<double>(near) + off);
    rstd = static_cast<T>(1 / std::sqrt((variance < 0 ? 0 : variance) + eps));  // nan stays
}

template <class T> void layer_norm(const Rows &rows, std::size_t from, std::size_t to) {
    const T *weight = static_cast<const T *>(rows.weight), *bias = static_cast<const T *>(rows.bias);
    for (std::size_t row = from; row < to; row++) {
        const T *x = static_cast<const T *>(rows.x) + row * rows.length;
        T *out = static_cast<T *>(rows.out) + row * rows.length, mean, rstd;
        moments<T>(x, rows.length, rows.eps, mean, rstd);
        along_row<T>(rows.length, [&](std::size_t i, std::size_t count) {
            V<T> hat = (some<T>(x + i, count) - mean) * rstd;
            if (weight) hat = hat * some<T>(weight + i, count);
            if (bias) hat = hat + some<T>(bias + i, count);
            put<T>(out + i, hat, count);
        });
    }
}

// The gradients of the input (where `out` is given) and, by chunks of rows, of weight and bias (where `partial` is).
template <class T> void layer_norm_backward(const Rows &rows, std::size_t from, std::size_t to) {
    const T *weight = static_cast<const T *>(rows.weight);
    double size = static_cast<double>(rows.length);
    for (std::size_t row = from; row < to; row++) {
        const T *x = static_cast<const T *>(rows.x) + row * rows.length, *g = static_cast<const T *>(rows.g) + row * rows.length;
        T mean, rstd;
        moments<T>(x, rows.length, rows.eps, mean, rstd);
        if (rows.partial) {
            T *for_weight = static_cast<T *>(rows.partial) + row / rows.rows_of_chunk * 2 * rows.length;
            T *for_bias = for_weight + rows.length;
            bool first = row % rows.rows_of_chunk == 0;
            along_row<T>(rows.length, [&](std::size_t i, std::size_t count) {
                V<T> given = some<T>(g + i, count), along = given * ((some<T>(x + i, count) - mean) * rstd);
                put<T>(for_weight + i, first ? along : some<T>(for_weight + i, count) + along, count);
                put<T>(for_bias + i, first ? given : some<T>(for_bias + i, count) + given, count);
            });
        }
        if (!rows.out) continue;
        T *out = static_cast<T *>(rows.out) + row * rows.length;
        auto scaled = [&](std::size_t i, std::size_t count) {
            V<T> given = some<T>(g + i, count);
            return weight ? given * some<T>(weight + i, count) : given;
        };
        double sums[2];
        two_sums_of_row<T>(rows.length, sums, [&](std::size_t i, std::size_t count, V<T> &level, V<T> &along) {
            V<T> given = scaled(i, count);
            level += given;
            along += given * (some<T>(x + i, count) - mean);  // of lanes beyond the row nothing is given
        });
        T level = static_cast<T>(sums[0] / size), along = static_cast<T>(sums[1] / size) * rstd;
        along_row<T>(rows.length, [&](std::size_t i, std::size_t count) {
            V<T> hat = (some<T>(x + i, count) - mean) * rstd;
            put<T>(out + i, (scaled(i, count) - level - hat * along) * rstd, count);
        });
    }
}

// Mean and 1 / standard deviation of a row.
inline void measure(const float *row, std::size_t length, double eps, float &center, float &rstd) {
    double size = static_cast<double>(length);
    double mean = sum_of_row<float>(length, [&](std::size_t i, std::size_t count) { return some<float>(row + i, count); }) / size;
    float middle = static_cast<float>(mean);
    double square = sum_of_row<float>(length, [&](std::size_t i, std::size_t count) {
        V<float> off = count == LANES<float> ? load<float>(row + i) - middle : load_part<float>(row + i, count, middle) - middle;
        return off * off;
    });
    double var = square / size - (mean - static_cast<double>(middle)) * (mean - static_cast<double>(middle));
    // Rounded at each step: a rest of x * rstd - mean * rstd shows the last digit of rstd.
    center = middle, rstd = 1 / std::sqrt(static_cast<float>(var > 0 || var != var ? var : 0) + static_cast<float>(eps));
}

// Of numbers of two bytes, which WIDEN and NARROW turn to single precision and back: x * rstd - mean * rstd, rounded once but for the second
// product; weight and bias are in single precision.
template <ConversionLoop WIDEN, ConversionLoop NARROW> void layer_norm_of_halves(const Rows &rows, std::size_t from, std::size_t to) {
    const std::uint16_t *x = static_cast<const std::uint16_t *>(rows.x);
    const float *weight = static_cast<const float *>(rows.weight), *bias = static_cast<const float *>(rows.bias);
    std::uint16_t *out = static_cast<std::uint16_t *>(rows.out);
    float *room = static_cast<float *>(rows.partial) + from / rows.rows_of_chunk * rows.length;
    for (std::size_t row = from; row < to; row++) {
        WIDEN(x + row * rows.length, room, rows.length);
        float center, rstd;
        measure(room, rows.length, rows.eps, center, rstd);
        float level = center * rstd;
        rows.moments[row] = center, rows.moments[rows.count + row] = rstd;
        along_row<float>(rows.length, [&](std::size_t i, std::size_t count) {
            V<float> value = some<float>(room + i, count) * rstd - level;
            if (weight) value *= some<float>(weight + i, count);
            if (bias) value += some<float>(bias + i, count);
            put<float>(room + i, value, count);
        });
        NARROW(room, out + row * rows.length, rows.length);
    }
}

// The moments of rows, and what comes back to x.
template <ConversionLoop WIDEN, ConversionLoop NARROW> void norm_slopes_of_halves(const Rows &rows, std::size_t from, std::size_t to) {
    const std::uint16_t *x = static_cast<const std::uint16_t *>(rows.x), *g = static_cast<const std::uint16_t *>(rows.g);
    const float *weight = static_cast<const float *>(rows.weight);
    std::size_t length = rows.length;
    float *seen = static_cast<float *>(rows.partial) + from / rows.rows_of_chunk * 2 * length, *given = seen + length;
    double size = static_cast<double>(length);
    for (std::size_t row = from; row < to; row++) {
        WIDEN(x + row * length, seen, length);
        float moments[2];
        measure(seen, length, rows.eps, moments[0], moments[1]);
        if (rows.rounds) {
            std::uint16_t narrow[2];
            NARROW(moments, narrow, 2);
            WIDEN(narrow, moments, 2);
        }
        float center = moments[0], rstd = moments[1];
        rows.moments[row] = center, rows.moments[rows.count + row] = rstd;
        if (!rows.out) continue;
        WIDEN(g + row * length, given, length);
        if (weight) along_row<float>(length, [&](std::size_t i, std::size_t count) { put<float>(given + i, some<float>(given + i, count) * some<float>(weight + i, count), count); });
        double totals[2];
        two_sums_of_row<float>(length, totals, [&](std::size_t i, std::size_t count, V<float> &all, V<float> &along) {
            V<float> h = some<float>(given + i, count);
            all += h;
            along += h * (some<float>(seen + i, count) - center);
        });
        double wide = static_cast<double>(rstd);
        float slope = static_cast<float>(-totals[1] * wide * wide * wide / size), level = static_cast<float>(-totals[0] * wide / size);
        along_row<float>(length, [&](std::size_t i, std::size_t count) {
            put<float>(given + i, some<float>(given + i, count) * rstd + ((some<float>(seen + i, count) - center) * slope + level), count);
        });
        NARROW(given, static_cast<std::uint16_t *>(rows.out) + row * length, length);
    }
}

// What comes back to weight and bias, columns `from` to `to`: rounded to two bytes after each row, as PyTorch's sums of one thread are.
template <ConversionLoop WIDEN, ConversionLoop NARROW> void norm_sums_of_halves(const Rows &rows, std::size_t from, std::size_t to) {
    const std::uint16_t *x = static_cast<const std::uint16_t *>(rows.x), *g = static_cast<const std::uint16_t *>(rows.g);
    for (std::size_t begin = from; begin < to; begin += BROAD) {
        std::size_t broad = to - begin < BROAD ? to - begin : BROAD;
        float seen[BROAD], given[BROAD], for_weight[BROAD] = {}, for_bias[BROAD] = {};
        std::uint16_t narrow[BROAD];
        auto round = [&](float *sums) {
            NARROW(sums, narrow, broad);
            WIDEN(narrow, sums, broad);
        };
        for (std::size_t row = 0; row < rows.count; row++) {
            float rstd = rows.moments[rows.count + row], level = rows.moments[row] * rstd;
            WIDEN(x + row * rows.length + begin, seen, broad);
            WIDEN(g + row * rows.length + begin, given, broad);
            along_row<float>(broad, [&](std::size_t i, std::size_t count) {
                V<float> h = some<float>(given + i, count);
                put<float>(for_weight + i, h * (some<float>(seen + i, count) * rstd - level) + some<float>(for_weight + i, count), count);
                put<float>(for_bias + i, some<float>(for_bias + i, count) + h, count);
            });
            round(for_weight);
            round(for_bias);
        }
        if (rows.for_weight) __builtin_memcpy(rows.for_weight + begin, for_weight, broad * sizeof(float));
        if (rows.for_bias) __builtin_memcpy(rows.for_bias + begin, for_bias, broad * sizeof(float));
    }
}

template <class T> void add_columns(const void *from, std::size_t count, std::size_t stride, std::size_t length, void *to) {
    const T *lines = static_cast<const T *>(from);
    T *out = static_cast<T *>(to);
    for (std::size_t j = 0; j < length; j++) {
        double total = 0;
        for (std::size_t line = 0; line < count; line++) total += static_cast<double>(one<T>(lines + line * stride + j));
        T value = static_cast<T>(total);
        __builtin_memcpy(out + j, &value, sizeof(T));
    }
}
