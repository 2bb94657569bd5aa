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
        using I = typename Traits<T>::I;
        I sign = (I)x & std::numeric_limits<typename Traits<T>::Int>::min();
        return (V<T>)((I)hyperbolic_tangent<T>((V<T>)((I)x ^ sign)) | sign);
    }
};
