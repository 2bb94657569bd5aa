// Rows folded to one number each: sums, sums of squares, products, and extremes, which nan is where there is one.

struct Sums {
    template <class T> static T of(const T *x, std::size_t length) {
        return static_cast<T>(sum_of_row<T>(length, [&](std::size_t i, std::size_t count) { return some<T>(x + i, count); }));
    }
};

struct Squares {
    template <class T> static T of(const T *x, std::size_t length) {
        return static_cast<T>(sum_of_row<T>(length, [&](std::size_t i, std::size_t count) {
            V<T> seen = some<T>(x + i, count);
            return seen * seen;
        }));
    }
};

// Four folds side by side of what FOLD::with makes of two vectors; FOLD::none() changes nothing.
template <class FOLD> struct Folded {
    template <class T> static T of(const T *x, std::size_t length) {
        constexpr std::size_t L = LANES<T>;
        V<T> a = all<T>(FOLD::template none<T>()), b = a, c = a, d = a;
        std::size_t i = 0;
        for (; i + 4 * L <= length; i += 4 * L) {
            a = FOLD::template with<V<T>>(a, load<T>(x + i));
            b = FOLD::template with<V<T>>(b, load<T>(x + i + L));
            c = FOLD::template with<V<T>>(c, load<T>(x + i + 2 * L));
            d = FOLD::template with<V<T>>(d, load<T>(x + i + 3 * L));
        }
        for (; i < length; i += L) a = FOLD::template with<V<T>>(a, length - i >= L ? load<T>(x + i) : load_part<T>(x + i, length - i, FOLD::template none<T>()));
        a = FOLD::template with<V<T>>(FOLD::template with<V<T>>(a, b), FOLD::template with<V<T>>(c, d));
        T lanes[L];
        __builtin_memcpy(lanes, &a, WIDTH);
        for (std::size_t lane = 1; lane < L; lane++) lanes[0] = FOLD::template with<T>(lanes[0], lanes[lane]);
        return lanes[0];
    }
};

struct Products {
    template <class T> static T none() { return 1; }
    template <class X> static X with(X one, X other) { return one * other; }
};

struct Maxima {
    template <class T> static T none() { return -std::numeric_limits<T>::infinity(); }
    template <class X> static X with(X one, X other) {
        X larger = other > one ? other : one;
        return other == other ? larger : other;
    }
};

struct Minima {
    template <class T> static T none() { return std::numeric_limits<T>::infinity(); }
    template <class X> static X with(X one, X other) {
        X smaller = other < one ? other : one;
        return other == other ? smaller : other;
    }
};

template <class T, class FOLD> void fold_rows(const Rows &rows, std::size_t from, std::size_t to) {
    const T *x = static_cast<const T *>(rows.x);
    for (std::size_t row = from; row < to; row++) {
        T folded = FOLD::template of<T>(x + row * rows.length, rows.length);
        __builtin_memcpy(static_cast<T *>(rows.out) + row, &folded, sizeof(T));
    }
}

// Sums down columns of numbers (outer, length, inner), units of BROAD columns. Of few columns several rows are one line, so that vectors
// are full. Blocks of lines are added up in T, and the blocks in double.
template <class T> void add_lines(const T *x, std::size_t lines, std::size_t stride, std::size_t width, double *totals) {
    constexpr std::size_t L = LANES<T>, LINES = 128;
    std::fill_n(totals, width, 0.0);
    for (std::size_t first = 0; first < lines; first += LINES) {
        std::size_t count = lines - first < LINES ? lines - first : LINES, j = 0;
        const T *from = x + first * stride;
        for (; j + 4 * L <= width; j += 4 * L) {
            V<T> a{}, b{}, c{}, d{};
            for (std::size_t line = 0; line < count; line++) {
                const T *place = from + line * stride + j;
                a += load<T>(place), b += load<T>(place + L), c += load<T>(place + 2 * L), d += load<T>(place + 3 * L);
            }
            T sums[4 * L];
            store<T>(sums, a), store<T>(sums + L, b), store<T>(sums + 2 * L, c), store<T>(sums + 3 * L, d);
            for (std::size_t i = 0; i < 4 * L; i++) totals[j + i] += static_cast<double>(sums[i]);
        }
        for (; j < width; j += L) {
            std::size_t some_of = width - j < L ? width - j : L;
            V<T> a{};
            for (std::size_t line = 0; line < count; line++) a += some<T>(from + line * stride + j, some_of);
            T sums[L];
            store<T>(sums, a);
            for (std::size_t i = 0; i < some_of; i++) totals[j + i] += static_cast<double>(sums[i]);
        }
    }
}

template <class T> void sum_columns(const Rows &rows, std::size_t from, std::size_t to) {
    constexpr std::size_t LINE = 4 * LANES<T>;
    std::size_t inner = rows.inner, length = rows.length, units = (inner + BROAD - 1) / BROAD;
    double totals[BROAD];
    for (std::size_t unit = from; unit < to; unit++) {
        const T *x = static_cast<const T *>(rows.x) + unit / units * length * inner;
        T *out = static_cast<T *>(rows.out) + unit / units * inner;
        std::size_t begin = unit % units * BROAD, width = inner - begin < BROAD ? inner - begin : BROAD;
        std::size_t together = inner < LINE ? LINE / inner : 1;
        together = length < 4 * together ? 1 : together;
        std::size_t lines = length / together, rest = length % together * inner;
        add_lines<T>(x + begin, lines, inner * together, width * together, totals);
        for (std::size_t i = 0; i < rest; i++) totals[i] += static_cast<double>(one<T>(x + lines * together * inner + i));
        for (std::size_t row = 1; row < together; row++)
            for (std::size_t i = 0; i < width; i++) totals[i] += totals[row * width + i];
        for (std::size_t i = 0; i < width; i++) {
            T value = static_cast<T>(totals[i]);
            __builtin_memcpy(out + begin + i, &value, sizeof(T));
        }
    }
}
