// Functions of one number after another, and slopes: the derivative at x, or where the function is y, times h.

struct Gelu {
    // The probability beyond |x| and the density at x, which have an exponential in common.
    template <class T> static void tail(V<T> x, V<T> &beyond, V<T> &power) {
        using P = Traits<T>;
        V<T> z = x < T(0) ? -x : x;
        z = z > P::FAR ? all<T>(P::FAR) : z;
        power = exponential<T>(z * z * T(-0.5));
        beyond = power * polynomial<T>(P::TAIL, (z - P::TURN) / (z + P::TURN));
    }
    template <class T> static V<T> below(V<T> x, V<T> beyond) { return x < T(0) ? beyond : T(1) - beyond; }
    template <class T> static V<T> at(V<T> x, V<T>) {
        V<T> beyond, power;
        tail<T>(x, beyond, power);
        return x * below<T>(x, beyond);
    }
};

struct GeluSlope {
    template <class T> static V<T> at(V<T> x, V<T> h) {
        V<T> beyond, power;
        Gelu::tail<T>(x, beyond, power);
        return h * (Gelu::below<T>(x, beyond) + x * power * T(0.39894228040143267794));
    }
};

// Up to 1 by its power series, 2 / sqrt(pi) * the sum of (-1) ** n * x ** (2 * n + 1) / (n! * (2 * n + 1)); further off by the tail.
struct Erf {
    template <class T> static V<T> near(V<T> x) {
        constexpr int TERMS = sizeof(T) == 4 ? 10 : 19;  // what the next is worth at 1 is less than half a unit of the last place
        struct Series {
            T coefficients[TERMS];
            constexpr Series() : coefficients() {
                double factor = 1.1283791670955125739;  // 2 / sqrt(pi)
                for (int n = 0; n < TERMS; n++, factor /= -n) coefficients[n] = static_cast<T>(factor / (2 * n + 1));
            }
        };
        static constexpr Series series{};
        return x * polynomial<T>(series.coefficients, x * x);
    }
    template <class T> static V<T> at(V<T> x, V<T>) {
        V<T> beyond, power, size = x < T(0) ? -x : x;
        Gelu::tail<T>(size * T(1.4142135623730950488), beyond, power);
        V<T> far = T(1) - (beyond + beyond);
        far = x < T(0) ? -far : far;
        return size < T(1) ? near<T>(x) : far;
    }
};

// The inverse of erf, of which beyond 1/2 what is left to 1 is looked at, so that no digits of it are lost: u is log(1 - x * x).
struct Erfinv {
    template <class T> static V<T> at(V<T> x, V<T>) {
        V<T> size = x < T(0) ? -x : x, rest = T(1) - size;
        V<T> product = rest * (T(1) + size), safe = product > T(0) ? product : all<T>(0.5);
        V<T> u = logarithm<T>(safe), y;
        if constexpr (sizeof(T) == 4) y = size * single(u);
        else y = first<T>(u);
        for (int step = 0; step < (sizeof(T) == 4 ? 0 : 3); step++) {  // Halley's, of f = erf(y) - x: f'' is -2 * y * f'
            V<T> beyond, power;
            Gelu::tail<T>(y * T(1.4142135623730950488), beyond, power);  // power is exp(-y * y)
            V<T> off = size < T(0.5) ? Erf::near<T>(y) - size : rest - (beyond + beyond);
            V<T> move = off / (power * T(1.1283791670955125739));
            y -= move / (T(1) + y * move);
        }
        y = size < T(0.01) ? small<T>(size) : y;
        y = x < T(0) ? -y : y;
        V<T> far = x * std::numeric_limits<T>::infinity();
        y = size < T(1) ? y : far;
        y = size > T(1) ? all<T>(std::numeric_limits<T>::quiet_NaN()) : y;
        return x == T(0) || x != x ? x : y;
    }
    // What x is multiplied by, to 3e-7 (M. Giles, Approximating the erfinv function, 2010).
    static V<float> single(V<float> u) {
        constexpr float NEAR[] = {1.50140941f, 0.246640727f, -0.00417768164f, -0.00125372503f, 0.00021858087f, -4.39150654e-6f, -3.5233877e-6f, 3.43273939e-7f, 2.81022636e-8f};
        constexpr float FAR[] = {2.83297682f, 1.00167406f, 0.00943887047f, -0.0076224613f, 0.00573950773f, -0.00367342844f, 0.00134934322f, 0.000100950558f, -0.000200214257f};
        return u > -5.0f ? polynomial<float>(NEAR, -u - 2.5f) : polynomial<float>(FAR, root<float>(-u) - 3.0f);
    }
    // The inverse to three digits (S. Winitzki, 2008); 4.33 is 2 / (pi * 0.147).
    template <class T> static V<T> first(V<T> u) {
        V<T> half = u * T(0.5) + T(4.3307467508);
        return root<T>(root<T>(half * half - u * T(6.8027210884)) - half);
    }
    // Its power series, of as many terms as count below 1/100.
    template <class T> static V<T> small(V<T> x) {
        constexpr T TERMS[] = {T(0.88622692545275801365), T(0.23201366653465449923), T(0.12755617530559795825), T(0.086552129241547553374), T(0.064959617745385413382)};
        return x * polynomial<T>(TERMS, x * x);
    }
    template <class T> static V<T> root(V<T> x) {
        T lanes[LANES<T>];
        __builtin_memcpy(lanes, &x, WIDTH);
        for (T &lane : lanes) lane = std::sqrt(lane > T(0) ? lane : T(0));
        return load<T>(lanes);
    }
};

constexpr double ROOT = 0.79788456080286535588, CUBE = 0.044715;  // sqrt(2 / pi)

struct Sigmoid {
    template <class T> static V<T> at(V<T> x, V<T>) { return T(1) / (T(1) + exponential<T>(-x)); }
};

// Half of a gated linear unit's input times the sigmoid of the other half, and the derivative of that at the other half.
struct Gated {
    template <class T> static V<T> at(V<T> x, V<T> h) { return h * Sigmoid::at<T>(x, x); }
};

struct GateSlope {
    template <class T> static V<T> at(V<T> x, V<T> h) {
        V<T> share = Sigmoid::at<T>(x, x);
        return h * share * (T(1) - share);
    }
};

struct GeluTanh {
    // (1 + tanh(u)) / 2 is the sigmoid of 2 * u.
    template <class T> static V<T> share(V<T> x) {
        return Sigmoid::at<T>(x * (x * x * T(2 * ROOT * CUBE) + T(2 * ROOT)), x);
    }
    template <class T> static V<T> at(V<T> x, V<T>) { return x * share<T>(x); }
};

struct GeluTanhSlope {
    template <class T> static V<T> at(V<T> x, V<T> h) {
        V<T> share = GeluTanh::share<T>(x);
        return h * (share + x * (x * x * T(6 * ROOT * CUBE) + T(2 * ROOT)) * (share * (T(1) - share)));
    }
};

struct Silu {
    template <class T> static V<T> at(V<T> x, V<T>) { return x / (T(1) + exponential<T>(-x)); }
};

struct SiluSlope {
    template <class T> static V<T> at(V<T> x, V<T> h) {
        V<T> share = Sigmoid::at<T>(x, x);
        return h * (share * (T(1) + x * (T(1) - share)));
    }
};

struct Mish {
    // The hyperbolic tangent of softplus: n / (n + 2) with n = e * (e + 2) and e = exp(x).
    template <class T> static V<T> curve(V<T> x, V<T> &power) {
        using P = Traits<T>;
        power = exponential<T>(x > P::MISH_FLAT ? all<T>(P::MISH_FLAT) : x);
        V<T> n = power * (power + T(2));
        return n / (n + T(2));
    }
    template <class T> static V<T> at(V<T> x, V<T>) {
        V<T> power;
        return x * curve<T>(x, power);
    }
};

struct MishSlope {
    template <class T> static V<T> at(V<T> x, V<T> h) {
        V<T> power, curve = Mish::curve<T>(x, power);
        return h * (curve + (T(1) - curve * curve) * x * power / (power + T(1)));
    }
};

// Of these two the value is given.
struct SigmoidSlope {
    template <class T> static V<T> at(V<T> y, V<T> h) { return h * ((T(1) - y) * y); }
};

struct TanhSlope {
    template <class T> static V<T> at(V<T> y, V<T> h) { return h * (T(1) - y * y); }
};

// In double, where no square is infinite and none is 0.
struct Hypotenuse {
    template <class T> static V<T> at(V<T> x, V<T> h) {
        T lanes[LANES<T>], others[LANES<T>];
        store<T>(lanes, x), store<T>(others, h);
        for (std::size_t i = 0; i < LANES<T>; i++) {
            if constexpr (sizeof(T) == 8) {
                lanes[i] = std::hypot(lanes[i], others[i]);
            } else {
                double one = static_cast<double>(lanes[i]), other = static_cast<double>(others[i]);
                lanes[i] = static_cast<T>(std::sqrt(one * one + other * other));
            }
        }
        constexpr T INFINITE = std::numeric_limits<T>::infinity();
        return (x == INFINITE) | (x == -INFINITE) | (h == INFINITE) | (h == -INFINITE) ? all<T>(INFINITE) : load<T>(lanes);
    }
};

// Three numbers stand for nan and for both infinities.
struct Finite {
    template <class T> static V<T> at(V<T> x, V<T>, const T *numbers) {
        constexpr T INFINITE = std::numeric_limits<T>::infinity();
        V<T> out = x == INFINITE ? all<T>(numbers[1]) : x;
        out = x == -INFINITE ? all<T>(numbers[2]) : out;
        return x != x ? all<T>(numbers[0]) : out;
    }
};

struct Threshold {
    template <class T> static V<T> at(V<T> x, V<T>, const T *numbers) { return x <= numbers[0] ? all<T>(numbers[1]) : x; }
};

struct Hardshrink {
    template <class T> static V<T> at(V<T> x, V<T>, const T *numbers) { return (x >= -numbers[0]) & (x <= numbers[0]) ? V<T>{} : x; }
};

// What 1 + x has lost is made good: the logarithm of the sum, in proportion.
struct Log1p {
    template <class T> static V<T> at(V<T> x, V<T>) {
        V<T> sum = T(1) + x, kept = sum - T(1);
        V<T> safe = sum > T(0) ? sum : all<T>(1);
        V<T> value = logarithm<T>(safe) * (x / (kept == T(0) ? all<T>(1) : kept));
        value = kept == T(0) ? x : value;
        value = sum > std::numeric_limits<T>::max() ? sum : value;
        value = sum == T(0) ? all<T>(-std::numeric_limits<T>::infinity()) : value;
        return (sum < T(0)) | (x != x) ? all<T>(std::numeric_limits<T>::quiet_NaN()) : value;
    }
};

// With what numbers of its own a function has, as `at` takes them or not.
template <class F, class T> inline auto at(V<T> x, V<T> h, const T *) -> decltype(F::template at<T>(x, h)) { return F::template at<T>(x, h); }
template <class F, class T> inline auto at(V<T> x, V<T> h, const T *numbers) -> decltype(F::template at<T>(x, h, numbers)) {
    return F::template at<T>(x, h, numbers);
}

template <class F, class T, bool SLOPE> void sweep(const Sweep &arrays, std::size_t from, std::size_t to) {
    const T *x = static_cast<const T *>(arrays.x), *h = static_cast<const T *>(SLOPE ? arrays.h : arrays.x);
    const T numbers[] = {static_cast<T>(arrays.numbers[0]), static_cast<T>(arrays.numbers[1]), static_cast<T>(arrays.numbers[2])};
    T *out = static_cast<T *>(arrays.out);
    std::size_t i = from, off = reinterpret_cast<std::uintptr_t>(out + from) % WIDTH / sizeof(T);
    if (off && to - from >= 8 * LANES<T>) {  // whole vectors are stored at their own multiples, of which none lies in two lines of the cache
        i += LANES<T> - off;
        store_part<T>(out + from, at<F, T>(load_part<T>(x + from, i - from), load_part<T>(h + from, i - from), numbers), i - from);
    }
    for (; i + LANES<T> <= to; i += LANES<T>) store<T>(out + i, at<F, T>(load<T>(x + i), load<T>(h + i), numbers));
    if (i < to) store_part<T>(out + i, at<F, T>(load_part<T>(x + i, to - i), load_part<T>(h + i, to - i), numbers), to - i);
}
