// Places of a grid that are worked on together in their images' planes, and the transpose of that: what one instruction set does.

constexpr double CUBIC = -0.75;

// Of a block of places the taps along one axis: where they are in the frame, and their weights or the derivatives of these.
template <class T> struct Axis {
    std::size_t taps = 1;
    std::int32_t index[4][GRID_BLOCK] = {};
    T weights[4][GRID_BLOCK];

    Axis() { std::fill(weights[0], weights[0] + GRID_BLOCK, T(1)); }
};

// Thrown back at the borders of the image until it lies within.
template <class T> T reflected(T position, std::size_t size, bool align_corners, T &slope) {
    T low = align_corners ? T(0) : T(-0.5), high = static_cast<T>(size) - (align_corners ? T(1) : T(0.5)), span = high - low;
    if (span == 0) return slope = 0;
    T distance = position - low;
    slope = distance < 0 ? T(-1) : T(1);
    distance = std::abs(distance);
    T turns = std::floor(distance / span), rest = distance - turns * span;
    if (std::fmod(turns, T(2)) != 1) return rest + low;
    slope = -slope;
    return high - rest;
}

// Positions brought inside as the padding says, and the slopes of that.
template <class T> void pad(const Grid &grid, std::size_t size, T *positions, T *slopes) {
    T last = static_cast<T>(size) - 1;
    for (std::size_t i = 0; i < GRID_BLOCK; i++) slopes[i] = 1;
    if (grid.padding == ZEROS) {  // what is neither here nor there is weighed in two dimensions, and passed over in three
        for (std::size_t i = 0; i < GRID_BLOCK && grid.rank == 3; i++) positions[i] = positions[i] - positions[i] == 0 ? positions[i] : T(-GRID_FRAME);
        return;
    }
    for (std::size_t i = 0; i < GRID_BLOCK && grid.padding == REFLECTION; i++) positions[i] = reflected(positions[i], size, grid.align_corners, slopes[i]);
    for (std::size_t i = 0; i < GRID_BLOCK; i++) {
        T position = positions[i];
        slopes[i] = position > 0 && position < last ? slopes[i] : T(0);
        positions[i] = position > 0 ? (position < last ? position : last) : T(0);  // nan becomes 0
    }
}

// Of positions the whole numbers below, or their distance of the frame's edge, and what is left from there; nan where a position is none.
template <class T> void find_below(const T *positions, std::size_t size, std::int32_t *index, T *rest) {
    using Whole = typename Part<std::int32_t, LANES<T> * sizeof(std::int32_t)>::Lanes;
    T low = T(-GRID_FRAME), edge = static_cast<T>(size);
    for (std::size_t i = 0; i < GRID_BLOCK; i += LANES<T>) {
        V<T> at = load<T>(positions + i), held = at > low ? at : all<T>(low);
        held = held < edge ? held : all<T>(edge);
        Whole whole = __builtin_convertvector(held, Whole);
        whole += __builtin_convertvector(held < __builtin_convertvector(whole, V<T>), Whole);
        V<T> left = at - __builtin_convertvector(whole, V<T>);
        store<T>(rest + i, (at >= low) & (at < edge) ? left : at - at);
        whole += GRID_FRAME;
        __builtin_memcpy(index + i, &whole, sizeof whole);
    }
}

template <class T> T cubic(T distance, std::size_t order) {
    constexpr T A = T(CUBIC);
    T d = std::abs(distance);
    if (order == 0) return d <= 1 ? ((A + 2) * d - (A + 3)) * d * d + 1 : ((A * d - 5 * A) * d + 8 * A) * d - 4 * A;
    return (distance < 0 ? T(-1) : T(1)) * (d <= 1 ? (3 * (A + 2) * d - 2 * (A + 3)) * d : (3 * A * d - 10 * A) * d + 8 * A);
}

template <class T> void find_axis(const Grid &grid, const T *from, std::size_t size, std::size_t order, Axis<T> &axis) {
    T scale = static_cast<T>(grid.scale(size)), positions[GRID_BLOCK], moved[GRID_BLOCK], slopes[GRID_BLOCK], rest[GRID_BLOCK];
    std::copy(from, from + GRID_BLOCK, positions);
    if (grid.mode == BICUBIC) {
        axis.taps = 4;
        for (int tap = 0; tap < 4; tap++) {
            for (std::size_t i = 0; i < GRID_BLOCK; i++) {
                T first = std::floor(positions[i]), distance = positions[i] - first - T(tap - 1);
                axis.weights[tap][i] = cubic(distance, order) * (order ? scale : T(1));
                moved[i] = first + T(tap - 1);
            }
            pad(grid, size, moved, slopes);
            find_below(moved, size, axis.index[tap], rest);
        }
        return;
    }
    pad(grid, size, positions, slopes);
    if (grid.mode == NEAREST) {
        for (std::size_t i = 0; i < GRID_BLOCK; i++) positions[i] = std::nearbyint(positions[i]);
        find_below(positions, size, axis.index[0], rest);
        return;
    }
    axis.taps = 2;
    find_below(positions, size, axis.index[0], rest);
    for (std::size_t i = 0; i < GRID_BLOCK; i++) axis.index[1][i] = axis.index[0][i] + 1;
    for (std::size_t i = 0; i < GRID_BLOCK; i++) {
        axis.weights[1][i] = order ? slopes[i] * scale : rest[i];
        axis.weights[0][i] = order ? -slopes[i] * scale : 1 - rest[i];
    }
}

template <class T> struct Taps {
    std::size_t count = 0;
    std::int32_t index[16][GRID_BLOCK];
    T weights[16][GRID_BLOCK];

    Taps(const Grid &grid, const GridBlock &block) {
        Axis<T> axes[3];
        for (std::size_t coordinate = 0; coordinate < grid.rank; coordinate++)
            find_axis(grid, static_cast<const T *>(block.positions) + coordinate * GRID_BLOCK, grid.spatial[2 - coordinate], grid.orders[coordinate], axes[2 - coordinate]);
        auto depth = static_cast<std::int32_t>(block.frame[1]), width = static_cast<std::int32_t>(block.frame[2]);
        for (std::size_t z = 0; z < axes[0].taps; z++)
            for (std::size_t y = 0; y < axes[1].taps; y++)
                for (std::size_t x = 0; x < axes[2].taps; x++, count++)
                    for (std::size_t i = 0; i < GRID_BLOCK; i++) {
                        index[count][i] = (axes[0].index[z][i] * depth + axes[1].index[y][i]) * width + axes[2].index[x][i];
                        weights[count][i] = axes[0].weights[z][i] * axes[1].weights[y][i] * axes[2].weights[x][i];
                    }
    }
    template <std::size_t COUNT> void read(const T *image, T *values, std::size_t block) const {
        for (std::size_t i = 0; i < block; i++) {
            T total = 0;
            for (std::size_t tap = 0; tap < COUNT; tap++) total += image[index[tap][i]] * weights[tap][i];
            values[i] = total;
        }
    }
    template <std::size_t COUNT> void add(T *image, const T *values, std::size_t block) const {
        for (std::size_t i = 0; i < block; i++)
            for (std::size_t tap = 0; tap < COUNT; tap++) image[index[tap][i]] += values[i] * weights[tap][i];
    }
    template <bool BACK, std::size_t COUNT> void go(T *image, T *values, std::size_t block) const {
        if constexpr (BACK) add<COUNT>(image, values, block);
        else read<COUNT>(image, values, block);
    }
    template <bool BACK> void all(T *image, T *values, std::size_t block) const {
        if (count == 1) go<BACK, 1>(image, values, block);
        else if (count == 4) go<BACK, 4>(image, values, block);
        else if (count == 8) go<BACK, 8>(image, values, block);
        else go<BACK, 16>(image, values, block);
    }
};

template <class T, bool BACK> void grid_block(const Grid &grid, const GridBlock &block) {
    Taps<T> taps(grid, block);
    for (std::size_t c = 0; c < grid.channels; c++)
        taps.template all<BACK>(static_cast<T *>(block.framed) + c * block.size, static_cast<T *>(block.values) + c * grid.places, block.count);
}
