// Memory that loops work in, and how products of lines lie there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>

#include "loops.h"

namespace rushlight {

// Memory that is aligned as vectors are, or nothing.
template <class T> struct Memory {
    explicit Memory(std::size_t count) : held(new (std::nothrow) char[count * sizeof(T) + 64]) {}
    explicit operator bool() const { return static_cast<bool>(held); }
    T *get() const { return reinterpret_cast<T *>((reinterpret_cast<std::uintptr_t>(held.get()) + 63) / 64 * 64); }

  private:
    std::unique_ptr<char[]> held;
};

// The product, or 0 where it is more than memory could hold.
inline std::size_t product(std::initializer_list<std::size_t> sizes) {
    double wide = 1;
    std::size_t out = 1;
    for (std::size_t size : sizes) wide *= static_cast<double>(size), out *= size;
    return wide < 1e15 ? out : 0;
}

template <class T> constexpr std::size_t STEP = LINE_STEP / sizeof(T);
template <class T> std::size_t rounded(std::size_t length) { return (length + STEP<T> - 1) / STEP<T> * STEP<T>; }

// How many outputs are worked on together from `output` on; of three one place stays empty.
inline std::size_t outputs_at(std::size_t output, std::size_t channels) {
    std::size_t rest = channels - output;
    return rest >= 3 ? 4 : rest;
}

}  // namespace rushlight
