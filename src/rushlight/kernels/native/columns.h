// Softmax and its logarithm down columns: of numbers (outer, length, inner), along the one between. Columns that stand beside one
// another go together, a vector of them at a time.

// f(where the column's first number is, how many stand beside it) for each vector of the stripes `from` to `to`.
template <class T, class F> inline void by_columns(const Rows &rows, std::size_t from, std::size_t to, F each) {
    std::size_t stripes = (rows.inner + STRIPE - 1) / STRIPE;
    for (std::size_t stripe = from; stripe < to; stripe++) {
        std::size_t first = stripe / stripes * rows.length * rows.inner, start = stripe % stripes * STRIPE;
        std::size_t end = rows.inner - start < STRIPE ? rows.inner : start + STRIPE;
        for (std::size_t i = start; i < end; i += LANES<T>) each(first + i, end - i < LANES<T> ? end - i : LANES<T>);
    }
}

// The sums of term(i) over i, begun anew for each block.
template <class T, class F> inline V<T> sums_of_columns(std::size_t length, F term) {
    constexpr std::size_t FEW = 64;
    V<T> total{};
    for (std::size_t start = 0; start < length; start += FEW) {
        std::size_t end = length - start < FEW ? length : start + FEW;
        V<T> sum{};
        for (std::size_t i = start; i < end; i++) sum += term(i);
        total += sum;
    }
    return total;
}

template <class T> inline V<T> highest_of_columns(const T *x, const Rows &rows, std::size_t count) {
    V<T> most = all<T>(-std::numeric_limits<T>::infinity());
    for (std::size_t i = 0; i < rows.length; i++) {
        V<T> seen = some<T>(x + i * rows.inner, count);
        most = seen > most ? seen : most;
    }
    return most;
}

template <class T> void columns_softmax(const Rows &rows, std::size_t from, std::size_t to) {
    by_columns<T>(rows, from, to, [&](std::size_t first, std::size_t count) {
        const T *x = static_cast<const T *>(rows.x) + first;
        T *out = static_cast<T *>(rows.out) + first;
        V<T> most = highest_of_columns<T>(x, rows, count);
        V<T> total = sums_of_columns<T>(rows.length, [&](std::size_t i) {
            V<T> power = exponential<T>(some<T>(x + i * rows.inner, count) - most);
            put<T>(out + i * rows.inner, power, count);
            return power;
        });
        for (std::size_t i = 0; i < rows.length; i++) put<T>(out + i * rows.inner, some<T>(out + i * rows.inner, count) / total, count);
    });
}

template <class T> void columns_log_softmax(const Rows &rows, std::size_t from, std::size_t to) {
    by_columns<T>(rows, from, to, [&](std::size_t first, std::size_t count) {
        const T *x = static_cast<const T *>(rows.x) + first;
        T *out = static_cast<T *>(rows.out) + first;
        V<T> most = highest_of_columns<T>(x, rows, count);
        V<T> less = sums_of_columns<T>(rows.length, [&](std::size_t i) { return exponential<T>(some<T>(x + i * rows.inner, count) - most); });
        less = less == less ? logarithm<T>(less) : less;  // at least 1, or nan; the lanes beyond are any numbers
        for (std::size_t i = 0; i < rows.length; i++)
            put<T>(out + i * rows.inner, (some<T>(x + i * rows.inner, count) - most) - less, count);
    });
}

template <class T> void columns_softmax_backward(const Rows &rows, std::size_t from, std::size_t to) {
    by_columns<T>(rows, from, to, [&](std::size_t first, std::size_t count) {
        const T *y = static_cast<const T *>(rows.x) + first, *g = static_cast<const T *>(rows.g) + first;
        T *out = static_cast<T *>(rows.out) + first;
        V<T> dot = sums_of_columns<T>(rows.length, [&](std::size_t i) { return some<T>(g + i * rows.inner, count) * some<T>(y + i * rows.inner, count); });
        for (std::size_t i = 0; i < rows.length; i++)
            put<T>(out + i * rows.inner, (some<T>(g + i * rows.inner, count) - dot) * some<T>(y + i * rows.inner, count), count);
    });
}

template <class T> void columns_log_softmax_backward(const Rows &rows, std::size_t from, std::size_t to) {
    by_columns<T>(rows, from, to, [&](std::size_t first, std::size_t count) {
        const T *y = static_cast<const T *>(rows.x) + first, *g = static_cast<const T *>(rows.g) + first;
        T *out = static_cast<T *>(rows.out) + first;
        V<T> total = sums_of_columns<T>(rows.length, [&](std::size_t i) { return some<T>(g + i * rows.inner, count); });
        for (std::size_t i = 0; i < rows.length; i++)
            put<T>(out + i * rows.inner, some<T>(g + i * rows.inner, count) - exponential<T>(some<T>(y + i * rows.inner, count)) * total, count);
    });
}
