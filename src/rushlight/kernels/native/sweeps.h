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

constexpr double ROOT = 0.79788456080286535588, CUBE = 0.044715;  // sqrt(2 / pi)

struct Sigmoid {
    template <class T> static V<T> at(V<T> x, V<T>) { return T(1) / (T(1) + exponential<T>(-x)); }
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

// With what numbers of its own a function has, as `at` takes them or not.
template <class F, class T> inline auto at(V<T> x, V<T> h, const T *) -> decltype(F::template at<T>(x, h)) { return F::template at<T>(x, h); }
template <class F, class T> inline auto at(V<T> x, V<T> h, const T *numbers) -> decltype(F::template at<T>(x, h, numbers)) {
    return F::template at<T>(x, h, numbers);
}

template <class F, class T, bool SLOPE> void sweep(const Sweep &arrays, std::size_t from, std::size_t to) {
    const T *x = static_cast<const T *>(arrays.x), *h = static_cast<const T *>(SLOPE ? arrays.h : arrays.x);
    const T numbers[] = {static_cast<T>(arrays.numbers[0]), static_cast<T>(arrays.numbers[1]), static_cast<T>(arrays.numbers[2])};
    T *out = static_cast<T *>(arrays.out);
    std::size_t i = from;
    for (; i + LANES<T> <= to; i += LANES<T>) store<T>(out + i, at<F, T>(load<T>(x + i), load<T>(h + i), numbers));
    if (i < to) store_part<T>(out + i, at<F, T>(load_part<T>(x + i, to - i), load_part<T>(h + i, to - i), numbers), to - i);
}
