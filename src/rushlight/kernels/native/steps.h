// Steps of optimizers: parameters, gradients and states number by number, all in one sweep. A gradient may be the parameter itself, so
// that nothing is said of where they lie but that a number depends on those beside it alone.

// A gradient with its sign and weight decay; without decay nothing is asked of the parameter, which may be infinite.
template <class T> inline T decayed(T g, T p, T sign, T decay) { return decay == T(0) ? sign * g : sign * g + decay * p; }

template <class T> void adam_step(const Step &step, std::size_t from, std::size_t to) {
    T *p = static_cast<T *>(step.p), *mean = static_cast<T *>(step.states[0]), *square = static_cast<T *>(step.states[1]), *largest = static_cast<T *>(step.states[2]);
    const T *g = static_cast<const T *>(step.g);
    T numbers[8];
    for (int i = 0; i < 8; i++) numbers[i] = static_cast<T>(step.numbers[i]);
    T sign = numbers[0], decay = numbers[1], shrink = numbers[2], fresh = numbers[3], keep = numbers[4], added = numbers[5], eps = numbers[6], rate = numbers[7];
#pragma GCC ivdep
    for (std::size_t i = from; i < to; i++) {
        T given = decayed(g[i], p[i], sign, decay);
        mean[i] += fresh * (given - mean[i]);
        square[i] = keep * square[i] + added * given * given;
        T size = square[i];
        if (largest) largest[i] = size = largest[i] != largest[i] || largest[i] >= size ? largest[i] : size;
        p[i] = shrink * p[i] - rate * (mean[i] / (std::sqrt(size) + eps));
    }
}

template <class T> void sgd_step(const Step &step, std::size_t from, std::size_t to) {
    T *p = static_cast<T *>(step.p), *buffer = static_cast<T *>(step.states[0]);
    const T *g = static_cast<const T *>(step.g);
    T numbers[6];
    for (int i = 0; i < 6; i++) numbers[i] = static_cast<T>(step.numbers[i]);
    T sign = numbers[0], decay = numbers[1], rate = numbers[2], momentum = numbers[3], fresh = numbers[4];
    bool ahead = numbers[5] != 0;
#pragma GCC ivdep
    for (std::size_t i = from; i < to; i++) {
        T given = decayed(g[i], p[i], sign, decay);
        if (buffer) {
            T moved = momentum * buffer[i] + fresh * given;
            buffer[i] = moved;
            given = ahead ? given + momentum * moved : moved;
        }
        p[i] -= rate * given;
    }
}

template <class T> void rmsprop_step(const Step &step, std::size_t from, std::size_t to) {
    T *p = static_cast<T *>(step.p), *square = static_cast<T *>(step.states[0]), *buffer = static_cast<T *>(step.states[1]), *mean = static_cast<T *>(step.states[2]);
    const T *g = static_cast<const T *>(step.g);
    T numbers[7];
    for (int i = 0; i < 7; i++) numbers[i] = static_cast<T>(step.numbers[i]);
    T sign = numbers[0], decay = numbers[1], keep = numbers[2], fresh = numbers[3], eps = numbers[4], rate = numbers[5], momentum = numbers[6];
#pragma GCC ivdep
    for (std::size_t i = from; i < to; i++) {
        T given = decayed(g[i], p[i], sign, decay), size = keep * square[i] + fresh * given * given;
        square[i] = size;
        if (mean) {
            T now = mean[i] + fresh * (given - mean[i]);
            mean[i] = now;
            if (FUSES) {
                size -= now * now;
            } else {  // the mean's square alone may be too large
                T root = std::sqrt(size);
                size = (root - now) * (root + now);
            }
        }
        T change = given / (std::sqrt(size) + eps);
        if (buffer) buffer[i] = change = momentum * buffer[i] + change;
        p[i] -= rate * change;
    }
}
