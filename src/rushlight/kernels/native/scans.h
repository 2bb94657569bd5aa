// Running sums, products and extremes, of numbers (outer, length, inner), along the one between. A chain is one number after another:
// along rows some of them go on side by side, down columns those of a stripe.

// In double, rounded at each step; begun with 0, to which -0 adds nothing.
template <class T> struct RunningSum {
    using Out = T;
    static constexpr std::size_t ABREAST = SCANNED_ABREAST;
    double total = 0;
    T next(T x, std::size_t) { return static_cast<T>(total += static_cast<double>(x)); }
};

template <class T> struct RunningProduct {
    using Out = T;
    static constexpr std::size_t ABREAST = SCANNED_ABREAST;
    double total = 1;
    T next(T x, std::size_t) { return static_cast<T>(total *= static_cast<double>(x)); }
};

// The last place so far of the extreme; nan, once met, stays.
template <class T, bool GREATEST> struct LastExtreme {
    using Out = std::int64_t;
    static constexpr std::size_t ABREAST = 1;  // few numbers reach it, which a processor foresees
    T best = GREATEST ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    std::int64_t place = 0;
    std::int64_t next(T x, std::size_t i) {
        if (__builtin_expect((GREATEST ? x >= best : x <= best) || x != x, 0)) {
            place = static_cast<std::int64_t>(i);
            best = x;
        }
        return place;
    }
};
template <class T> using LastMaximum = LastExtreme<T, true>;
template <class T> using LastMinimum = LastExtreme<T, false>;

// COUNT chains at most, `apart`, of numbers that are `step` apart, of which the first are at `x` and `out`.
template <class CHAIN, class T, std::size_t COUNT>
inline void run_chains(const T *x, typename CHAIN::Out *out, std::size_t count, std::size_t apart, std::size_t length, std::ptrdiff_t step) {
    CHAIN chains[COUNT];
    if (count < COUNT) {
        for (std::size_t i = 0; i < length; i++, x += step, out += step)
            for (std::size_t c = 0; c < count; c++) {
                typename CHAIN::Out next = chains[c].next(one<T>(x + c * apart), i);
                __builtin_memcpy(out + c * apart, &next, sizeof(next));
            }
        return;
    }
    for (std::size_t i = 0; i < length; i++, x += step, out += step)
        for (std::size_t c = 0; c < COUNT; c++) {
            typename CHAIN::Out next = chains[c].next(one<T>(x + c * apart), i);
            __builtin_memcpy(out + c * apart, &next, sizeof(next));
        }
}

template <class T, template <class> class CHAIN, bool BACK> void scan(const Rows &rows, std::size_t from, std::size_t to) {
    using Out = typename CHAIN<T>::Out;
    std::size_t inner = rows.inner;
    std::ptrdiff_t step = static_cast<std::ptrdiff_t>(inner) * (BACK ? -1 : 1);
    auto run = [&](auto most, std::size_t first, std::size_t count, std::size_t apart) {
        if (BACK) first += (rows.length - 1) * inner;
        run_chains<CHAIN<T>, T, decltype(most)::value>(static_cast<const T *>(rows.x) + first, static_cast<Out *>(rows.out) + first, count, apart, rows.length, step);
    };
    if (inner == 1) {
        constexpr std::size_t ABREAST = CHAIN<T>::ABREAST;
        std::size_t row = from;
        for (; row + ABREAST <= to; row += ABREAST) run(std::integral_constant<std::size_t, ABREAST>{}, row * rows.length, ABREAST, rows.length);
        if (row < to) run(std::integral_constant<std::size_t, ABREAST>{}, row * rows.length, to - row, rows.length);
        return;
    }
    std::size_t stripes = (inner + STRIPE - 1) / STRIPE;
    for (std::size_t stripe = from; stripe < to; stripe++) {
        std::size_t start = stripe % stripes * STRIPE;
        run(std::integral_constant<std::size_t, STRIPE>{}, stripe / stripes * rows.length * inner + start, inner - start < STRIPE ? inner - start : STRIPE, 1);
    }
}
