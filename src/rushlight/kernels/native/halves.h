// Numbers of two bytes to and from single precision, rounded to the nearest, of two as near ones to the even one: by the processor's own
// instructions where it has them (CONVERTS), else by whole numbers, which every processor has vectors of.

#if CONVERTS

inline void single_of_half(const void *from, void *to, std::size_t count) {
    const std::uint16_t *in = static_cast<const std::uint16_t *>(from);
    float *out = static_cast<float *>(to);
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(in + i))));
    if (i == count) return;
    std::uint16_t halves[8] = {};
    float singles[8];
    __builtin_memcpy(halves, in + i, (count - i) * 2);
    _mm256_storeu_ps(singles, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(halves))));
    __builtin_memcpy(out + i, singles, (count - i) * 4);
}

inline void half_of_single(const void *from, void *to, std::size_t count) {
    const float *in = static_cast<const float *>(from);
    std::uint16_t *out = static_cast<std::uint16_t *>(to);
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) _mm_storeu_si128(reinterpret_cast<__m128i *>(out + i), _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
    if (i == count) return;
    float singles[8] = {};
    std::uint16_t halves[8];
    __builtin_memcpy(singles, in + i, (count - i) * 4);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(halves), _mm256_cvtps_ph(_mm256_loadu_ps(singles), _MM_FROUND_TO_NEAREST_INT));
    __builtin_memcpy(out + i, halves, (count - i) * 2);
}

#else

// Half precision: its bits as those of a tiny number, times 2 ** 112, which is exact; infinity and nan get their exponent.
inline void single_of_half(const void *from, void *to, std::size_t count) {
    const std::uint16_t *in = static_cast<const std::uint16_t *>(from);
    std::uint32_t *out = static_cast<std::uint32_t *>(to);
    for (std::size_t i = 0; i < count; i++) {
        std::uint32_t half = in[i], bits = (half & 0x7FFF) << 13;
        float value;
        __builtin_memcpy(&value, &bits, sizeof(value));
        value *= 5192296858534827628530496329220096.0f;
        __builtin_memcpy(&bits, &value, sizeof(value));
        bits |= (half & 0x7C00) == 0x7C00 ? 0x7F800000 : 0;
        out[i] = bits | (half & 0x8000) << 16;
    }
}

// Of what is too small for half precision's exponents 1/2 more has a last place as theirs; others are rounded where their bits end.
inline void half_of_single(const void *from, void *to, std::size_t count) {
    const std::uint32_t *in = static_cast<const std::uint32_t *>(from);
    std::uint16_t *out = static_cast<std::uint16_t *>(to);
    for (std::size_t i = 0; i < count; i++) {
        std::uint32_t bits = in[i] & 0x7FFFFFFF, small;
        float value;
        __builtin_memcpy(&value, &bits, sizeof(value));
        value += 0.5f;
        __builtin_memcpy(&small, &value, sizeof(value));
        std::uint32_t usual = (bits - (112u << 23) + 0xFFF + (bits >> 13 & 1)) >> 13;
        std::uint32_t found = bits < 113u << 23 ? small - (126u << 23) : usual;
        found = bits >= 143u << 23 ? 0x7C00 : found;
        found = bits > 0x7F800000 ? 0x7E00 | (bits >> 13 & 0x1FF) : found;
        out[i] = static_cast<std::uint16_t>(found | (in[i] >> 16 & 0x8000));
    }
}

#endif

// The upper half of single precision.
inline void single_of_brain(const void *from, void *to, std::size_t count) {
    const std::uint16_t *in = static_cast<const std::uint16_t *>(from);
    std::uint32_t *out = static_cast<std::uint32_t *>(to);
    for (std::size_t i = 0; i < count; i++) out[i] = static_cast<std::uint32_t>(in[i]) << 16;
}

inline void brain_of_single(const void *from, void *to, std::size_t count) {
    const std::uint32_t *in = static_cast<const std::uint32_t *>(from);
    std::uint16_t *out = static_cast<std::uint16_t *>(to);
    for (std::size_t i = 0; i < count; i++) {
        std::uint32_t rounded = (in[i] + 0x7FFF + (in[i] >> 16 & 1)) >> 16;
        std::uint32_t found = (in[i] & 0x7FFFFFFF) > 0x7F800000 ? (in[i] >> 16 & 0x8000) | 0x7FC0 : rounded;
        out[i] = static_cast<std::uint16_t>(found);
    }
}
