// The words of MT19937 (Matsumoto and Nishimura 1998), by whole blocks, and shuffling by them.
#include <cstdint>
#include <utility>

#include "functions.h"

namespace rushlight {
namespace {

constexpr std::size_t BLOCK = 624, APART = 397;

// Whole numbers of 32 bits.
struct Words {
    Py_buffer view{};
    bool is_held = false;

    ~Words() {
        if (is_held) PyBuffer_Release(&view);
    }
    bool get(PyObject *object, bool written = true) {
        is_held = PyObject_GetBuffer(object, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (written ? PyBUF_WRITABLE : 0)) == 0;
        if (!is_held) PyErr_Clear();
        return is_held && view.format && view.format[0] == 'I' && !view.format[1] && view.itemsize == 4 && reinterpret_cast<std::uintptr_t>(view.buf) % 4 == 0;
    }
    std::size_t size() const { return static_cast<std::size_t>(view.len) / 4; }
    std::uint32_t *data() const { return static_cast<std::uint32_t *>(view.buf); }
};

inline std::uint32_t turned(std::uint32_t high, std::uint32_t low) {
    std::uint32_t both = (high & 0x80000000u) | (low & 0x7FFFFFFFu);
    return (both >> 1) ^ ((0u - (low & 1u)) & 0x9908B0DFu);
}

void next_block(std::uint32_t *key) {
    for (std::size_t i = 0; i < BLOCK - APART; i++) key[i] = key[i + APART] ^ turned(key[i], key[i + 1]);
    for (std::size_t i = BLOCK - APART; i < BLOCK - 1; i++) key[i] = key[i + APART - BLOCK] ^ turned(key[i], key[i + 1]);
    key[BLOCK - 1] = key[APART - 1] ^ turned(key[BLOCK - 1], key[0]);
}

// (words, key): as many blocks as there is room for, and what the last of them was made of.
PyObject *twister_blocks(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 2)) return nullptr;
    Words words, key;
    if (!words.get(args[0]) || !key.get(args[1]) || key.size() != BLOCK || words.size() % BLOCK) Py_RETURN_FALSE;
    unlocked(words.size(), [&] {
        for (std::uint32_t *to = words.data(), *end = to + words.size(); to != end; to += BLOCK) {
            next_block(key.data());
            for (std::size_t i = 0; i < BLOCK; i++) {
                std::uint32_t word = key.data()[i];
                word ^= word >> 11;
                word ^= (word << 7) & 0x9D2C5680u;
                word ^= (word << 15) & 0xEFC60000u;
                to[i] = word ^ (word >> 18);
            }
        }
    });
    Py_RETURN_TRUE;
}

// (key, seed): what the first block is made of.
PyObject *twister_seed(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 2)) return nullptr;
    std::size_t seed = PyLong_AsSize_t(args[1]);
    if (PyErr_Occurred()) return nullptr;
    Words key;
    if (!key.get(args[0]) || key.size() != BLOCK) Py_RETURN_FALSE;
    std::uint32_t last = key.data()[0] = static_cast<std::uint32_t>(seed);
    for (std::uint32_t i = 1; i < BLOCK; i++) last = key.data()[i] = 1812433253u * (last ^ (last >> 30)) + i;
    Py_RETURN_TRUE;
}

// (order, words): 0, 1, 2, ..., of which place i has swapped with place i + words[i] modulo (length - i), the first first.
PyObject *swapped(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (!has(count, 2)) return nullptr;
    Array order;
    Words words;
    if (!order.get_indices(args[0], true) || !words.get(args[1], false)) Py_RETURN_FALSE;
    std::size_t length = order.size();
    if (!length || words.size() != length - 1 || length > 0xFFFFFFFFu) Py_RETURN_FALSE;
    unlocked(length, [&] {
        std::int64_t *place = static_cast<std::int64_t *>(order.data());
        for (std::size_t i = 0; i < length; i++) place[i] = static_cast<std::int64_t>(i);
        for (std::size_t i = 0; i + 1 < length; i++) std::swap(place[i], place[i + words.data()[i] % static_cast<std::uint32_t>(length - i)]);
    });
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef twister_functions[] = {
    fast("twister_blocks", twister_blocks),
    fast("twister_seed", twister_seed),
    fast("swapped", swapped),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
