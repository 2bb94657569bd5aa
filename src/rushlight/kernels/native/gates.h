// Steps of recurrent layers, sample by sample.

template <class T> void lstm_step(const LstmStep &step) {
    std::size_t width = step.width;
    T *gates = static_cast<T *>(step.gates), *cell = static_cast<T *>(step.cell), *out = static_cast<T *>(step.out);
    const T *sums = static_cast<const T *>(step.sums), *before = static_cast<const T *>(step.before);
    const T *bias = static_cast<const T *>(step.bias), *more = static_cast<const T *>(step.more);
    along_row<T>(width, [&](std::size_t i, std::size_t count) {
        auto before_gate = [&](std::size_t place) {
            V<T> sum = some<T>(gates + place, count) + some<T>(sums + place, count);
            return bias ? sum + (some<T>(bias + place, count) + some<T>(more + place, count)) : sum;
        };
        V<T> into = Sigmoid::at<T>(before_gate(i), V<T>{}), forget = Sigmoid::at<T>(before_gate(width + i), V<T>{});
        V<T> fresh = hyperbolic_tangent<T>(before_gate(2 * width + i)), show = Sigmoid::at<T>(before_gate(3 * width + i), V<T>{});
        V<T> now = forget * some<T>(before + i, count) + into * fresh;
        put<T>(gates + i, into, count);
        put<T>(gates + width + i, forget, count);
        put<T>(gates + 2 * width + i, fresh, count);
        put<T>(gates + 3 * width + i, show, count);
        put<T>(cell + i, now, count);
        put<T>(out + i, show * hyperbolic_tangent<T>(now), count);
    });
}

template <class T> void lstm_step_back(const LstmStepBack &step) {
    std::size_t width = step.width;
    const T *gates = static_cast<const T *>(step.gates), *cell = static_cast<const T *>(step.cell);
    const T *before = static_cast<const T *>(step.before), *given = static_cast<const T *>(step.given);
    const T *for_hidden = static_cast<const T *>(step.for_hidden);
    T *for_cell = static_cast<T *>(step.for_cell), *for_gates = static_cast<T *>(step.for_gates);
    along_row<T>(width, [&](std::size_t i, std::size_t count) {
        V<T> into = some<T>(gates + i, count), forget = some<T>(gates + width + i, count);
        V<T> fresh = some<T>(gates + 2 * width + i, count), show = some<T>(gates + 3 * width + i, count);
        V<T> curve = hyperbolic_tangent<T>(some<T>(cell + i, count)), hidden = some<T>(for_hidden + i, count);
        if (given) hidden += some<T>(given + i, count);
        V<T> through = some<T>(for_cell + i, count) + hidden * show * (T(1) - curve * curve);
        put<T>(for_gates + i, through * fresh * (into - into * into), count);
        put<T>(for_gates + width + i, through * some<T>(before + i, count) * (forget - forget * forget), count);
        put<T>(for_gates + 2 * width + i, through * into * (T(1) - fresh * fresh), count);
        put<T>(for_gates + 3 * width + i, hidden * curve * (show - show * show), count);
        put<T>(for_cell + i, through * forget, count);
    });
}
