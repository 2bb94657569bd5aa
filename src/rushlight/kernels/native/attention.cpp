// Attention of heads (count, length, width), and its gradients: a block of rows of scores at a time, of which the weights are never
// kept. Blocks are of a size that the second cache holds, whatever the number of threads.
#include <algorithm>
#include <atomic>

#include "functions.h"
#include "memory.h"
#include "pool.h"
#include "products.h"

namespace rushlight {
namespace {

constexpr std::size_t BLOCK_NUMBERS = 1 << 15, MOST_ROWS = 64;  // of scores
constexpr double COST = 0.03, WEIGHT_COST = 1.5;                // of a multiplication and of a weight, in nanoseconds, about

struct Heads {
    std::size_t batch, heads, queries, keys, width;
    std::size_t masks[3];  // of the mask: how many of batch, heads and queries it has, all or 1; 0 where there is none
    bool is_causal;
    double scale;

    std::size_t count() const { return batch * heads; }
    // Rows of a block; the last has fewer.
    std::size_t rows() const { return std::min(queries, std::max<std::size_t>(TOGETHER, std::min(MOST_ROWS, BLOCK_NUMBERS / keys / TOGETHER * TOGETHER))); }
    std::size_t blocks() const { return (queries + rows() - 1) / rows(); }
    double cost(std::size_t products) const {
        return static_cast<double>(rows() * keys) * (static_cast<double>(products * width) * COST + WEIGHT_COST);
    }
    std::size_t mask_row(std::size_t head, std::size_t query) const {
        std::size_t sample = masks[0] == 1 ? 0 : head / heads, of_sample = masks[1] == 1 ? 0 : head % heads;
        return ((sample * masks[1] + of_sample) * masks[2] + (masks[2] == 1 ? 0 : query)) * keys;
    }
};

// Rows of all heads, wherever they lie.
template <class T> struct Side {
    const T *data;
    std::ptrdiff_t sample, head, row;

    explicit Side(const Array &array) : data(static_cast<const T *>(array.data())), sample(array.stride(0)), head(array.stride(1)), row(array.stride(2)) {}
    const T *at(const Heads &sizes, std::size_t number, std::size_t first = 0) const {
        return data + static_cast<std::ptrdiff_t>(number / sizes.heads) * sample + static_cast<std::ptrdiff_t>(number % sizes.heads) * head + static_cast<std::ptrdiff_t>(first) * row;
    }
};

// Whether all rows of a head are finite.
template <class T> bool is_finite(const Heads &sizes, const Side<T> &side, std::size_t head, std::size_t count) {
    constexpr std::size_t L = 16;
    T zeros[L] = {};  // or nan
    for (std::size_t row = 0; row < count; row++) {
        const T *x = side.at(sizes, head, row);
        std::size_t i = 0;
        for (; i + L <= sizes.width; i += L)
            for (std::size_t lane = 0; lane < L; lane++) zeros[lane] += x[i + lane] * T(0);
        for (; i < sizes.width; i++) zeros[0] += x[i] * T(0);
    }
    return std::all_of(zeros, zeros + L, [](T zero) { return zero == T(0); });
}

// Which keys a block of queries sees, and so what of its products is worked on: causal ones none after their own, but that nan and
// infinities show, as a weight of 0 times them is nan.
struct Sight {
    std::size_t first, keys, width;  // the first query
    bool is_short;

    // Of a group of queries.
    std::size_t end(std::size_t group) const { return is_short ? std::min(keys, first + group + TOGETHER) : keys; }
    Part scores(std::size_t group) const { return {0, width, end(group)}; }
    Part sums(std::size_t group) const { return {0, end(group), width}; }
    // Of a group of keys, by `count` queries.
    Part transposed(std::size_t group, std::size_t count) const { return {is_short && group > first ? group - first : 0, count, width}; }
    std::size_t keys_of(std::size_t count) const { return end(count - 1 - (count - 1) % TOGETHER); }
};

template <class T> struct Given {
    Side<T> query, key, value;
    const T *mask;
};

// What a block of queries is worked on in: the keys of a head as columns, the queries, and the weights.
template <class T> struct Room {
    const Set &set;
    const Heads &sizes;
    Lines<T> key_columns;
    Factors<T> queries, weight_rows;
    Memory<T> weights;

    Room(const Set &set, const Heads &sizes)
        : set(set), sizes(sizes), key_columns(sizes.width, sizes.keys), queries(sizes.rows(), sizes.width), weight_rows(sizes.rows(), sizes.keys), weights(key_columns.room(sizes.rows())) {}
    explicit operator bool() const { return key_columns && queries.held && weight_rows.held && weights; }
    std::ptrdiff_t pitch() const { return static_cast<std::ptrdiff_t>(key_columns.pitch); }

    AttentionRow row(const T *mask, std::size_t head, const Sight &sight, std::size_t number) const {
        std::size_t query = sight.first + number, seen = sizes.is_causal ? std::min(sizes.keys, query + 1) : sizes.keys;
        return {weights.get() + number * key_columns.pitch, nullptr, mask ? mask + sizes.mask_row(head, query) : nullptr, sight.end(number / TOGETHER * TOGETHER), seen, sizes.scale};
    }
    // The weights of `count` queries.
    void find_weights(const Given<T> &given, std::size_t head, const Sight &sight, std::size_t count) {
        queries.rows = weight_rows.rows = count;
        queries.set_rows(given.query.at(sizes, head, sight.first), given.query.row);
        key_columns.multiply(set, queries, weights.get(), [&](std::size_t group) { return sight.scores(group); });
        for (std::size_t i = 0; i < count; i++) set.attention_weights[sizeof(T) == 8](row(given.mask, head, sight, i));
    }
    // The sums of lines by the weights, or by their slopes.
    void sum(const Lines<T> &lines, const T *by, const Sight &sight, T *results) {
        auto part = [&](std::size_t group) { return sight.sums(group); };
        weight_rows.set_rows(by, pitch(), part);
        lines.multiply(set, weight_rows, results, part);
    }
};

template <class T> void copy_rows(const T *from, std::size_t pitch, std::size_t count, std::size_t width, T *to) {
    for (std::size_t i = 0; i < count; i++) std::copy(from + i * pitch, from + i * pitch + width, to + i * width);
}

template <class T> bool attend(const Set &set, const Heads &sizes, const Given<T> &given, T *out) {
    std::atomic<bool> failed{false};
    std::size_t blocks = sizes.blocks(), width = sizes.width;
    share(sizes.count() * blocks, 1, sizes.cost(2), [&](std::size_t from, std::size_t to) {
        Room<T> room(set, sizes);
        Lines<T> values(sizes.keys, width);
        Memory<T> results(values.room(sizes.rows()));
        if (!room || !values || !results) {
            failed = true;
            return;
        }
        bool is_short = false;
        for (std::size_t task = from; task < to; task++) {
            std::size_t head = task / blocks, first = task % blocks * sizes.rows(), count = std::min(sizes.rows(), sizes.queries - first);
            if (task == from || task % blocks == 0) {
                room.key_columns.fill_with_columns(given.key.at(sizes, head), given.key.row);
                values.fill_with_rows(given.value.at(sizes, head), given.value.row);
                is_short = sizes.is_causal && !given.mask && is_finite(sizes, given.value, head, sizes.keys);
            }
            Sight sight{first, sizes.keys, width, is_short};
            room.find_weights(given, head, sight, count);
            room.sum(values, room.weights.get(), sight, results.get());
            copy_rows(results.get(), values.pitch, count, width, out + (head * sizes.queries + first) * width);
        }
    });
    return !failed;
}

template <class T> struct Gradients {
    T *query, *key, *value;
};

// What the way back needs besides.
template <class T> struct RoomBack {
    const Set &set;
    const Heads &sizes;
    Lines<T> value_columns, key_rows, block;
    Factors<T> given, transposed;
    Memory<T> slopes, results;

    RoomBack(const Set &set, const Heads &sizes)
        : set(set), sizes(sizes), value_columns(sizes.width, sizes.keys), key_rows(sizes.keys, sizes.width), block(sizes.rows(), sizes.width), given(sizes.rows(), sizes.width),
          transposed(sizes.keys, sizes.rows()), slopes(value_columns.room(sizes.rows())), results(key_rows.room(std::max(sizes.rows(), sizes.keys))) {}
    explicit operator bool() const { return value_columns && key_rows && block && given.held && transposed.held && slopes && results; }

    // Adds to gradients of a head (keys, width) the transpose of a block's weights, or of their slopes, by `count` rows.
    void add_transposed(const T *weights, const T *rows, std::ptrdiff_t apart, const Sight &sight, std::size_t count, T *to) {
        auto part = [&](std::size_t group) { return sight.transposed(group, count); };
        transposed.terms = block.terms = count, transposed.rows = sight.keys_of(count);
        transposed.set_terms(weights, value_columns.pitch, part);
        block.fill_with_rows(rows, apart);
        block.multiply(set, transposed, results.get(), part);
        const T *from = results.get();
        for (std::size_t i = 0; i < transposed.rows; i++, from += block.pitch, to += sizes.width)
            for (std::size_t j = 0; j < sizes.width; j++) to[j] += from[j];
    }
};

// One head after another: their gradients are sums over its blocks, in order.
template <class T> bool attend_back(const Set &set, const Heads &sizes, const Given<T> &given, const Side<T> &g, const Gradients<T> &gradients) {
    std::atomic<bool> failed{false};
    std::size_t width = sizes.width, keys = sizes.keys, rows = sizes.rows();
    share(sizes.count(), 1, sizes.cost(5) * static_cast<double>(sizes.blocks()), [&](std::size_t from, std::size_t to) {
        Room<T> room(set, sizes);
        RoomBack<T> back(set, sizes);
        if (!room || !back) {
            failed = true;
            return;
        }
        for (std::size_t head = from; head < to; head++) {
            T *for_key = gradients.key + head * keys * width, *for_value = gradients.value + head * keys * width;
            room.key_columns.fill_with_columns(given.key.at(sizes, head), given.key.row);
            back.value_columns.fill_with_columns(given.value.at(sizes, head), given.value.row);
            back.key_rows.fill_with_rows(given.key.at(sizes, head), given.key.row);
            std::fill(for_key, for_key + keys * width, T(0)), std::fill(for_value, for_value + keys * width, T(0));
            bool is_short = sizes.is_causal && !given.mask && is_finite(sizes, given.key, head, keys) && is_finite(sizes, given.value, head, keys) &&
                            is_finite(sizes, given.query, head, sizes.queries) && is_finite(sizes, g, head, sizes.queries);
            for (std::size_t first = 0; first < sizes.queries; first += rows) {
                std::size_t count = std::min(rows, sizes.queries - first);
                Sight sight{first, keys, width, is_short};
                room.find_weights(given, head, sight, count);
                back.add_transposed(room.weights.get(), g.at(sizes, head, first), g.row, sight, count, for_value);
                back.given.rows = count;
                back.given.set_rows(g.at(sizes, head, first), g.row);
                back.value_columns.multiply(set, back.given, back.slopes.get(), [&](std::size_t group) { return sight.scores(group); });
                for (std::size_t i = 0; i < count; i++) {
                    AttentionRow row = room.row(nullptr, head, sight, i);
                    row.g = back.slopes.get() + i * back.value_columns.pitch;
                    set.attention_slopes[sizeof(T) == 8](row);
                }
                room.sum(back.key_rows, back.slopes.get(), sight, back.results.get());
                copy_rows(back.results.get(), back.key_rows.pitch, count, width, gradients.query + (head * sizes.queries + first) * width);
                back.add_transposed(back.slopes.get(), given.query.at(sizes, head, first), given.query.row, sight, count, for_key);
            }
        }
    });
    return !failed;
}

// Sizes are batch, heads, queries, keys, width, what the mask has of the first three, and whether it is causal. False where Python has
// been told what is wrong with them.
bool read(PyObject *numbers, PyObject *scale, Heads &heads) {
    std::size_t sizes[9];
    if (!get_sizes(numbers, sizes)) return false;
    heads = {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], {sizes[5], sizes[6], sizes[7]}, sizes[8] != 0, PyFloat_AsDouble(scale)};
    return !PyErr_Occurred();
}

// Query, key, value and mask, and how many numbers the first two have.
struct Inputs {
    Array query, key, value, mask;
    std::size_t queries = 0, keys = 0;

    // Whether they are as the sizes say, and what they are worked on in can be counted.
    bool get(PyObject *const *args, const Heads &sizes) {
        std::size_t of_query[4] = {sizes.batch, sizes.heads, sizes.queries, sizes.width}, of_key[4] = {sizes.batch, sizes.heads, sizes.keys, sizes.width};
        queries = product({of_query[0], of_query[1], of_query[2], of_query[3]}), keys = product({of_key[0], of_key[1], of_key[2], of_key[3]});
        if (!queries || !keys || !product({sizes.keys, MOST_ROWS, 64}) || !product({sizes.keys + 512, sizes.width + 512, 64})) return false;
        if (!query.get_rows(args[0], of_query) || !key.get_rows(args[1], of_key) || !value.get_rows(args[2], of_key) || !mask.get(args[3], false, true)) return false;
        if (key.kind != query.kind || value.kind != query.kind) return false;
        if (!mask) return true;
        for (int axis = 0; axis < 3; axis++)
            if (sizes.masks[axis] != 1 && sizes.masks[axis] != of_query[axis]) return false;
        return fits(mask, product({sizes.masks[0], sizes.masks[1], sizes.masks[2], sizes.keys}));
    }
    bool fits(const Array &array, std::size_t size) const { return array.kind == query.kind && array.is_aligned() && array.size() == size; }
    template <class T> Given<T> given() const { return {Side<T>(query), Side<T>(key), Side<T>(value), static_cast<const T *>(mask.data())}; }
};

// (out, query, key, value, mask or None, scale, sizes): rows of query, key and value may be apart.
PyObject *attention(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 7)) return nullptr;
    Heads sizes;
    if (!read(args[6], args[5], sizes)) return nullptr;
    Array out;
    Inputs inputs;
    if (!inputs.get(args + 1, sizes) || !out.get(args[0], true) || !inputs.fits(out, inputs.queries)) Py_RETURN_FALSE;
    bool done = false;
    auto work = [&](auto zero) {
        using T = decltype(zero);
        done = attend<T>(*in_use.load(), sizes, inputs.given<T>(), static_cast<T *>(out.data()));
    };
    unlocked(GIVES_LOCK_AWAY, [&] { out.is_double() ? work(0.0) : work(0.0f); });
    if (!done) return PyErr_NoMemory();
    Py_RETURN_TRUE;
}

// (for_query, for_key, for_value, g, query, key, value, mask or None, scale, sizes)
PyObject *attention_backward(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 10)) return nullptr;
    Heads sizes;
    if (!read(args[9], args[8], sizes)) return nullptr;
    Array for_query, for_key, for_value, g;
    Inputs inputs;
    std::size_t of_query[4] = {sizes.batch, sizes.heads, sizes.queries, sizes.width};
    if (!inputs.get(args + 4, sizes) || !g.get_rows(args[3], of_query) || g.kind != inputs.query.kind) Py_RETURN_FALSE;
    if (!for_query.get(args[0], true) || !for_key.get(args[1], true) || !for_value.get(args[2], true)) Py_RETURN_FALSE;
    if (!inputs.fits(for_query, inputs.queries) || !inputs.fits(for_key, inputs.keys) || !inputs.fits(for_value, inputs.keys)) Py_RETURN_FALSE;
    bool done = false;
    auto work = [&](auto zero) {
        using T = decltype(zero);
        Gradients<T> gradients{static_cast<T *>(for_query.data()), static_cast<T *>(for_key.data()), static_cast<T *>(for_value.data())};
        done = attend_back<T>(*in_use.load(), sizes, inputs.given<T>(), Side<T>(g), gradients);
    };
    unlocked(GIVES_LOCK_AWAY, [&] { g.is_double() ? work(0.0) : work(0.0f); });
    if (!done) return PyErr_NoMemory();
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef attention_functions[] = {
    fast("attention", attention),
    fast("attention_backward", attention_backward),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
