// What every processor of its kind has: x86-64-v2 without more than SSE2 asked for, or NEON.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "loops.h"

#define CONVERTS 0
#define RUSHLIGHT_SET base
#define WIDTH 16
#if defined(__aarch64__)
#define FUSES 1
#else
#define FUSES 0
#endif
#include "set.h"

const rushlight::Set *rushlight::set_base() {
#if defined(__aarch64__)
    static const Set found = base::loops("neon");
#elif defined(__x86_64__)
    static const Set found = base::loops("x86-64");
#else
    static const Set found = base::loops("generic");
#endif
    return &found;
}
