// Vectors of WIDTH bytes in the vector extensions of g++ and clang, and functions of them. Included inside a namespace of its own
// by each instruction set, after the standard headers.

typedef float FloatLanes __attribute__((vector_size(WIDTH)));
typedef double DoubleLanes __attribute__((vector_size(WIDTH)));
typedef std::int32_t FloatBits __attribute__((vector_size(WIDTH)));
typedef std::int64_t DoubleBits __attribute__((vector_size(WIDTH)));

template <class T> struct Traits;

template <> struct Traits<float> {
    using V = FloatLanes;
    using I = FloatBits;
    using Int = std::int32_t;
    static constexpr int MANTISSA = 23, BIAS = 127;
    static constexpr float ROUNDER = 12582912.0f;  // 1.5 * 2 ** 23: what is added to it is rounded to a whole number
    static constexpr float HIGH = 90.0f, LOW = -105.0f;  // exp is infinite from there, and 0
    static constexpr float LN2_HIGH = 0.693145751953125f, LN2_LOW = 1.42860682030941723e-6f;
    static constexpr float FAR = 15.0f, TURN = 3.0f;  // of the tail of the normal distribution
    static constexpr float MISH_FLAT = 20.0f;
    // (exp(r) - 1 - r) / r ** 2 for |r| <= log(2) / 2, relative error of exp 3e-9 (Remez, the lowest power first).
    static constexpr float EXP[] = {0.499999934285f, 0.166665204008f, 0.0416683912127f, 0.00836874522935f, 0.00138145323382f};
    static constexpr float ARTANH[] = {2 / 3.0f, 2 / 5.0f, 2 / 7.0f, 2 / 9.0f};
    // exp(z ** 2 / 2) times the probability beyond z, as a polynomial of (z - 3) / (z + 3) for 0 <= z <= 15, relative error 1e-8.
    static constexpr float TAIL[] = {0.121513947391f,    -0.206402621915f,   0.123225052271f,    -0.0462132344491f,  0.00613181126176f,
                                     0.00290421358485f,  -0.000982822320761f, -0.00033854574948f, 0.000114504492518f, 5.26762937516e-5f};
    static constexpr std::int32_t HIGH_HALF = ~0xFFF;  // of a number's bits
    // (zeta(k) - 1) / k with the sign of (-1) ** k for k from 2 on, behind 1 less Euler's constant: the logarithm of gamma(2 + t) by t.
    static constexpr float GAMMA[] = {0.422784335f, 0.322467033f, -0.0673523011f, 0.0205808084f, -0.00738555103f, 0.00289051033f, -0.00119275391f, 0.000509669525f, -0.000223154758f, 9.94575128e-05f, -4.49262367e-05f, 2.05072128e-05f, -9.43948828e-06f};
};

template <> struct Traits<double> {
    using V = DoubleLanes;
    using I = DoubleBits;
    using Int = std::int64_t;
    static constexpr int MANTISSA = 52, BIAS = 1023;
    static constexpr double ROUNDER = 6755399441055744.0;  // 1.5 * 2 ** 52
    static constexpr double HIGH = 711.0, LOW = -747.0;
    static constexpr double LN2_HIGH = 0.693147180369123816490, LN2_LOW = 1.90821492927058770002e-10;
    static constexpr double FAR = 40.0, TURN = 4.0;
    static constexpr double MISH_FLAT = 40.0;
    static constexpr double EXP[] = {0.50000000000000106674,    0.16666666666666411417,    0.041666666666529736,
                                     0.0083333333334950250764,  0.0013888888943758407152,  0.00019841269505682888841,
                                     0.000024801492950863418241, 2.7557586877191403745e-6, 2.763030592640422364e-7,
                                     2.4999997611732910745e-8};
    static constexpr double ARTANH[] = {2 / 3.0, 2 / 5.0, 2 / 7.0, 2 / 9.0, 2 / 11.0, 2 / 13.0, 2 / 15.0, 2 / 17.0, 2 / 19.0, 2 / 21.0, 2 / 23.0};
    // The same for (z - 4) / (z + 4) and 0 <= z <= 40, relative error 1.2e-17.
    static constexpr double TAIL[] = {
        0.09441064130196893571,    -0.1703977215484554315,     0.12437925533926363076,     -0.071707407337736432713,
        0.030864804106308610526,   -0.0084920954821161103635,  0.00050756207523706464555,  0.00063881385158404532061,
        -0.00018718427159459929672, -0.000045554891862637112264, 0.000028648357002195457106, 4.6315400966753697103e-6,
        -4.3035979194082283646e-6, -8.2932921704241615001e-7,  6.6158760642795224947e-7,   2.0576823284522800495e-7,
        -9.4281004624323015408e-8, -5.2382668896643781286e-8,  9.4748543726593733027e-9,   1.1420218009810030531e-8,
        8.300268156005525564e-11,  -1.7144246289032485698e-9,  -1.7498757396393564393e-10, 1.0608732347794863557e-10};
    static constexpr std::int64_t HIGH_HALF = ~std::int64_t(0x7FFFFFF);
    static constexpr double GAMMA[] = {
        0.42278433509846713939, 0.32246703342411320303, -0.067352301053198074254, 0.020580808427784536008, -0.0073855510286739978199,
        0.0028905103307415394055, -0.0011927539117032751135, 0.0005096695247430449438, -0.00022315475845356857088, 9.9457512781797594091e-05,
        -4.4926236738129787796e-05, 2.0507212775670396299e-05, -9.4394882752706176356e-06, 4.374866789915086907e-06, -2.0392157537981364531e-06,
        9.5514121303819088382e-07, -4.4924691987384166902e-07, 2.120718480578018452e-07, -1.004322482371571503e-07, 4.7698101690585303913e-08,
        -2.2711094613402424703e-08, 1.0838659212566235905e-08, -5.1834750404976684626e-09, 2.4836745438072682646e-09, -1.1921401377179563248e-09,
        5.7313672611277644244e-10};
};

template <class T> using V = typename Traits<T>::V;
template <class T> constexpr std::size_t LANES = WIDTH / sizeof(T);

template <class T> inline V<T> all(T value) { return value - V<T>{}; }

template <class T> inline V<T> load(const T *from) {
    V<T> out;
    __builtin_memcpy(&out, from, WIDTH);
    return out;
}

// Fewer numbers than a vector holds, the rest `filler`.
template <class T> inline V<T> load_part(const T *from, std::size_t count, T filler = 0) {
    V<T> out = all<T>(filler);
#if WIDTH == 64  // to copy so many bytes is a call, for as long as a row of few numbers takes
    if constexpr (sizeof(T) == 4) return (V<T>)_mm512_mask_loadu_ps((__m512)out, static_cast<__mmask16>((1u << count) - 1), from);
    else return (V<T>)_mm512_mask_loadu_pd((__m512d)out, static_cast<__mmask8>((1u << count) - 1), from);
#else
    __builtin_memcpy(&out, from, count * sizeof(T));
    return out;
#endif
}

template <class T> inline void store(T *to, V<T> value) { __builtin_memcpy(to, &value, WIDTH); }

template <class T> inline void store_part(T *to, V<T> value, std::size_t count) {
#if WIDTH == 64
    if constexpr (sizeof(T) == 4) _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), (__m512)value);
    else _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << count) - 1), (__m512d)value);
#else
    __builtin_memcpy(to, &value, count * sizeof(T));
#endif
}

template <class T> inline T one(const T *from) {
    T out;
    __builtin_memcpy(&out, from, sizeof(T));
    return out;
}

template <class T, std::size_t BYTES> struct Part {
    typedef T Lanes __attribute__((vector_size(BYTES)));
};

// The sum of the lanes, by halves.
template <class T, std::size_t BYTES = WIDTH> inline T across(typename Part<T, BYTES>::Lanes x) {
    if constexpr (BYTES > 16) {
        typename Part<T, BYTES / 2>::Lanes low, high;
        __builtin_memcpy(&low, &x, BYTES / 2);
        __builtin_memcpy(&high, reinterpret_cast<const char *>(&x) + BYTES / 2, BYTES / 2);
        return across<T, BYTES / 2>(low + high);
    } else if constexpr (sizeof(T) == 4) {
        return (x[0] + x[2]) + (x[1] + x[3]);
    } else {
        return x[0] + x[1];
    }
}

// nan is not kept.
template <class T, std::size_t BYTES = WIDTH> inline T highest(typename Part<T, BYTES>::Lanes x) {
    if constexpr (BYTES > sizeof(T)) {
        typename Part<T, BYTES / 2>::Lanes low, high;
        __builtin_memcpy(&low, &x, BYTES / 2);
        __builtin_memcpy(&high, reinterpret_cast<const char *>(&x) + BYTES / 2, BYTES / 2);
        return highest<T, BYTES / 2>(high > low ? high : low);
    } else {
        return x[0];
    }
}

// Even and odd powers apart: two chains of half the length go on side by side.
template <class T, std::size_t N> inline V<T> polynomial(const T (&coefficients)[N], V<T> x) {
    V<T> square = x * x, upper = all<T>(coefficients[N - 1]), lower = all<T>(coefficients[N - 2]);
#pragma GCC unroll 32
    for (std::size_t i = N - 2; i > 0; i--) {
        V<T> next = upper * square + coefficients[i - 1];
        upper = lower;
        lower = next;
    }
    return lower + upper * x;
}

// 2 ** n for whole n that has been added to ROUNDER: the exponent's bits, in range.
template <class T> inline V<T> power_of_2(V<T> rounded) {
    using I = typename Traits<T>::I;
    using Int = typename Traits<T>::Int;
    T rounder = Traits<T>::ROUNDER;
    Int zero;
    __builtin_memcpy(&zero, &rounder, sizeof(T));
    I bits = (I)rounded - zero + Traits<T>::BIAS;
    return (V<T>)(bits << Traits<T>::MANTISSA);
}

// nan stays; 0 and infinity beyond what T holds; denormals are made.
template <class T> inline V<T> exponential(V<T> x) {
    using P = Traits<T>;
    x = x > P::HIGH ? all<T>(P::HIGH) : x;
    x = x < P::LOW ? all<T>(P::LOW) : x;
    V<T> n = (x * T(1.4426950408889634074) + P::ROUNDER) - P::ROUNDER;
    V<T> r = (x - n * P::LN2_HIGH) - n * P::LN2_LOW;
    V<T> value = r * r * polynomial<T>(P::EXP, r) + r + T(1);
    V<T> rounded_half = n * T(0.5) + P::ROUNDER;
    V<T> rest = n - (rounded_half - P::ROUNDER);
    return value * power_of_2<T>(rounded_half) * power_of_2<T>(rest + P::ROUNDER);
}

// exp(x) - 1, exact near 0 too, for x that this limits to where it is neither infinite nor, but for a rounding error, other than -1.
template <class T> inline V<T> exponential_less_1(V<T> x) {
    using P = Traits<T>;
    x = x > T(80) ? all<T>(80) : x;
    x = x < T(-80) ? all<T>(-80) : x;
    V<T> rounded = x * T(1.4426950408889634074) + P::ROUNDER;
    V<T> n = rounded - P::ROUNDER;
    V<T> r = (x - n * P::LN2_HIGH) - n * P::LN2_LOW;
    V<T> power = power_of_2<T>(rounded);
    return power * (r * r * polynomial<T>(P::EXP, r) + r) + (power - T(1));
}

// Of normal numbers above 0: the exponent times log(2), and 2 * artanh((m - 1) / (m + 1)) of what is left, between 0.71 and 1.43.
template <class T> inline V<T> logarithm(V<T> x) {
    using P = Traits<T>;
    using I = typename P::I;
    using Int = typename P::Int;
    constexpr Int ONE = Int(P::BIAS) << P::MANTISSA, TURN = Int(37) << (P::MANTISSA - 6);  // at 1 + 27 / 64
    I above = ((I)x - ONE + TURN) >> P::MANTISSA;
    V<T> m = (V<T>)((I)x - (above << P::MANTISSA)), n = __builtin_convertvector(above, V<T>);
    V<T> s = (m - T(1)) / (m + T(1)), square = s * s;
    return n * P::LN2_HIGH + (s * (T(2) + square * polynomial<T>(P::ARTANH, square)) + n * P::LN2_LOW);
}

template <class T> inline V<T> hyperbolic_tangent(V<T> x) {
    V<T> n = exponential_less_1<T>(x + x);
    return n / (n + T(2));
}
