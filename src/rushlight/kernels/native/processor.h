// What an x86-64 processor has, and its system keeps for each thread, asked of itself: not every compiler's library can tell.
#pragma once

#include <cpuid.h>

#include <cstdint>
#include <initializer_list>

namespace rushlight {

struct Processor {
    bool v3 = false, v4 = false;  // AVX2, FMA and half precision; AVX-512 F, VL, BW and DQ besides

    Processor() {
        std::uint32_t a, b, c, d, kept, high;
        if (!__get_cpuid(1, &a, &b, &c, &d) || !has(c, {12, 27, 28, 29})) return;  // FMA, XGETBV, AVX, half precision
        __asm__ volatile("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
        if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
        v3 = has(kept, {1, 2}) && has(b, {5});
        v4 = v3 && has(kept, {5, 6, 7}) && has(b, {16, 17, 30, 31});
    }

  private:
    static bool has(std::uint32_t word, std::initializer_list<int> bits) {
        for (int bit : bits)
            if (!(word >> bit & 1)) return false;
        return true;
    }
};

}  // namespace rushlight
