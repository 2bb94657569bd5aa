// Sums in the order in which PyTorch adds on one thread, so that they agree with its sums to the last bit. Lines cascade: runs of 16 are
// added first (or of more, where there are many), then runs of those sums, three levels deep.
template <class T> constexpr std::size_t LANE = LANE_BYTES / sizeof(T);
template <class T> constexpr std::size_t FOUR_LANES = LANES_OF_LINE * LANE<T>;

// Of `count` lines, `stride` apart, two vectors from `place` on. Before `end` there are numbers; what is read of a next line is left out later.
template <class T> inline void add_lines(const T *place, std::size_t count, std::size_t stride, const T *end, V<T> &a, V<T> &b) {
    constexpr std::size_t L = LANES<T>;
    std::size_t safe = count;
    while (safe && static_cast<std::size_t>(end - place) < (safe - 1) * stride + 2 * L) safe--;
    for (std::size_t line = 0; line < safe; line++) a += load<T>(place + line * stride), b += load<T>(place + line * stride + L);
    for (std::size_t line = safe; line < count; line++) {
        const T *from = place + line * stride;
        std::size_t left = static_cast<std::size_t>(end - from);
        a += load_part<T>(from, left < L ? left : L);
        if (left > L) b += load_part<T>(from + L, left < 2 * L ? left - L : L);
    }
}

// sums[i] of `count` lines of `width` numbers, at most BROAD. It has room for two vectors more.
template <class T> void cascade(const T *x, std::size_t count, std::size_t stride, std::size_t width, std::size_t run, const T *end, T *sums) {
    constexpr std::size_t L = LANES<T>, ROOM = BROAD + 2 * L;
    T levels[3][ROOM];
    std::size_t padded = (width + 2 * L - 1) / (2 * L) * 2 * L, i = 0;
    for (T *level : levels) std::fill_n(level, padded, T(0));
    auto add = [&](T *to, const T *from, std::size_t lines) {
        for (std::size_t j = 0; j < padded; j += 2 * L) {
            V<T> a{}, b{};
            add_lines<T>(from + j, lines, stride, end, a, b);
            store<T>(to + j, load<T>(to + j) + a), store<T>(to + j + L, load<T>(to + j + L) + b);
        }
    };
    auto carry = [&](T *to, T *from) {
        for (std::size_t j = 0; j < padded; j += L) store<T>(to + j, load<T>(to + j) + load<T>(from + j)), store<T>(from + j, V<T>{});
    };
    while (i + run <= count) {
        add(levels[0], x + i * stride, run);
        i += run;
        if (i / run % run) continue;
        carry(levels[1], levels[0]);
        if (i / run / run % run == 0) carry(levels[2], levels[1]);
    }
    std::fill_n(sums, padded, T(0));
    if (i < count) add(sums, x + i * stride, count - i);
    for (T *level : levels) carry(sums, level);
}

struct All {
    template <class X> static X of(X x) { return x; }
};

// Those that are no nan.
struct Numbers {
    template <class X> static X of(X x) { return x == x ? x : X{}; }
};

// The same of lines of four lanes that follow one another, in registers.
template <class T, class WHICH = All> void cascade_lanes(const T *x, std::size_t count, std::size_t run, T *sums) {
    constexpr std::size_t L = LANES<T>, N = FOUR_LANES<T> / L;
    V<T> levels[4][N] = {};
    std::size_t i = 0, upper = run * run - 1, uppermost = run * run * run - 1;
    while (i + run <= count) {
        V<T> added[N] = {};
        for (std::size_t end = i + run; i < end; i++)
            for (std::size_t n = 0; n < N; n++) added[n] += WHICH::template of<V<T>>(load<T>(x + i * FOUR_LANES<T> + n * L));
        for (std::size_t n = 0; n < N; n++) levels[1][n] += added[n];
        if (i & upper) continue;
        for (std::size_t n = 0; n < N; n++) levels[2][n] += levels[1][n], levels[1][n] = V<T>{};
        if (i & uppermost) continue;
        for (std::size_t n = 0; n < N; n++) levels[3][n] += levels[2][n], levels[2][n] = V<T>{};
    }
    for (; i < count; i++)
        for (std::size_t n = 0; n < N; n++) levels[0][n] += WHICH::template of<V<T>>(load<T>(x + i * FOUR_LANES<T> + n * L));
    for (std::size_t n = 0; n < N; n++) store<T>(sums + n * L, ((levels[0][n] + levels[1][n]) + levels[2][n]) + levels[3][n]);
}

// Of a row at least one lane long: its lines of four lanes, then the lanes and the numbers behind them.
template <class T, class WHICH = All> T sum_of_row_in_order(const T *x, std::size_t length, const T *lines) {
    constexpr std::size_t N = LANE<T>;
    T lane[N];
    std::copy_n(lines, N, lane);
    std::size_t i = length / FOUR_LANES<T> * FOUR_LANES<T>;
    for (; i + N <= length; i += N)
        for (std::size_t k = 0; k < N; k++) lane[k] += WHICH::template of<T>(one<T>(x + i + k));
    for (std::size_t part = 1; part < 4; part++)
        for (std::size_t k = 0; k < N; k++) lane[k] += lines[part * N + k];
    T total = 0;
    for (; i < length; i++) total += WHICH::template of<T>(one<T>(x + i));
    for (T sum : lane) total += sum;
    return total;
}

template <class WHICH> struct InOrder {
    template <class T> static T of(const T *x, std::size_t length) {
        T sums[FOUR_LANES<T>] = {};
        if (length < LANE<T>) {  // numbers in place of lanes
            std::size_t i = 0;
            for (; length >= 4 && i < 4; i++) sums[i] += WHICH::template of<T>(one<T>(x + i));
            for (; i < length; i++) sums[0] += WHICH::template of<T>(one<T>(x + i));
            return ((sums[0] + sums[1]) + sums[2]) + sums[3];
        }
        if (std::size_t count = length / FOUR_LANES<T>) cascade_lanes<T, WHICH>(x, count, run_of(count), sums);
        return sum_of_row_in_order<T, WHICH>(x, length, sums);
    }
};

// Of one long row, in blocks of the square of `inner` lines, where a run is so long: what they add up to.
template <class T> void sum_blocks(const Rows &rows, std::size_t from, std::size_t to) {
    std::size_t lines = rows.inner * rows.inner;
    for (std::size_t block = from; block < to; block++) {
        const T *x = static_cast<const T *>(rows.x) + block * lines * FOUR_LANES<T>;
        cascade_lanes<T>(x, lines, rows.inner, static_cast<T *>(rows.partial) + block * FOUR_LANES<T>);
    }
}

// And of those blocks and what is behind them, the sum.
template <class T> void sum_of_blocks(const Rows &rows, std::size_t, std::size_t) {
    T sums[FOUR_LANES<T>], upper[2][FOUR_LANES<T>] = {};
    const T *x = static_cast<const T *>(rows.x), *blocks = static_cast<const T *>(rows.partial);
    for (std::size_t block = 0; block < rows.count; block++) {
        for (std::size_t i = 0; i < FOUR_LANES<T>; i++) upper[0][i] += blocks[block * FOUR_LANES<T> + i];
        if ((block + 1) % rows.inner) continue;
        for (std::size_t i = 0; i < FOUR_LANES<T>; i++) upper[1][i] += upper[0][i], upper[0][i] = 0;
    }
    std::size_t done = rows.count * rows.inner * rows.inner;
    cascade_lanes<T>(x + done * FOUR_LANES<T>, rows.length / FOUR_LANES<T> - done, rows.inner, sums);
    for (const auto &level : upper)
        for (std::size_t i = 0; i < FOUR_LANES<T>; i++) sums[i] += level[i];
    T total = sum_of_row_in_order<T>(x, rows.length, sums);
    __builtin_memcpy(rows.out, &total, sizeof(T));
}

// Down columns of numbers (outer, length, inner), units of BROAD columns. Lines of 4 * LANE columns cascade; of the columns behind them, or of
// four where there are fewer, lines go four abreast.
template <class T> void sum_columns(const Rows &rows, std::size_t from, std::size_t to) {
    constexpr std::size_t ROOM = BROAD + 2 * LANES<T>;
    T sums[4][ROOM];
    std::size_t inner = rows.inner, length = rows.length, units = (inner + BROAD - 1) / BROAD;
    std::size_t block = inner < LANE<T> ? 4 : FOUR_LANES<T>, whole = inner / block * block;
    for (std::size_t unit = from; unit < to; unit++) {
        const T *x = static_cast<const T *>(rows.x) + unit / units * length * inner, *end = x + length * inner;
        T *out = static_cast<T *>(rows.out) + unit / units * inner;
        std::size_t first = unit % units * BROAD, last = inner - first < BROAD ? inner : first + BROAD;
        std::size_t straight = whole < last ? whole : last;
        if (straight > first) {
            cascade<T>(x + first, length, inner, straight - first, run_of(length), end, sums[0]);
            __builtin_memcpy(out + first, sums[0], (straight - first) * sizeof(T));
        }
        std::size_t begin = straight > first ? straight : first, width = last - begin, count = length / 4;
        if (!width) continue;
        if (begin == 0 && 4 * inner <= BROAD) {  // four lines lie side by side
            T all[ROOM];
            cascade<T>(x, count, 4 * inner, 4 * inner, run_of(count), end, all);
            for (std::size_t part = 0; part < 4; part++) std::copy_n(all + part * inner, inner, sums[part]);
        } else {
            for (std::size_t part = 0; part < 4; part++) cascade<T>(x + part * inner + begin, count, 4 * inner, width, run_of(count), end, sums[part]);
        }
        for (std::size_t line = 4 * count; line < length; line++)
            for (std::size_t i = 0; i < width; i++) sums[0][i] += one<T>(x + line * inner + begin + i);
        for (std::size_t i = 0; i < width; i++) {
            T total = ((sums[0][i] + sums[1][i]) + sums[2][i]) + sums[3][i];
            __builtin_memcpy(out + begin + i, &total, sizeof(T));
        }
    }
}
