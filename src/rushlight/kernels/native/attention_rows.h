// Rows of attention: scores become weights, and cotangents of weights those of scores.

template <class T> inline bool has_nan(const T *x, std::size_t length) {
    typename Traits<T>::I found{};
    along_row<T>(length, [&](std::size_t i, std::size_t count) {
        V<T> seen = some<T>(x + i, count);
        found |= seen != seen;
    });
    for (std::size_t lane = 0; lane < LANES<T>; lane++)
        if (found[lane]) return true;
    return false;
}

// softmax(scores * scale + mask) of the first `seen`, in place, and zeros behind them; zeros where all are -inf.
template <class T> void attention_weights(const AttentionRow &row) {
    T *scores = static_cast<T *>(row.scores), scale = static_cast<T>(row.scale);
    const T *mask = static_cast<const T *>(row.mask);
    along_row<T>(row.seen, [&](std::size_t i, std::size_t count) {
        V<T> score = some<T>(scores + i, count) * scale;
        put<T>(scores + i, mask ? score + some<T>(mask + i, count) : score, count);
    });
    T most = highest_of_row<T>(scores, row.seen);
    bool is_empty = most == -std::numeric_limits<T>::infinity() && !has_nan<T>(scores, row.seen);
    T total = is_empty ? T(0) : static_cast<T>(sum_of_row<T>(row.seen, [&](std::size_t i, std::size_t count) {
        V<T> power = exponential<T>(some<T>(scores + i, count) - most);
        put<T>(scores + i, power, count);
        return first_lanes<T>(power, count);
    }));
    along_row<T>(row.seen, [&](std::size_t i, std::size_t count) { put<T>(scores + i, is_empty ? V<T>{} : some<T>(scores + i, count) / total, count); });
    for (std::size_t i = row.seen; i < row.length; i++) scores[i] = T(0);
}

// (g - sum(g * weights)) * weights * scale, in place of g.
template <class T> void attention_slopes(const AttentionRow &row) {
    const T *weights = static_cast<const T *>(row.scores);
    T *g = static_cast<T *>(row.g), scale = static_cast<T>(row.scale);
    T dot = static_cast<T>(sum_of_row<T>(row.length, [&](std::size_t i, std::size_t count) { return some<T>(g + i, count) * some<T>(weights + i, count); }));
    along_row<T>(row.length, [&](std::size_t i, std::size_t count) { put<T>(g + i, (some<T>(g + i, count) - dot) * some<T>(weights + i, count) * scale, count); });
}
