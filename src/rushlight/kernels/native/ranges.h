// Numbers at equal distances, and numbers between two others.

template <class T> void range(const Range &all, std::size_t from, std::size_t to) {
    constexpr std::size_t BLOCK = RANGE_BLOCK / sizeof(T);
    T *out = static_cast<T *>(all.out);
    auto counted = [&](std::size_t i, double first) {
        double number = static_cast<double>(i);
        return static_cast<T>(sizeof(T) == 8 ? __builtin_fma(number, all.step, first) : number * all.step + first);
    };
    std::size_t i = from;
    for (; i + BLOCK <= to && i < all.whole; i += BLOCK) {
        auto first = static_cast<double>(counted(i, all.start));
        for (std::size_t lane = 0; lane < BLOCK; lane++) {
            T value = counted(lane, first);
            __builtin_memcpy(out + i + lane, &value, sizeof(T));
        }
    }
    for (; i < to; i++) {
        T value = counted(i, all.start);
        __builtin_memcpy(out + i, &value, sizeof(T));
    }
}

template <class T> inline V<T> between(V<T> start, V<T> end, V<T> weight) {
    V<T> size = weight < T(0) ? -weight : weight;
    V<T> share = size < T(0.5) ? weight : weight - T(1), nearer = size < T(0.5) ? start : end;
    return nearer + share * (end - start);
}

template <class T> void mixture(const Mixture &all, std::size_t from, std::size_t to) {
    const T *start = static_cast<const T *>(all.start), *end = static_cast<const T *>(all.end), *weight = static_cast<const T *>(all.weight);
    T *out = static_cast<T *>(all.out);
    std::size_t i = from;
    for (; i + LANES<T> <= to; i += LANES<T>) store<T>(out + i, between<T>(load<T>(start + i), load<T>(end + i), load<T>(weight + i)));
    if (i == to) return;
    std::size_t rest = to - i;
    store_part<T>(out + i, between<T>(load_part<T>(start + i, rest), load_part<T>(end + i, rest), load_part<T>(weight + i, rest)), rest);
}
