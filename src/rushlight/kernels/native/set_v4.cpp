// x86-64-v4: AVX-512.
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
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c")
#endif

#define RUSHLIGHT_SET v4
#define WIDTH 64
#define FUSES 1
#define CONVERTS 1
#include "set.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const rushlight::Set *rushlight::set_v4() {
    if (!Processor().v4) return nullptr;
    static const Set found = v4::loops("x86-64-v4");
    return &found;
}

#else

const rushlight::Set *rushlight::set_v4() { return nullptr; }

#endif
