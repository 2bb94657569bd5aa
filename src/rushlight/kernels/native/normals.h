// Normal numbers of uniform ones, in place, by blocks of eight radii and eight angles (Box and Muller 1958). Logarithm, cosine and sine
// are those of S. L. Moshier's Cephes library in single precision, with one rounding wherever the processor multiplies and adds at once:
// so they are PyTorch's to the bit. Nothing here multiplies and adds but by fused(), so that the compiler has nothing to join.
inline float fused(float a, float b, float c) {
#if FUSES
    return __builtin_fmaf(a, b, c);
#else
    // The product is exact in double: two roundings differ from one in one case of 2 ** 29.
    return static_cast<float>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
#endif
}

template <std::size_t N> inline float fused_polynomial(const float (&coefficients)[N], float x) {
    float value = coefficients[0];
#pragma GCC unroll 16
    for (std::size_t i = 1; i < N; i++) value = fused(value, x, coefficients[i]);
    return value;
}

// The natural logarithm of (0, 1].
inline float log_of_chance(float x) {
    constexpr float TERMS[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
                               -1.6668057665e-1f, 2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
    std::int32_t bits, mantissa;
    __builtin_memcpy(&bits, &x, sizeof(x));
    float fraction, exponent = static_cast<float>((bits >> 23) - 126);
    mantissa = (bits & 0x007FFFFF) | 0x3F000000;
    __builtin_memcpy(&fraction, &mantissa, sizeof(fraction));  // in [1/2, 1)
    bool is_below = fraction < 0.707106781186547524f;
    exponent -= is_below ? 1.0f : 0.0f;
    fraction = fraction + (is_below ? fraction : 0.0f) - 1.0f;
    float square = fraction * fraction, tail = fused_polynomial(TERMS, fraction) * fraction;
    tail = fused(tail, square, exponent * -2.12194440e-4f);
    tail = fused(square, -0.5f, tail) + fraction;
    return fused(exponent, 0.693359375f, tail);
}

// Both of [0, 2 pi]: pi / 4 in three parts, of which the first two have so few bits that multiples of them are subtracted exactly.
inline void cosine_and_sine(float angle, float &cosine, float &sine) {
    constexpr float COSINE[] = {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f};
    constexpr float SINE[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
    std::int32_t octant = (static_cast<std::int32_t>(angle * 1.27323954473516f) + 1) & ~1;
    float turns = static_cast<float>(octant);
    float x = fused(turns, -3.77489497744594108e-8f, fused(turns, -2.4187564849853515625e-4f, fused(turns, -0.78515625f, angle)));
    float square = x * x;
    float even = fused(fused_polynomial(COSINE, square) * square, square, square * -0.5f) + 1.0f;
    float odd = fused(fused_polynomial(SINE, square) * square, x, x);
    octant >>= 1;
    bool is_odd = octant & 1;
    float to_cosine = is_odd ? odd : even, to_sine = is_odd ? even : odd;
    cosine = (octant + 1) & 2 ? -to_cosine : to_cosine;
    sine = octant & 2 ? -to_sine : to_sine;
}

inline void normals(float *values, std::size_t count, float mean, float std, bool is_standard) {
    constexpr std::size_t BLOCKS = 32;
    float radii[BLOCKS * 8], angles[BLOCKS * 8];
    for (std::size_t start = 0; start < count; start += BLOCKS * 16) {
        std::size_t blocks = (count - start < BLOCKS * 16 ? count - start : BLOCKS * 16) / 16;
        for (std::size_t b = 0; b < blocks; b++) {
            __builtin_memcpy(radii + b * 8, values + start + b * 16, 8 * sizeof(float));
            __builtin_memcpy(angles + b * 8, values + start + b * 16 + 8, 8 * sizeof(float));
        }
        for (std::size_t i = 0; i < blocks * 8; i++) {
            float radius = std::sqrt(-2.0f * log_of_chance(1.0f - radii[i])), cosine, sine;
            cosine_and_sine(6.28318530717958648f * angles[i], cosine, sine);
            radii[i] = cosine * radius;
            angles[i] = sine * radius;
        }
        if (!is_standard)
            for (std::size_t i = 0; i < blocks * 8; i++) {
                radii[i] = fused(radii[i], std, mean);
                angles[i] = fused(angles[i], std, mean);
            }
        for (std::size_t b = 0; b < blocks; b++) {
            __builtin_memcpy(values + start + b * 16, radii + b * 8, 8 * sizeof(float));
            __builtin_memcpy(values + start + b * 16 + 8, angles + b * 8, 8 * sizeof(float));
        }
    }
}
