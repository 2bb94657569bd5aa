// Rows of attention: scores become weights, and cotangents of weights those of scores. Rows have room for whole vectors.

// Whether a number of a row is nan.
template <class T> inline bool has_nan(const T *x, std::size_t length) {
    bool found = false;
    for (std::size_t i = 0; i < length; i++) found |= x[i] != x[i];
    return found;
}

// Whether a mask makes nan of the -inf that keys not seen have.
template <class T> inline bool spoils(const T *mask, std::size_t length) {
    bool found = false;
    for (std::size_t i = 0; i < length; i++) found |= !(mask[i] < std::numeric_limits<T>::infinity());
    return found;
}

// softmax(scores * scale + mask) of the first `seen`, in place, and zeros behind them; zeros where all are -inf.
template <class T> void attention_weights(const AttentionRow &row) {
    constexpr T NONE = -std::numeric_limits<T>::infinity();
    constexpr std::size_t L = LANES<T>;
    T *scores = static_cast<T *>(row.scores), scale = static_cast<T>(row.scale);
    const T *mask = static_cast<const T *>(row.mask);
    V<T> highest_of_lanes = all<T>(NONE);
    std::size_t i = 0;
    for (; i < row.seen; i += L) {
        std::size_t count = row.seen - i;
        V<T> score = load<T>(scores + i) * scale;
        if (mask) score = score + (count >= L ? load<T>(mask + i) : load_part<T>(mask + i, count));
        score = up_to<T>(score, count, NONE);
        highest_of_lanes = score > highest_of_lanes ? score : highest_of_lanes;
        store<T>(scores + i, score);
    }
    std::size_t whole = i;
    T most = highest<T>(highest_of_lanes);
    double total = mask && spoils<T>(mask + row.seen, row.length - row.seen) ? std::numeric_limits<double>::quiet_NaN() : 0;
    if (most != NONE || has_nan<T>(scores, row.seen)) total += sum_of_row<T>(whole, [&](std::size_t at, std::size_t) {
        V<T> power = exponential<T>(load<T>(scores + at) - most);
        store<T>(scores + at, power);
        return power;
    });
    T size = static_cast<T>(total);
    for (i = 0; i < whole; i += L) store<T>(scores + i, size == T(0) ? V<T>{} : load<T>(scores + i) / size);
    if (size != size) std::fill(scores + row.seen, scores + whole, T(0));  // what is not seen has no part in nan
    for (; i < row.length; i += L) store<T>(scores + i, V<T>{});
}

// (g - sum(g * weights)) * weights * scale, in place of g.
template <class T> void attention_slopes(const AttentionRow &row) {
    const T *weights = static_cast<const T *>(row.scores);
    T *g = static_cast<T *>(row.g), scale = static_cast<T>(row.scale);
    std::size_t whole = (row.length + LANES<T> - 1) / LANES<T> * LANES<T>;
    for (std::size_t i = row.length; i < whole; i++) g[i] = T(0);
    T dot = static_cast<T>(sum_of_row<T>(whole, [&](std::size_t i, std::size_t) { return load<T>(g + i) * load<T>(weights + i); }));
    for (std::size_t i = 0; i < whole; i += LANES<T>) store<T>(g + i, (load<T>(g + i) - dot) * load<T>(weights + i) * scale);
}
