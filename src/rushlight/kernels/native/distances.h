// Distances between rows: of one row from as many others at a time as a vector holds, whose coordinates lie one after another.

enum { NOT_ZERO = 0, ADDED = 1, SQUARED = 2, LARGEST = 3 };

template <class T, int ORDER> inline V<T> with_coordinate(V<T> sum, V<T> off) {
    V<T> size = off < T(0) ? -off : off;
    if constexpr (ORDER == NOT_ZERO) return sum + (size != T(0) ? all<T>(1) : all<T>(0));
    else if constexpr (ORDER == ADDED) return sum + size;
    else if constexpr (ORDER == SQUARED) return sum + size * size;
    else return (size > sum) | (size != size) ? size : sum;
}

template <class T> inline V<T> square_root(V<T> x) {
    T lanes[LANES<T>];
    store<T>(lanes, x);
    for (T &lane : lanes) lane = std::sqrt(lane);
    return load<T>(lanes);
}

template <class T, int ORDER> void distances_of(const Distances &all, std::size_t from, std::size_t to) {
    constexpr std::size_t L = LANES<T>;
    const T *turned = static_cast<const T *>(all.turned);
    for (std::size_t row = from; row < to; row++) {
        const T *x = static_cast<const T *>(all.x) + row * all.width;
        std::size_t start = all.are_pairs ? row + 1 : 0, before = all.are_pairs ? row * (2 * all.columns - row - 1) / 2 : row * all.columns;
        T *out = static_cast<T *>(all.out) + before;
        for (std::size_t j = start; j < all.columns; j += L, out += L) {
            V<T> sum{};
            for (std::size_t k = 0; k < all.width; k++) sum = with_coordinate<T, ORDER>(sum, x[k] - load<T>(turned + k * all.pitch + j));
            if constexpr (ORDER == SQUARED) sum = square_root<T>(sum);
            if (j + L <= all.columns) store<T>(out, sum);
            else store_part<T>(out, sum, all.columns - j);
        }
    }
}

template <class T> void distances(const Distances &all, std::size_t from, std::size_t to) {
    if (all.order == NOT_ZERO) distances_of<T, NOT_ZERO>(all, from, to);
    else if (all.order == ADDED) distances_of<T, ADDED>(all, from, to);
    else if (all.order == SQUARED) distances_of<T, SQUARED>(all, from, to);
    else distances_of<T, LARGEST>(all, from, to);
}

template <class T, int ORDER> inline V<T> distance_slope(V<T> off, T weight, T length) {
    if constexpr (ORDER == SQUARED) return off * weight;
    V<T> below = off < T(0) ? all<T>(-1) : V<T>{}, sign = off > T(0) ? all<T>(1) : below;
    if constexpr (ORDER == LARGEST) sign = (off == length) | (off == -length) ? sign : V<T>{};
    return sign * weight;
}

// Sums of few slopes are begun anew, so that those of many lose no digits.
template <class T, int ORDER> void distance_slopes_of(const DistanceSlopes &all_of, std::size_t from, std::size_t to) {
    constexpr std::size_t L = LANES<T>, FEW = 64;
    const T *others = static_cast<const T *>(all_of.others), *weights = static_cast<const T *>(all_of.weights), *lengths = static_cast<const T *>(all_of.lengths);
    std::size_t width = all_of.width;
    for (std::size_t row = from; row < to; row++)
        for (std::size_t k = 0; k < width; k += L) {
            std::size_t count = width - k < L ? width - k : L;
            V<T> x = some<T>(static_cast<const T *>(all_of.x) + row * width + k, count), total{};
            for (std::size_t first = 0; first < all_of.columns; first += FEW) {
                std::size_t end = all_of.columns - first < FEW ? all_of.columns : first + FEW;
                V<T> sum{};
                for (std::size_t other = first; other < end; other++) {
                    if (all_of.are_pairs && other == row) continue;
                    std::size_t place = all_of.place(row, other);
                    sum += distance_slope<T, ORDER>(x - some<T>(others + other * width + k, count), weights[place], ORDER == LARGEST ? lengths[place] : T(0));
                }
                total += sum;
            }
            put<T>(static_cast<T *>(all_of.out) + row * width + k, total, count);
        }
}

template <class T> void distance_slopes(const DistanceSlopes &all_of, std::size_t from, std::size_t to) {
    if (all_of.order == ADDED) distance_slopes_of<T, ADDED>(all_of, from, to);
    else if (all_of.order == SQUARED) distance_slopes_of<T, SQUARED>(all_of, from, to);
    else distance_slopes_of<T, LARGEST>(all_of, from, to);
}
