// Chains: several pointwise steps done block by block, so that what is between them stays in the nearest cache.
#include <algorithm>

#include "functions.h"
#include "memory.h"
#include "pool.h"
#include "strided.h"

namespace rushlight {
namespace {

constexpr std::size_t REGISTERS = 64, ARRAYS = 24, BLOCK = 2048;  // the last in bytes
constexpr double COST = 0.2;  // of a step on one number, in nanoseconds, about

struct Kind {
    const char *name;
    SweepKind sweep;
    bool takes_two;
};
constexpr Kind KINDS[] = {
    {"add", SUM, true}, {"subtract", DIFFERENCE, true}, {"multiply", PRODUCT, true}, {"divide", QUOTIENT, true}, {"negative", OPPOSITE, false},
    {"sigmoid", SIGMOID, false}, {"sigmoid_backward", SIGMOID_SLOPE, true}, {"tanh", TANH, false}, {"tanh_backward", TANH_SLOPE, true}, {"relu_backward", RELU_SLOPE, true},
    {"silu", SILU, false}, {"silu_backward", SILU_SLOPE, true}, {"gelu", GELU, false}, {"gelu_backward", GELU_SLOPE, true},
    {"mish", MISH, false}, {"mish_backward", MISH_SLOPE, true}, {"log_sigmoid", LOG_SIGMOID, false}, {"log_sigmoid_backward", LOG_SIGMOID_SLOPE, true},
};
constexpr std::size_t KIND_COUNT = sizeof KINDS / sizeof *KINDS;

struct Step {
    unsigned char kind, x, h, out;
};

struct Chain {
    std::size_t outs, inputs, numbers, steps;
    const unsigned char *results;
    const Step *program;
    double values[REGISTERS];
    Strided arrays[ARRAYS];
    signed char target[256];  // of each step the result that it writes to its place, or -1
    bool is_placed[ARRAYS] = {};  // whether a step does so
    std::size_t lengths[DIMENSIONS], dimensions = 0;
    const Set *set;
    ConversionLoop widen = nullptr, narrow = nullptr;  // of numbers of two bytes, which are computed with in single precision

    bool overlaps_an_input(std::size_t result) const {
        return std::any_of(arrays + outs, arrays + outs + inputs, [&](const Strided &input) { return arrays[result].overlaps(input); });
    }

    // A step writes to a result's own memory, unless a later one reads there what was before.
    void place() {
        std::fill_n(target, steps, -1);
        for (std::size_t i = 0; i < outs; i++) {
            if (overlaps_an_input(i)) continue;
            for (std::size_t step = steps; step-- > 0 && !is_placed[i];)
                if (program[step].out == results[i] && target[step] < 0) target[step] = static_cast<signed char>(i), is_placed[i] = true;
        }
    }

    template <class T> void gather(T *to, const char *from, std::ptrdiff_t stride, std::size_t count) const {
        if (!stride) {
            T value;
            std::memcpy(&value, from, sizeof(T));
            std::fill_n(to, count, value);
        } else {
            for (std::size_t i = 0; i < count; i++) std::memcpy(to + i, from + static_cast<std::ptrdiff_t>(i) * stride, sizeof(T));
        }
    }

    // Numbers of two bytes in single precision.
    void widened(void *to, const char *from, std::ptrdiff_t stride, std::size_t count) const {
        std::uint16_t gathered[BLOCK / sizeof(float)];
        if (stride != 2 || reinterpret_cast<std::uintptr_t>(from) % 2) gather(gathered, from, stride, count), from = reinterpret_cast<const char *>(gathered);
        widen(from, to, count);
    }

    // Numbers `from` to `to` of the last dimension, where each array is at its place.
    template <class T> void line(char *const *places, std::size_t from, std::size_t to, T *room, std::size_t block) const {
        std::size_t last = dimensions - 1;
        const T *registers[REGISTERS];
        for (std::size_t i = inputs; i < inputs + numbers; i++) registers[i] = room + i * block;
        for (std::size_t begin = from; begin < to; begin += block) {
            std::size_t count = std::min(block, to - begin);
            for (std::size_t i = 0; i < inputs; i++) {
                std::ptrdiff_t stride = arrays[outs + i].strides[last];
                const char *place = places[outs + i] + static_cast<std::ptrdiff_t>(begin) * stride;
                T *own = room + i * block;
                registers[i] = own;
                if (widen) {
                    if (stride || begin == from) widened(own, place, stride, begin == from && !stride ? block : count);
                } else if (stride == sizeof(T)) registers[i] = reinterpret_cast<const T *>(place);
                else if (stride || begin == from) gather(own, place, stride, begin == from && !stride ? block : count);
            }
            for (std::size_t i = 0; i < steps; i++) {
                const Step &step = program[i];
                T *out = target[i] < 0 ? room + step.out * block : reinterpret_cast<T *>(places[target[i]]) + begin;
                Sweep sweep{registers[step.x], registers[step.h], out, {}};
                set->sweeps[KINDS[step.kind].sweep][sizeof(T) == 8](sweep, 0, count);
                registers[step.out] = out;
                if (widen && i + 1 < steps) {  // each step's result is one of two bytes
                    std::uint16_t narrowed[BLOCK / sizeof(float)];
                    narrow(out, narrowed, count);
                    widen(narrowed, out, count);
                }
            }
            for (std::size_t i = 0; i < outs; i++)
                if (narrow) narrow(registers[results[i]], places[i] + begin * 2, count);
                else if (!is_placed[i]) std::memcpy(places[i] + begin * sizeof(T), registers[results[i]], count * sizeof(T));
        }
    }

    // Numbers `from` to `to` of one dimension, or lines of several.
    template <class T> void run(std::size_t from, std::size_t to, std::size_t used) const {
        std::size_t length = lengths[dimensions - 1], longest = dimensions > 1 ? length : to - from;
        std::size_t block = std::min(BLOCK / sizeof(T), (longest + 15) / 16 * 16);
        Memory<T> memory(used * block);
        if (!memory) return;
        T *room = memory.get();
        for (std::size_t i = 0; i < numbers; i++) std::fill_n(room + (inputs + i) * block, block, static_cast<T>(values[i]));
        char *places[ARRAYS];
        if (dimensions == 1) {
            for (std::size_t i = 0; i < outs + inputs; i++) places[i] = static_cast<char *>(arrays[i].view.buf);
            line(places, from, to, room, block);
            return;
        }
        for (std::size_t number = from; number < to; number++) {
            for (std::size_t i = 0; i < outs + inputs; i++) places[i] = static_cast<char *>(arrays[i].view.buf);
            std::size_t rest = number;
            for (std::size_t axis = dimensions - 1; axis-- > 0; rest /= lengths[axis])
                for (std::size_t i = 0; i < outs + inputs; i++)
                    places[i] += static_cast<std::ptrdiff_t>(rest % lengths[axis]) * arrays[i].strides[axis];
            line(places, 0, length, room, block);
        }
    }
};

PyObject *refused() {
    PyErr_SetString(PyExc_ValueError, "no such chain");
    return nullptr;
}

// (program, out, ..., input, ...): the program is bytes, how many results, inputs, numbers and steps there are, the registers of the
// results, four bytes a step, and the numbers as doubles. Registers are the inputs, the numbers, and then what steps give.
PyObject *chain(PyObject *, PyObject *const *args, Py_ssize_t count) {
    char *bytes;
    Py_ssize_t length;
    if (count < 2 || PyBytes_AsStringAndSize(args[0], &bytes, &length) < 0) return PyErr_Occurred() ? nullptr : refused();
    auto *code = reinterpret_cast<const unsigned char *>(bytes);
    if (length < 4) return refused();
    Chain all;
    all.outs = code[0], all.inputs = code[1], all.numbers = code[2], all.steps = code[3];
    std::size_t first = all.inputs + all.numbers;
    if (!all.outs || all.outs + all.inputs > ARRAYS || static_cast<std::size_t>(count) != 1 + all.outs + all.inputs || first >= REGISTERS ||
        static_cast<std::size_t>(length) != 4 + all.outs + 4 * all.steps + 8 * all.numbers)
        return refused();
    all.results = code + 4;
    all.program = reinterpret_cast<const Step *>(code + 4 + all.outs);
    std::memcpy(all.values, all.program + all.steps, 8 * all.numbers);
    std::size_t used = first;
    bool is_known[REGISTERS] = {};
    std::fill_n(is_known, first, true);
    for (std::size_t i = 0; i < all.steps; i++) {
        const Step &step = all.program[i];
        if (step.kind >= KIND_COUNT || step.x >= REGISTERS || step.h >= REGISTERS || step.out >= REGISTERS || step.out < first ||
            !is_known[step.x] || !is_known[step.h])
            return refused();
        is_known[step.out] = true;
        used = std::max<std::size_t>(used, step.out + 1u);
    }
    for (std::size_t i = 0; i < all.outs; i++)
        if (all.results[i] >= REGISTERS || !is_known[all.results[i]]) return refused();
    for (std::size_t i = 0; i < all.outs + all.inputs; i++) {
        Strided &array = all.arrays[i];
        if (!array.get(args[1 + i], i < all.outs, "fdeH") || array.kind != all.arrays[0].kind || !array.broadcast(all.arrays[0].view)) Py_RETURN_FALSE;
        if (i < all.outs && array.view.len != all.arrays[0].view.len) Py_RETURN_FALSE;
    }
    char kind = all.arrays[0].kind;
    bool is_double = kind == 'd', is_half = kind == 'e' || kind == 'H';  // whole numbers are those of bfloat16, which Python has no letter for
    auto size = static_cast<std::size_t>(all.arrays[0].view.len) / (is_double ? 8 : is_half ? 2 : 4);
    if (!size) Py_RETURN_TRUE;
    all.set = in_use.load();
    if (is_half) {
        for (std::size_t i = 0; i < all.outs; i++)
            if (reinterpret_cast<std::uintptr_t>(all.arrays[i].view.buf) % 2 || all.overlaps_an_input(i)) Py_RETURN_FALSE;
        all.widen = all.set->conversions[kind == 'e' ? SINGLE_OF_HALF : SINGLE_OF_BRAIN];
        all.narrow = all.set->conversions[kind == 'e' ? HALF_OF_SINGLE : BRAIN_OF_SINGLE];
        std::fill_n(all.target, all.steps, -1);
    } else {
        all.place();
    }
    all.dimensions = merged(all.arrays, all.outs + all.inputs, all.lengths);
    bool is_line = all.dimensions == 1;
    std::size_t units = is_line ? size : size / all.lengths[all.dimensions - 1];
    double cost = COST * static_cast<double>(all.steps) * (is_line ? 1.0 : static_cast<double>(all.lengths[all.dimensions - 1]));
    unlocked(size, [&] {
        share(units, is_line ? 1024 : 1, cost, [&](std::size_t from, std::size_t to) {
            is_double ? all.run<double>(from, to, used) : all.run<float>(from, to, used);
        });
    });
    Py_RETURN_TRUE;
}

// The names of steps, in the order of their numbers, with how many registers they read.
PyObject *chain_steps(PyObject *, PyObject *) {
    PyObject *steps = PyList_New(0);
    for (const Kind &kind : KINDS) {
        PyObject *step = steps ? Py_BuildValue("(si)", kind.name, kind.takes_two ? 2 : 1) : nullptr;
        if (!step || PyList_Append(steps, step) < 0) Py_CLEAR(steps);
        Py_XDECREF(step);
    }
    return steps;
}

}  // namespace

PyMethodDef chain_functions[] = {
    fast("chain", chain),
    {"chain_steps", chain_steps, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
