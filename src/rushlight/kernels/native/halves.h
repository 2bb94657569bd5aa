// Numbers of two bytes to and from single precision, rounded to the nearest, of two as near ones to the even one; by whole numbers, which
// every processor has vectors of.

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
