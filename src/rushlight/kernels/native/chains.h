// Arithmetic on blocks of numbers, one step of a chain each (chain_functions.cpp): as NumPy's, to the last bit.

struct Sum {
    template <class T> static V<T> at(V<T> a, V<T> b) { return a + b; }
};

struct Difference {
    template <class T> static V<T> at(V<T> a, V<T> b) { return a - b; }
};

struct Product {
    template <class T> static V<T> at(V<T> a, V<T> b) { return a * b; }
};

struct Quotient {
    template <class T> static V<T> at(V<T> a, V<T> b) { return a / b; }
};

struct Opposite {
    template <class T> static V<T> at(V<T> a, V<T>) { return -a; }
};

// Odd to the last bit; the sign of zero passes.
struct Tanh {
    template <class T> static V<T> at(V<T> x, V<T>) {
        V<T> value = hyperbolic_tangent<T>(x < T(0) ? -x : x);
        return x == T(0) ? x : x < T(0) ? -value : value;
    }
};
