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

template <class T> struct Given {
    const T *query, *key, *value, *mask, *g;
};

// What a block of queries is worked on in. `key` and `value` are lines of one head.
template <class T> struct Room {
    const Set &set;
    const Heads &sizes;
    Lines<T> key_columns;
    Memory<T> weights;

    Room(const Set &set, const Heads &sizes) : set(set), sizes(sizes), key_columns(sizes.width, sizes.keys), weights(key_columns.room(sizes.rows())) {}
    explicit operator bool() const { return key_columns && weights; }

    AttentionRow row(const T *mask, std::size_t head, std::size_t query, std::size_t number) const {
        std::size_t seen = sizes.is_causal ? std::min(sizes.keys, query + 1) : sizes.keys;
        return {weights.get() + number * key_columns.pitch, nullptr, mask ? mask + sizes.mask_row(head, query) : nullptr, sizes.keys, seen, sizes.scale};
    }
    // The weights of `count` queries from `first` on.
    bool find_weights(const Given<T> &given, std::size_t head, std::size_t first, std::size_t count) const {
        Factors<T> factors(count, sizes.width);
        if (!factors.held) return false;
        factors.set_rows(given.query + (head * sizes.queries + first) * sizes.width, sizes.width);
        key_columns.multiply(set, factors, weights.get());
        for (std::size_t i = 0; i < count; i++) set.attention_weights[sizeof(T) == 8](row(given.mask, head, first + i, i));
        return true;
    }
};

template <class T> void copy_rows(const T *from, std::size_t pitch, std::size_t count, std::size_t width, T *to) {
    for (std::size_t i = 0; i < count; i++) std::copy(from + i * pitch, from + i * pitch + width, to + i * width);
}

template <class T> bool attend(const Set &set, const Heads &sizes, const Given<T> &given, T *out) {
    std::atomic<bool> failed{false};
    std::size_t blocks = sizes.blocks(), width = sizes.width, keys = sizes.keys;
    share(sizes.count() * blocks, 1, sizes.cost(2), [&](std::size_t from, std::size_t to) {
        Room<T> room(set, sizes);
        Lines<T> values(keys, width);
        Memory<T> results(values.room(sizes.rows()));
        if (!room || !values || !results) failed = true;
        for (std::size_t task = from; task < to && !failed; task++) {
            std::size_t head = task / blocks, first = task % blocks * sizes.rows(), count = std::min(sizes.rows(), sizes.queries - first);
            if (task == from || task % blocks == 0) {
                room.key_columns.fill_with_columns(given.key + head * keys * width, width);
                values.fill_with_rows(given.value + head * keys * width, width);
            }
            Factors<T> factors(count, keys);
            if (!factors.held || !room.find_weights(given, head, first, count)) {
                failed = true;
                return;
            }
            factors.set_rows(room.weights.get(), room.key_columns.pitch);
            values.multiply(set, factors, results.get());
            copy_rows(results.get(), values.pitch, count, width, out + (head * sizes.queries + first) * width);
        }
    });
    return !failed;
}

template <class T> struct Gradients {
    T *query, *key, *value;
};

// Adds to gradients of one head (keys, width) what rows of a block bring: the transpose of `weights`, their factors, by `rows`.
template <class T> bool add_transposed(const Set &set, const T *weights, std::size_t pitch, const T *rows, std::size_t count, const Heads &sizes, T *results, T *to) {
    Factors<T> factors(sizes.keys, count);
    Lines<T> lines(count, sizes.width);
    if (!factors.held || !lines) return false;
    factors.set_terms(weights, pitch);
    lines.fill_with_rows(rows, sizes.width);
    lines.multiply(set, factors, results);
    for (std::size_t i = 0; i < sizes.keys; i++)
        for (std::size_t j = 0; j < sizes.width; j++) to[i * sizes.width + j] += results[i * lines.pitch + j];
    return true;
}

// One head after another: their gradients are sums over its blocks, in order.
template <class T> bool attend_back(const Set &set, const Heads &sizes, const Given<T> &given, const Gradients<T> &gradients) {
    std::atomic<bool> failed{false};
    std::size_t width = sizes.width, keys = sizes.keys, rows = sizes.rows();
    share(sizes.count(), 1, sizes.cost(5) * static_cast<double>(sizes.blocks()), [&](std::size_t from, std::size_t to) {
        Room<T> room(set, sizes);
        Lines<T> value_columns(width, keys), key_rows(keys, width);
        std::size_t pitch = room.key_columns.pitch;
        Memory<T> slopes(value_columns.room(rows)), results(key_rows.room(std::max(rows, keys)));
        if (!room || !value_columns || !key_rows || !slopes || !results) failed = true;
        for (std::size_t head = from; head < to && !failed; head++) {
            const T *key = given.key + head * keys * width, *value = given.value + head * keys * width;
            T *for_key = gradients.key + head * keys * width, *for_value = gradients.value + head * keys * width;
            room.key_columns.fill_with_columns(key, width), value_columns.fill_with_columns(value, width), key_rows.fill_with_rows(key, width);
            std::fill(for_key, for_key + keys * width, T(0)), std::fill(for_value, for_value + keys * width, T(0));
            for (std::size_t first = 0; first < sizes.queries && !failed; first += rows) {
                std::size_t count = std::min(rows, sizes.queries - first), place = (head * sizes.queries + first) * width;
                Factors<T> of_g(count, width), of_scores(count, keys);
                bool done = of_g.held && of_scores.held && room.find_weights(given, head, first, count);
                if (done) {
                    of_g.set_rows(given.g + place, width);
                    value_columns.multiply(set, of_g, slopes.get());
                    done = add_transposed(set, room.weights.get(), pitch, given.g + place, count, sizes, results.get(), for_value);
                }
                for (std::size_t i = 0; i < count && done; i++) {
                    AttentionRow row = room.row(given.mask, head, first + i, i);
                    row.g = slopes.get() + i * pitch;
                    set.attention_slopes[sizeof(T) == 8](row);
                }
                if (done) {
                    of_scores.set_rows(slopes.get(), pitch);
                    key_rows.multiply(set, of_scores, results.get());
                    copy_rows(results.get(), key_rows.pitch, count, width, gradients.query + place);
                    done = add_transposed(set, slopes.get(), pitch, given.query + place, count, sizes, results.get(), for_key);
                }
                if (!done) failed = true;
            }
        }
    });
    return !failed;
}

// Sizes are batch, heads, queries, keys, width, what the mask has of the first three, and whether it is causal.
bool read(PyObject *numbers, PyObject *scale, Heads &heads) {
    std::size_t sizes[9];
    if (!get_sizes(numbers, sizes)) return false;
    heads = {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], {sizes[5], sizes[6], sizes[7]}, sizes[8] != 0, PyFloat_AsDouble(scale)};
    return !PyErr_Occurred();
}

bool fits(const Array &array, const Array &like, std::size_t size) { return array.kind == like.kind && array.is_aligned() && array.size() == size; }

// Whether query, key, value and mask are as the sizes say, and what they are worked on in can be counted.
bool are_right(const Heads &sizes, const Array &query, const Array &key, const Array &value, const Array &mask) {
    std::size_t queries = product({sizes.batch, sizes.heads, sizes.queries, sizes.width}), keys = product({sizes.batch, sizes.heads, sizes.keys, sizes.width});
    if (!queries || !keys || !product({sizes.keys, MOST_ROWS, 64}) || !product({sizes.keys + 512, sizes.width + 512, 64})) return false;
    if (!fits(query, query, queries) || !fits(key, query, keys) || !fits(value, query, keys)) return false;
    if (!mask) return true;
    std::size_t all[3] = {sizes.batch, sizes.heads, sizes.queries};
    for (int axis = 0; axis < 3; axis++)
        if (sizes.masks[axis] != 1 && sizes.masks[axis] != all[axis]) return false;
    return fits(mask, query, product({sizes.masks[0], sizes.masks[1], sizes.masks[2], sizes.keys}));
}

// (out, query, key, value, mask or None, scale, sizes)
PyObject *attention(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 7)) return nullptr;
    Heads sizes;
    if (!read(args[6], args[5], sizes)) return nullptr;
    Array out, query, key, value, mask;
    if (!out.get(args[0], true) || !query.get(args[1], false) || !key.get(args[2], false) || !value.get(args[3], false) || !mask.get(args[4], false, true)) Py_RETURN_FALSE;
    if (!are_right(sizes, query, key, value, mask) || !fits(out, query, query.size())) Py_RETURN_FALSE;
    bool done = false;
    auto work = [&](auto zero) {
        using T = decltype(zero);
        Given<T> given{static_cast<const T *>(query.data()), static_cast<const T *>(key.data()), static_cast<const T *>(value.data()), static_cast<const T *>(mask.data()), nullptr};
        done = attend<T>(*in_use.load(), sizes, given, static_cast<T *>(out.data()));
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
    Array for_query, for_key, for_value, g, query, key, value, mask;
    if (!for_query.get(args[0], true) || !for_key.get(args[1], true) || !for_value.get(args[2], true) || !g.get(args[3], false)) Py_RETURN_FALSE;
    if (!query.get(args[4], false) || !key.get(args[5], false) || !value.get(args[6], false) || !mask.get(args[7], false, true)) Py_RETURN_FALSE;
    if (!are_right(sizes, query, key, value, mask) || !fits(g, query, query.size()) || !fits(for_query, query, query.size())) Py_RETURN_FALSE;
    if (!fits(for_key, query, key.size()) || !fits(for_value, query, key.size())) Py_RETURN_FALSE;
    bool done = false;
    auto work = [&](auto zero) {
        using T = decltype(zero);
        Given<T> given{static_cast<const T *>(query.data()), static_cast<const T *>(key.data()), static_cast<const T *>(value.data()), static_cast<const T *>(mask.data()), static_cast<const T *>(g.data())};
        done = attend_back<T>(*in_use.load(), sizes, given, {static_cast<T *>(for_query.data()), static_cast<T *>(for_key.data()), static_cast<T *>(for_value.data())});
    };
    unlocked(GIVES_LOCK_AWAY, [&] { query.is_double() ? work(0.0) : work(0.0f); });
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
