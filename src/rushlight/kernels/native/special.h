// Functions of special kinds: the complement of erf, logarithms of gamma and of sums of exponentials, and remainders.

// Twice the tail of a normal distribution. The square is exact, of the upper half of the digits; what the lower adds is small.
struct Erfc {
    template <class T> static V<T> at(V<T> x, V<T>) {
        using P = Traits<T>;
        using I = typename P::I;
        constexpr T ROOT_2 = T(1.4142135623730950488), END = P::FAR / ROOT_2;
        V<T> size = x < T(0) ? -x : x;
        size = size > END ? all<T>(END) : size;
        V<T> high = (V<T>)((I)size & P::HIGH_HALF), rest = (size - high) * (size + high), z = size * ROOT_2;
        V<T> power = exponential<T>(-(high * high)) * (T(1) - rest * (T(1) - rest * (T(0.5) - rest * (T(1 / 6.0) - rest * T(1 / 24.0)))));
        V<T> beyond = power * polynomial<T>(P::TAIL, (z - P::TURN) / (z + P::TURN)), both = beyond + beyond;
        return x < T(0) ? T(2) - both : both;
    }
};

// 2 ** x for x <= 0.
template <class T> inline V<T> power_below_1(V<T> x) {
    using P = Traits<T>;
    constexpr T LOWEST = T(-P::BIAS - P::MANTISSA - 3);
    x = x < LOWEST ? all<T>(LOWEST) : x;
    V<T> n = (x + P::ROUNDER) - P::ROUNDER, r = (x - n) * T(0.69314718055994530942);
    V<T> value = r * r * polynomial<T>(P::EXP, r) + r + T(1);
    V<T> rounded_half = n * T(0.5) + P::ROUNDER, rest = n - (rounded_half - P::ROUNDER);
    return value * power_of_2<T>(rounded_half) * power_of_2<T>(rest + P::ROUNDER);
}

// How far the lesser of two numbers is below the other; 0 of equal infinities.
template <class T> inline V<T> below(V<T> a, V<T> b) {
    V<T> off = a - b;
    off = off > T(0) ? -off : off;
    return a == b ? V<T>{} : off;
}

struct LogAddExp {
    template <class T> static V<T> at(V<T> a, V<T> b) { return (a > b ? a : b) + logarithm_of_1_and<T>(exponential<T>(below<T>(a, b))); }
};

struct LogAddExp2 {
    template <class T> static V<T> at(V<T> a, V<T> b) {
        V<T> more = logarithm_of_1_and<T>(power_below_1<T>(below<T>(a, b))) * T(1.4426950408889634074), highest = a > b ? a : b;
        T lost = sizeof(T) == 8 ? T(4.756597398230631e-17) : T(1.0601922895148164e-8);  // of 1 in PyTorch's product of log(2) and 1 / log(2)
        return a == b ? (highest + T(1)) - lost : highest + more;
    }
};

// Of normal numbers above 0: by powers of the distance from 2 where that is at most 1/2, from where the recurrence leads from elsewhere
// below 8; by Stirling's series from there on.
struct LogGamma {
    template <class T> static V<T> at(V<T> x, V<T>) {
        V<T> y = x, down = all<T>(1), up = x < T(0.5) ? x * (x + T(1)) : x;
        for (int step = 0; step < 6; step++) {
            V<T> next = y - T(1);
            down = y >= T(2.5) ? down * next : down;
            y = y >= T(2.5) ? next : y;
        }
        V<T> t = x < T(1.5) ? x - T(1) : y - T(2);
        t = x < T(0.5) ? x : t;
        V<T> factor = x < T(1.5) ? up : down;
        V<T> log = logarithm<T>(x < T(8) ? factor : x), part = T(1) / x;
        V<T> near = t * polynomial<T>(Traits<T>::GAMMA, t) + (x < T(1.5) ? -log : log);
        V<T> far = (x - T(0.5)) * log - x + (T(0.91893853320467274178) + part * series<T>(part * part));
        far = x > std::numeric_limits<T>::max() ? x : far;
        return x < T(8) ? near : far;
    }
    template <class T> static V<T> series(V<T> square) {
        constexpr T STIRLING[] = {T(1 / 12.0), T(-1 / 360.0), T(1 / 1260.0), T(-1 / 1680.0), T(1 / 1188.0), T(-691 / 360360.0), T(1 / 156.0), T(-3617 / 122400.0)};
        return polynomial<T>(STIRLING, square);
    }
};

// What whole multiples of b leave of a, with the sign of a. Of the nearest multiple the rest is exact, as is its sum with b where it has
// the other sign; where the quotient has few digits behind the point, or one is not finite, it is the library's.
struct Fmod {
    template <class T> static V<T> at(V<T> a, V<T> b) {
        using P = Traits<T>;
        using I = typename P::I;
        constexpr typename P::Int SIGN = std::numeric_limits<typename P::Int>::min();
        I far = I{} - 1;
        V<T> rest = a;
        if constexpr (FUSES) {
            V<T> quotient = a / b, size = (V<T>)((I)quotient & ~SIGN), length = (V<T>)((I)b & ~SIGN);
            far = ~((size < T(typename P::Int(1) << (P::MANTISSA - 2))) & (length <= std::numeric_limits<T>::max()));
            rest = less_product<T>(a, (quotient + P::ROUNDER) - P::ROUNDER, b);
            V<T> added = (V<T>)((I)length | ((I)a & SIGN));
            rest = (rest != T(0)) & ((rest < T(0)) ^ (a < T(0))) ? rest + added : rest;
            rest = (V<T>)((I)rest | ((I)a & SIGN));
        }
        typename P::Int found = 0;
        for (std::size_t lane = 0; lane < LANES<T>; lane++) found |= far[lane];
        if (!found) return rest;
        for (std::size_t lane = 0; lane < LANES<T>; lane++)
            if (far[lane]) rest[lane] = std::fmod(a[lane], b[lane]);
        return rest;
    }
    // a - n * b, rounded once.
    template <class T> static V<T> less_product(V<T> a, V<T> n, V<T> b) {
        T lanes[LANES<T>], others[LANES<T>], numbers[LANES<T>];
        store<T>(lanes, a), store<T>(others, b), store<T>(numbers, -n);
        for (std::size_t i = 0; i < LANES<T>; i++) {
            if constexpr (sizeof(T) == 4) lanes[i] = __builtin_fmaf(numbers[i], others[i], lanes[i]);
            else lanes[i] = __builtin_fma(numbers[i], others[i], lanes[i]);
        }
        return load<T>(lanes);
    }
};

// With the sign of b; but a rest of zero keeps that of a.
struct Remainder {
    template <class T> static V<T> at(V<T> a, V<T> b) {
        V<T> rest = Fmod::at<T>(a, b);
        return (rest != T(0)) & ((rest < T(0)) ^ (b < T(0))) ? rest + b : rest;
    }
};

// Of one array and a number.
template <class F> struct ByNumber {
    template <class T> static V<T> at(V<T> x, V<T>, const T *numbers) { return F::template at<T>(x, all<T>(numbers[0])); }
};
