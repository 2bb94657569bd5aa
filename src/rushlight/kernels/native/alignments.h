// Steps along alignments of labels.

inline void alignments(const Alignments &step) {
    using T = double;
    constexpr T NONE = -std::numeric_limits<T>::infinity();
    along_row<T>(step.count, [&](std::size_t i, std::size_t count) {
        V<T> stays = some<T>(step.before + i, count), goes = some<T>(step.before + i + step.step, count);
        V<T> jumps = some<T>(step.before + i + 2 * step.step, count) + some<T>(step.jumps + i, count);
        // In order of size: the power of the largest, less itself, is 1.
        V<T> upper = goes > stays ? goes : stays, lower = goes > stays ? stays : goes;
        V<T> most = jumps > upper ? jumps : upper, least = jumps < lower ? jumps : lower;
        V<T> middle = jumps > upper ? upper : jumps < lower ? lower : jumps;
        V<T> from = most == NONE ? V<T>{} : most;
        V<T> sum = exponential<T>(middle - from) + exponential<T>(least - from) + T(1);
        V<T> total = most == NONE ? all<T>(NONE) : logarithm<T>(sum) + from;
        V<T> odd = (stays - from) + (goes - from) + (jumps - from);  // nan where one is, or is endless above
        put<T>(step.out + i, (odd == odd ? total : odd) + some<T>(step.row + i, count), count);
    });
}

inline void shares(const double *alpha, const double *beta, const double *row, double loss, double *out, std::size_t length) {
    along_row<double>(length, [&](std::size_t i, std::size_t count) {
        put<double>(out + i, exponential<double>(some<double>(alpha + i, count) + some<double>(beta + i, count) - some<double>(row + i, count) + loss), count);
    });
}

template <class T> void less_shares(const void *x, const double *totals, void *out, std::size_t length) {
    const T *from = static_cast<const T *>(x);
    T *to = static_cast<T *>(out);
    along_row<T>(length, [&](std::size_t i, std::size_t count) {
        V<T> seen = some<T>(from + i, count), taken{};
        for (std::size_t lane = 0; lane < count; lane++) taken[lane] = static_cast<T>(totals[i + lane]);
        V<T> left = exponential<T>(seen) - taken;
        put<T>(to + i, seen == -std::numeric_limits<T>::infinity() ? all<T>(std::numeric_limits<T>::quiet_NaN()) : left, count);
    });
}
