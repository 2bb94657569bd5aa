// x86-64-v3: AVX2 and FMA.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "loops.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "processor.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif

#define RUSHLIGHT_SET v3
#define WIDTH 32
#define FUSES 1
#define CONVERTS 1
#include "set.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const rushlight::Set *rushlight::set_v3() {
    if (!Processor().v3) return nullptr;
    static const Set found = v3::loops("x86-64-v3");
    return &found;
}

#else

const rushlight::Set *rushlight::set_v3() { return nullptr; }

#endif
