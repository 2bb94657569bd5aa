// Rows folded to one number each: sums of squares, products, and extremes, which nan is where there is one; sums (sums.h).

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
