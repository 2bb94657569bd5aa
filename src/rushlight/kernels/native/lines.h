// Products of lines, of which convolutions are made.

// VECTORS of each output, from `p` on.
template <class T, std::size_t OUTPUTS, std::size_t VECTORS>
inline void products_at(std::size_t p, const T *lines, const std::size_t *offsets, std::size_t terms, const T *weight, T *out, std::size_t pitch) {
    constexpr std::size_t L = LANES<T>;
    V<T> sums[OUTPUTS][VECTORS] = {};
    for (std::size_t term = 0; term < terms; term++, weight += OUTPUTS) {
        const T *from = lines + offsets[term] + p;
        V<T> seen[VECTORS];
        for (std::size_t v = 0; v < VECTORS; v++) seen[v] = load<T>(from + v * L);
        for (std::size_t o = 0; o < OUTPUTS; o++)
            for (std::size_t v = 0; v < VECTORS; v++) sums[o][v] += seen[v] * weight[o];
    }
    for (std::size_t o = 0; o < OUTPUTS; o++)
        for (std::size_t v = 0; v < VECTORS; v++) store<T>(out + o * pitch + p + v * L, sums[o][v]);
}

// As many vectors at a time as there are registers for, and of the rest as few as there are.
template <class T, std::size_t OUTPUTS, std::size_t VECTORS>
void products_of(const T *lines, const std::size_t *offsets, std::size_t terms, const T *weights, std::size_t length, T *out, std::size_t pitch) {
    constexpr std::size_t L = LANES<T>;
    std::size_t p = 0;
    for (; p + (VECTORS - 1) * L < length; p += VECTORS * L) products_at<T, OUTPUTS, VECTORS>(p, lines, offsets, terms, weights, out, pitch);
    for (; p + L < length; p += 2 * L) products_at<T, OUTPUTS, 2>(p, lines, offsets, terms, weights, out, pitch);
    if (p < length) products_at<T, OUTPUTS, 1>(p, lines, offsets, terms, weights, out, pitch);
}

template <class T>
void products(const void *lines, const std::size_t *offsets, std::size_t terms, const void *weights, std::size_t outputs, std::size_t length, void *out, std::size_t pitch) {
    const T *from = static_cast<const T *>(lines), *weight = static_cast<const T *>(weights);
    T *to = static_cast<T *>(out);
    if (outputs == 4) products_of<T, 4, 3>(from, offsets, terms, weight, length, to, pitch);
    else if (outputs == 2) products_of<T, 2, 4>(from, offsets, terms, weight, length, to, pitch);
    else products_of<T, 1, 8>(from, offsets, terms, weight, length, to, pitch);
}

// Of TERMS lines with OUTPUTS: as many sums side by side as there are registers.
template <class T, std::size_t OUTPUTS, std::size_t TERMS>
inline void dots_of(const T *g, std::size_t pitch, const T *lines, const std::size_t *offsets, std::size_t length, double *sums, std::size_t terms) {
    constexpr std::size_t L = LANES<T>;
    V<T> totals[OUTPUTS][TERMS] = {};
    const T *from[TERMS];
    for (std::size_t term = 0; term < TERMS; term++) from[term] = lines + offsets[term];
    for (std::size_t p = 0; p < length; p += L) {
        V<T> given[OUTPUTS];
        for (std::size_t o = 0; o < OUTPUTS; o++) given[o] = load<T>(g + o * pitch + p);
        for (std::size_t term = 0; term < TERMS; term++) {
            V<T> seen = load<T>(from[term] + p);
            for (std::size_t o = 0; o < OUTPUTS; o++) totals[o][term] += given[o] * seen;
        }
    }
    for (std::size_t o = 0; o < OUTPUTS; o++)
        for (std::size_t term = 0; term < TERMS; term++) sums[o * terms + term] += static_cast<double>(across<T>(totals[o][term]));
}

template <class T>
void dots(const void *g, std::size_t pitch, std::size_t outputs, const void *lines, const std::size_t *offsets, std::size_t terms, std::size_t length, double *sums) {
    const T *given = static_cast<const T *>(g), *from = static_cast<const T *>(lines);
    std::size_t term = 0;
    if (outputs == 4) {
        for (; term + 3 <= terms; term += 3) dots_of<T, 4, 3>(given, pitch, from, offsets + term, length, sums + term, terms);
        for (; term < terms; term++) dots_of<T, 4, 1>(given, pitch, from, offsets + term, length, sums + term, terms);
    } else {
        for (; term + 9 <= terms; term += 9) dots_of<T, 1, 9>(given, pitch, from, offsets + term, length, sums + term, terms);
        for (; term + 3 <= terms; term += 3) dots_of<T, 1, 3>(given, pitch, from, offsets + term, length, sums + term, terms);
        for (; term < terms; term++) dots_of<T, 1, 1>(given, pitch, from, offsets + term, length, sums + term, terms);
    }
}
