// Maxima and means over boxes of planes.

// One number of every `stride`, of as many as a vector holds: no memory behind the last of them is read.
template <class T> inline V<T> every(const T *from, std::size_t stride) {
    if (stride == 1) return load<T>(from);
    V<T> out;
#if !defined(__clang__)
    if (stride == 2) {
        typename Traits<T>::I even;
        for (std::size_t i = 0; i < LANES<T>; i++) even[i] = static_cast<typename Traits<T>::Int>(i < LANES<T> / 2 ? 2 * i : 2 * i + 1);
        return __builtin_shuffle(load<T>(from), load<T>(from + LANES<T> - 1), even);
    }
#endif
    for (std::size_t i = 0; i < LANES<T>; i++) out[i] = from[i * stride];
    return out;
}

// f(line of the box, where it is in the plane) for each line of a box, in order.
template <class F> inline void each_line(const Boxes &boxes, std::size_t z, std::size_t y, F f) {
    for (auto depth = static_cast<std::size_t>(boxes.begin[0][z]); depth < static_cast<std::size_t>(boxes.end[0][z]); depth += boxes.step[0])
        for (auto height = static_cast<std::size_t>(boxes.begin[1][y]); height < static_cast<std::size_t>(boxes.end[1][y]); height += boxes.step[1])
            f((depth * boxes.in[1] + height) * boxes.in[2]);
}

// f(first window of a line of windows, z, y) for each line.
template <class F> inline void each_line_of_windows(const Boxes &boxes, F f) {
    for (std::size_t z = 0; z < boxes.out[0]; z++)
        for (std::size_t y = 0; y < boxes.out[1]; y++) f((z * boxes.out[1] + y) * boxes.out[2], z, y);
}

// one(i) for each window of a line, or vector(i) for as many as a vector holds: the last of these may begin among those of the one before.
template <class T, class One, class Vector> inline void along_windows(const Boxes &boxes, One one, Vector vector) {
    std::size_t first = boxes.regular[0], last = boxes.regular[1], i = 0;
    if (last - first >= LANES<T>) {
        for (; i < first; i++) one(i);
        for (; i + LANES<T> <= last; i += LANES<T>) vector(i);
        if (i < last) vector(last - LANES<T>);
        i = last;
    }
    for (; i < boxes.out[2]; i++) one(i);
}

// Of equals the first, of nan the last; a plane has fewer than 2 ** 31 numbers.
template <class T> inline void maximum(const Boxes &boxes, const T *x, std::size_t z, std::size_t y, std::size_t window, T *out, std::int64_t *index) {
    T best = -std::numeric_limits<T>::infinity();
    auto begin = static_cast<std::size_t>(boxes.begin[2][window]), end = static_cast<std::size_t>(boxes.end[2][window]);
    std::size_t place = (static_cast<std::size_t>(boxes.begin[0][z]) * boxes.in[1] + static_cast<std::size_t>(boxes.begin[1][y])) * boxes.in[2] + begin;
    each_line(boxes, z, y, [&](std::size_t line) {
        for (std::size_t i = line + begin; i < line + end; i += boxes.step[2]) {
            bool is_next = x[i] > best || x[i] != x[i];
            best = is_next ? x[i] : best;
            place = is_next ? i : place;
        }
    });
    *out = best;
    *index = static_cast<std::int64_t>(place);
}

// Whole numbers of the vectors' kind as indices, `step` more for each lane than for the one before.
template <class T> inline void put_indices(std::int64_t *to, typename Traits<T>::I places, std::size_t step) {
    for (std::size_t lane = 0; lane < LANES<T>; lane++) to[lane] = static_cast<std::int64_t>(places[lane]) + static_cast<std::int64_t>(lane * step);
}

template <class T> inline void maxima(const Boxes &boxes, const T *x, std::size_t z, std::size_t y, std::size_t window, T *out, std::int64_t *index) {
    using I = typename Traits<T>::I;
    using Int = typename Traits<T>::Int;
    auto begin = static_cast<std::size_t>(boxes.begin[2][window]), taps = static_cast<std::size_t>(boxes.end[2][window]) - begin;
    V<T> best = all<T>(-std::numeric_limits<T>::infinity());
    I place = I{} + static_cast<Int>((static_cast<std::size_t>(boxes.begin[0][z]) * boxes.in[1] + static_cast<std::size_t>(boxes.begin[1][y])) * boxes.in[2] + begin);
    each_line(boxes, z, y, [&](std::size_t line) {
        for (std::size_t tap = 0; tap < taps; tap += boxes.step[2]) {
            V<T> seen = every<T>(x + line + begin + tap, boxes.stride);
            I is_next = (seen > best) | (seen != seen);
            best = is_next ? seen : best;
            place = is_next ? I{} + static_cast<Int>(line + begin + tap) : place;
        }
    });
    store<T>(out, best);
    put_indices<T>(index, place, boxes.stride);
}

// Of as many windows as a vector holds, wherever in a plane they lie: places[tap * windows] are those of a tap in each.
template <class T> inline void maxima_at(const T *x, const std::int32_t *places, std::size_t taps, std::size_t windows, T *out, std::int64_t *index) {
    using I = typename Traits<T>::I;
    V<T> best = all<T>(-std::numeric_limits<T>::infinity()), seen{};
    I place{}, here{};
    for (std::size_t lane = 0; lane < LANES<T>; lane++) place[lane] = places[lane];
    for (std::size_t tap = 0; tap < taps; tap++, places += windows) {
        for (std::size_t lane = 0; lane < LANES<T>; lane++) seen[lane] = x[places[lane]], here[lane] = places[lane];
        I is_next = (seen > best) | (seen != seen);
        best = is_next ? seen : best;
        place = is_next ? here : place;
    }
    store<T>(out, best);
    put_indices<T>(index, place, 0);
}

template <class T> void box_maxima(const Boxes &boxes, std::size_t from, std::size_t to, void *) {
    for (std::size_t plane = from; plane < to; plane++) {
        const T *x = static_cast<const T *>(boxes.x) + plane * boxes.plane();
        T *values = static_cast<T *>(boxes.out_values) + plane * boxes.windows();
        std::int64_t *indices = boxes.indices + plane * boxes.windows();
        if (boxes.places) {
            std::size_t windows = boxes.windows(), i = 0;
            for (; i + LANES<T> <= windows; i += LANES<T>) maxima_at<T>(x, boxes.places + i, boxes.taps, windows, values + i, indices + i);
            i = windows - LANES<T>;
            if (windows % LANES<T>) maxima_at<T>(x, boxes.places + i, boxes.taps, windows, values + i, indices + i);
            continue;
        }
        each_line_of_windows(boxes, [&](std::size_t first, std::size_t z, std::size_t y) {
            T *out = values + first;
            std::int64_t *index = indices + first;
            along_windows<T>(
                boxes, [&](std::size_t i) { maximum<T>(boxes, x, z, y, i, out + i, index + i); },
                [&](std::size_t i) { maxima<T>(boxes, x, z, y, i, out + i, index + i); });
        });
    }
}

// What a mean works in: the sums of lines, and how much windows count along the width.
template <class T> struct MeanRoom {
    T *sums, *counts;
    const Boxes &boxes;

    MeanRoom(const Boxes &boxes, void *room) : sums(static_cast<T *>(room)), counts(sums + boxes.in[2]), boxes(boxes) {
        for (std::size_t i = 0; i < boxes.out[2]; i++) counts[i] = static_cast<T>(boxes.count[2][i]);
    }
    void clear() const {
        for (std::size_t i = 0; i < boxes.in[2]; i++) sums[i] = 0;
    }
    T around(std::size_t z, std::size_t y) const { return static_cast<T>(static_cast<double>(boxes.count[0][z]) * static_cast<double>(boxes.count[1][y])); }
};

template <class T> inline void add_line(T *__restrict to, const T *__restrict from, std::size_t width) {
    for (std::size_t i = 0; i < width; i++) to[i] += from[i];
}

// The lines of a box are added up first, for all windows of a line together.
template <class T> void box_means(const Boxes &boxes, std::size_t from, std::size_t to, void *memory) {
    MeanRoom<T> room(boxes, memory);
    T *sums = room.sums;
    auto begin = [&](std::size_t i) { return static_cast<std::size_t>(boxes.begin[2][i]); };
    auto length = [&](std::size_t i) { return static_cast<std::size_t>(boxes.end[2][i] - boxes.begin[2][i]); };
    for (std::size_t plane = from; plane < to; plane++) {
        const T *x = static_cast<const T *>(boxes.x) + plane * boxes.plane();
        each_line_of_windows(boxes, [&](std::size_t first, std::size_t z, std::size_t y) {
            T *out = static_cast<T *>(boxes.out_values) + plane * boxes.windows() + first, around = room.around(z, y);
            room.clear();
            each_line(boxes, z, y, [&](std::size_t line) { add_line<T>(sums, x + line, boxes.in[2]); });
            auto mean = [&](std::size_t i) {
                const T *taps = sums + begin(i);
                T total = 0;
                if (length(i) >= 4 * LANES<T>)
                    total = static_cast<T>(sum_of_row<T>(length(i), [&](std::size_t tap, std::size_t count) { return some<T>(taps + tap, count); }));
                else
                    for (std::size_t tap = 0; tap < length(i); tap++) total += taps[tap];
                out[i] = total / (around * room.counts[i]);
            };
            auto means = [&](std::size_t i) {
                const T *taps = sums + begin(i);
                V<T> total = every<T>(taps, boxes.stride);
                for (std::size_t tap = 1; tap < length(i); tap++) total += every<T>(taps + tap, boxes.stride);
                store<T>(out + i, total / (around * load<T>(room.counts + i)));
            };
            along_windows<T>(boxes, mean, means);
        });
    }
}

// The transpose: x are the cotangents of windows, the values planes.
template <class T> void box_means_backward(const Boxes &boxes, std::size_t from, std::size_t to, void *memory) {
    MeanRoom<T> room(boxes, memory);
    for (std::size_t plane = from; plane < to; plane++) {
        T *out = static_cast<T *>(boxes.out_values) + plane * boxes.plane();
        for (std::size_t i = 0; i < boxes.plane(); i++) out[i] = 0;
        each_line_of_windows(boxes, [&](std::size_t first, std::size_t z, std::size_t y) {
            const T *given = static_cast<const T *>(boxes.x) + plane * boxes.windows() + first;
            T around = room.around(z, y);
            room.clear();
            for (std::size_t i = 0; i < boxes.out[2]; i++) {
                T share = given[i] / (around * room.counts[i]);
                for (auto place = boxes.begin[2][i]; place < boxes.end[2][i]; place++) room.sums[place] += share;
            }
            each_line(boxes, z, y, [&](std::size_t line) { add_line<T>(out + line, room.sums, boxes.in[2]); });
        });
    }
}
