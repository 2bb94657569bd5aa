// Functions that bend: straight from somewhere on, and their slopes. nan passes, as does the sign of zero.

struct Relu {
    template <class T> static V<T> at(V<T> x, V<T>) { return x < T(0) ? all<T>(0) : x; }
};

// Of this the value is given.
struct ReluSlope {
    template <class T> static V<T> at(V<T> y, V<T> h) { return y <= T(0) ? all<T>(0) : h; }
};

// (slope)
struct LeakyRelu {
    template <class T> static V<T> at(V<T> x, V<T>, const T *numbers) { return x > T(0) ? x : x * numbers[0]; }
};

struct LeakyReluSlope {
    template <class T> static V<T> at(V<T> x, V<T> h, const T *numbers) { return x > T(0) ? h : h * numbers[0]; }
};

// (factor below 0, above, of the exponent)
struct Elu {
    template <class T> static V<T> at(V<T> x, V<T>, const T *numbers) {
        return x < T(0) ? exponential_less_1<T>(x * numbers[2]) * numbers[0] : x * numbers[1];
    }
};

struct EluSlope {
    template <class T> static V<T> at(V<T> x, V<T> h, const T *numbers) {
        return x <= T(0) ? exponential<T>(x * numbers[2]) * (h * numbers[0]) : h * numbers[1];
    }
};

// log(1 + u) for 0 <= u <= 1: twice the inverse hyperbolic tangent of s = u / (2 + u), by powers of s.
template <class T> inline V<T> logarithm_of_1_and(V<T> u) {
    constexpr int TERMS = sizeof(T) == 4 ? 8 : 17;
    V<T> s = u / (u + T(2)), square = s * s, sum = all<T>(T(2) / T(2 * TERMS + 1));
    for (int term = TERMS - 1; term > 0; term--) sum = sum * square + T(2) / T(2 * term + 1);
    return s * (sum * square + T(2));
}

// log(1 + exp(x)).
template <class T> inline V<T> soft_step(V<T> x) {
    V<T> above = x < T(0) ? all<T>(0) : x, off = x < T(0) ? x : -x;
    return above + logarithm_of_1_and<T>(exponential<T>(off));
}

// (beta, threshold): straight where beta * x is above it.
struct Softplus {
    template <class T> static V<T> at(V<T> x, V<T>, const T *numbers) {
        V<T> scaled = x * numbers[0];
        return scaled > numbers[1] ? x : soft_step<T>(scaled) / numbers[0];
    }
};

struct SoftplusSlope {
    template <class T> static V<T> at(V<T> x, V<T> h, const T *numbers) {
        V<T> scaled = x * numbers[0];
        return scaled > numbers[1] ? h : h * Sigmoid::at<T>(scaled, scaled);
    }
};

struct LogSigmoid {
    template <class T> static V<T> at(V<T> x, V<T>) { return -soft_step<T>(-x); }
};

struct LogSigmoidSlope {
    template <class T> static V<T> at(V<T> x, V<T> h) { return h * Sigmoid::at<T>(-x, x); }
};

template <class T> inline V<T> between(V<T> x, T low, T high) {
    x = x < low ? all<T>(low) : x;
    return x > high ? all<T>(high) : x;
}

// (low, high)
struct Hardtanh {
    template <class T> static V<T> at(V<T> x, V<T>, const T *numbers) { return between<T>(x, numbers[0], numbers[1]); }
};

// nan lets the gradient pass, as PyTorch's single numbers do and its vectors do not
struct HardtanhSlope {
    template <class T> static V<T> at(V<T> x, V<T> h, const T *numbers) {
        V<T> above = x <= numbers[0] ? all<T>(0) : h;
        return x >= numbers[1] ? all<T>(0) : above;
    }
};

struct Hardsigmoid {
    template <class T> static V<T> at(V<T> x, V<T>) { return between<T>(x + T(3), 0, 6) / T(6); }
};

// (1 / 6, as PyTorch rounds it)
struct HardsigmoidSlope {
    template <class T> static V<T> at(V<T> x, V<T> h, const T *numbers) {
        V<T> above = x > T(-3) ? h * numbers[0] : all<T>(0);
        return x < T(3) ? above : all<T>(0);
    }
};

struct Hardswish {
    template <class T> static V<T> at(V<T> x, V<T>) { return between<T>(x + T(3), 0, 6) * x / T(6); }
};

struct HardswishSlope {
    template <class T> static V<T> at(V<T> x, V<T> h) {
        V<T> slope = x < T(3) ? h * (x / T(3) + T(0.5)) : h;
        return x <= T(-3) ? all<T>(0) : slope;
    }
};

// (limit): where that of nan passes too.
struct ThresholdSlope {
    template <class T> static V<T> at(V<T> x, V<T> h, const T *numbers) { return x <= numbers[0] ? all<T>(0) : h; }
};

// (limit)
struct Softshrink {
    template <class T> static V<T> at(V<T> x, V<T>, const T *numbers) {
        V<T> inside = x * T(0), below = x < -numbers[0] ? x + numbers[0] : inside;
        return x > numbers[0] ? x - numbers[0] : below;
    }
};

struct ShrinkSlope {
    template <class T> static V<T> at(V<T> x, V<T> h, const T *numbers) {
        V<T> size = x < T(0) ? -x : x;
        return size <= numbers[0] ? all<T>(0) : h;
    }
};

// That of nan is 0.
struct Sign {
    template <class T> static V<T> at(V<T> x, V<T>) {
        V<T> below = x < T(0) ? all<T>(-1) : all<T>(0);
        return x > T(0) ? all<T>(1) : below;
    }
};

// |a - b|; a nan has no sign.
template <class T> inline V<T> distance(V<T> a, V<T> b) {
    V<T> off = a - b, size = off < 0 ? -off : off;
    return off == off ? size : all<T>(T(__builtin_nan("")));
}

// Of two numbers, (where it turns): half the square of their distance until then, over where it turns, and straight from there on.
struct SmoothL1 {
    template <class T> static V<T> at(V<T> a, V<T> b, const T *numbers) {
        V<T> off = distance<T>(a, b);
        return off < numbers[0] ? T(0.5) * off * off / numbers[0] : off - T(0.5) * numbers[0];
    }
};

// (where it turns, a factor)
struct SmoothL1Slope {
    template <class T> static V<T> at(V<T> a, V<T> b, const T *numbers) { return between<T>((a - b) / numbers[0], -1, 1) * numbers[1]; }
};

// The same times where it turns.
struct Huber {
    template <class T> static V<T> at(V<T> a, V<T> b, const T *numbers) {
        V<T> off = distance<T>(a, b);
        return off <= numbers[0] ? T(0.5) * off * off : numbers[0] * (off - T(0.5) * numbers[0]);
    }
};

struct HuberSlope {
    template <class T> static V<T> at(V<T> a, V<T> b, const T *numbers) { return between<T>(a - b, -numbers[0], numbers[0]) * numbers[1]; }
};
