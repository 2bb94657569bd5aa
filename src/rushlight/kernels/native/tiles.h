// Tiles of products: of convolutions with many channels (convolution_tiles.cpp).

// As many sums side by side as there are registers for, of two vectors each.
constexpr std::size_t ABREAST = WIDTH == 64 ? 8 : 6;

template <class T, std::size_t VECTORS, bool ADDS>
inline void tile(const T *lines, const std::size_t *places, const std::size_t *steps, std::size_t count, const T *weights, std::size_t rows, void *out) {
    constexpr std::size_t L = LANES<T>;
    const T *from[ABREAST];
    for (std::size_t r = 0; r < ABREAST; r++) from[r] = lines + places[r < rows ? r : 0];
    V<T> sums[ABREAST][VECTORS] = {};
    for (std::size_t s = 0; s < count; s++, weights += VECTORS * L) {
        V<T> weight[VECTORS];
        for (std::size_t v = 0; v < VECTORS; v++) weight[v] = load<T>(weights + v * L);
        for (std::size_t r = 0; r < ABREAST; r++)
            for (std::size_t v = 0; v < VECTORS; v++) sums[r][v] += weight[v] * from[r][steps[s]];
    }
    for (std::size_t r = 0; r < rows; r++)
        for (std::size_t v = 0; v < VECTORS; v++) {
            std::size_t at = (r * VECTORS + v) * L;
            if constexpr (ADDS) {
                T numbers[L];
                store<T>(numbers, sums[r][v]);
                for (std::size_t i = 0; i < L; i++) static_cast<double *>(out)[at + i] += static_cast<double>(numbers[i]);
            } else {
                store<T>(static_cast<T *>(out) + at, sums[r][v]);
            }
        }
}

template <class T, std::size_t VECTORS, bool ADDS> void tiles_of(const Tiles &all) {
    std::size_t itemsize = ADDS ? sizeof(double) : sizeof(T);
    for (std::size_t r = 0; r < all.rows; r += ABREAST)
        tile<T, VECTORS, ADDS>(static_cast<const T *>(all.lines), all.places + r, all.steps, all.count, static_cast<const T *>(all.weights), std::min(ABREAST, all.rows - r),
                               static_cast<char *>(all.out) + r * VECTORS * LANES<T> * itemsize);
}

template <class T> void tiles(const Tiles &all) {
    if (all.adds) all.vectors == 2 ? tiles_of<T, 2, true>(all) : tiles_of<T, 1, true>(all);
    else all.vectors == 2 ? tiles_of<T, 2, false>(all) : tiles_of<T, 1, false>(all);
}
