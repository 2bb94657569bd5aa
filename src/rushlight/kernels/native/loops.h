// What the module asks of the loops, which are built once for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rushlight {

// One sweep: out[i] is a function of x[i], times h[i] where it is a slope; some have up to three numbers of their own.
struct Sweep {
    const void *x, *h;
    void *out;
    double numbers[3];
};
using SweepLoop = void (*)(const Sweep &, std::size_t from, std::size_t to);

// out[i] = start[i] + weight[i] * (end[i] - start[i]), counted from the nearer end.
struct Mixture {
    const void *start, *end, *weight;
    void *out;
};
using MixtureLoop = void (*)(const Mixture &, std::size_t from, std::size_t to);

// start + i * step for i from `from` to `to`. In whole blocks of RANGE_BLOCK the first is rounded, and the others are counted from
// there; those from `whole` on are counted from the start.
struct Range {
    void *out;
    double start, step;
    std::size_t whole;
};
constexpr std::size_t RANGE_BLOCK = 32;  // bytes
using RangeLoop = void (*)(const Range &, std::size_t from, std::size_t to);

// Rows of one length, one behind another; what a kernel has no use for is null.
struct Rows {
    const void *x, *g, *weight, *bias;
    void *out;
    float *moments; // of each row of numbers of two bytes the mean, and behind all of these 1 / standard deviation
    void *partial;  // of each chunk of rows the sums of its columns: for the weight, then for the bias
    std::size_t length, rows_of_chunk, count;
    std::size_t inner;  // of columns how many stand beside one another; the loops of columns go by STRIPEs of them
    double eps;
    float *for_weight, *for_bias;  // of numbers of two bytes
    bool rounds;                   // whether their moments are rounded to two bytes, too
};
constexpr std::size_t STRIPE = 64, BROAD = 256;  // those of norms and of sums
constexpr std::size_t SCANNED_ABREAST = 8;  // rows
// Sums (sums.h) add lanes of so many bytes, of which so many lie side by side and are a line.
constexpr std::size_t LANE_BYTES = 32, LANES_OF_LINE = 4;
// Of so many lines how many are added up in one run.
inline std::size_t run_of(std::size_t count) {
    std::size_t bits = 0;
    for (std::size_t rest = count ? count - 1 : 0; rest; rest >>= 1) bits++;
    return std::size_t(1) << (bits / 4 < 4 ? 4 : bits / 4);
}
using RowsLoop = void (*)(const Rows &, std::size_t from, std::size_t to);

// Numbers (samples, channels, length); what a kernel has no use for is null.
struct Channels {
    const void *x, *g, *weight, *bias;
    void *out, *for_weight, *for_bias;
    double *moments;  // the means, then the variances: measured, or given
    double *sums;     // of each sample and channel what goes to its weight, and what to its bias
    std::size_t samples, channels, length;
    std::size_t groups;  // of a sample's channels, which are normalized together
    double eps;
};
using ChannelsLoop = void (*)(const Channels &, std::size_t from, std::size_t to);

// Sums, in order, of `count` lines of numbers, `stride` apart, of which `out` takes `length`.
using ColumnsLoop = void (*)(const void *lines, std::size_t count, std::size_t stride, std::size_t length, void *out);

// Of a convolution (convolution.cpp), with lines in which a term begins at its offset: out[o][p] is the sum over terms of
// weights[term][o] * lines[offset + p], for `outputs` (1, 2 or 4) lines of out, `pitch` apart. Whole LINE_STEPs are read and written.
using ProductsLoop = void (*)(const void *lines, const std::size_t *offsets, std::size_t terms, const void *weights, std::size_t outputs, std::size_t length, void *out, std::size_t pitch);
// sums[o * terms + term] grows by the sum over p of g[o][p] * lines[offset + p], for `outputs` (1 or 4) lines of g, `pitch` apart.
using DotsLoop = void (*)(const void *g, std::size_t pitch, std::size_t outputs, const void *lines, const std::size_t *offsets, std::size_t terms, std::size_t length, double *sums);
constexpr std::size_t LINE_STEP = 512;  // bytes: eight vectors

// Of rows of numbers, `vectors` (1 or 2) wide: out[r] is the sum over s of lines[places[r] + steps[s]] times row s of the weights; where
// it `adds`, out is double and grows by that.
struct Tiles {
    const void *lines;
    const std::size_t *places;
    std::size_t rows;
    const std::size_t *steps;
    std::size_t count;
    const void *weights;
    std::size_t vectors;
    void *out;
    bool adds;
};
using TilesLoop = void (*)(const Tiles &);

// Of rows of x, `width` numbers each, the distances from each column of `turned` (width, pitch), which is longer by a vector at least;
// of pairs from those behind the row alone.
struct Distances {
    const void *x, *turned;
    void *out;
    std::size_t columns, pitch, width;
    int order;  // 0, 1, 2, and 3 for the largest
    bool are_pairs;
};
using DistancesLoop = void (*)(const Distances &, std::size_t from, std::size_t to);

// The slopes of distances of rows of x from others, each times its weight: that of a row and another is where `place` says. Of pairs the
// others are the rows themselves.
struct DistanceSlopes {
    const void *x, *others, *weights, *lengths;  // the distances, where the order is that of the largest
    void *out;
    std::size_t rows, columns, width;
    int order;
    bool are_pairs, are_turned;  // whether weights of one other follow one another

    std::size_t place(std::size_t row, std::size_t other) const {
        if (!are_pairs) return are_turned ? other * rows + row : row * columns + other;
        std::size_t low = row < other ? row : other, high = row < other ? other : row;
        return low * (2 * rows - low - 1) / 2 + high - low - 1;
    }
};
using DistanceSlopesLoop = void (*)(const DistanceSlopes &, std::size_t from, std::size_t to);

// One step of a layer of long short-term memory, of one sample: four gates of `width` numbers (in, forget, cell, out) and the cell.
struct LstmStep {
    void *gates;             // what the inputs add to them, and then they
    const void *sums;        // what the state adds
    const void *bias, *more; // null, or two biases
    const void *before;      // the cell before
    void *cell, *out;
    std::size_t width;
};
struct LstmStepBack {
    const void *gates, *cell, *before;
    const void *given;       // for the output; may be null
    const void *for_hidden;  // from the step that follows
    void *for_cell;          // for the cell, and then for the one before
    void *for_gates;         // before their sigmoids and hyperbolic tangents
    std::size_t width;
};
using LstmLoop = void (*)(const LstmStep &);
using LstmBackLoop = void (*)(const LstmStepBack &);

// A step of an optimizer: a parameter, its gradient and what states there are of it, others null, and numbers by kind:
// Adam: sign of the gradient, decay, factor of the parameter, 1 - beta1, beta2, 1 - beta2, eps, rate; mean, square, largest
// SGD: sign, decay, rate, momentum, 1 - dampening, whether Nesterov's; buffer
// RMSprop: sign, decay, alpha, 1 - alpha, eps, rate, momentum; square, buffer, mean
constexpr int STEP_NUMBERS = 8;
struct Step {
    void *p;
    const void *g;
    void *states[3];
    double numbers[STEP_NUMBERS];
};
using StepLoop = void (*)(const Step &, std::size_t from, std::size_t to);

// A row of scores, or of the weights that they are made, and of cotangents.
struct AttentionRow {
    void *scores, *g;
    const void *mask;  // what is added to the scores; may be null
    std::size_t length, seen;
    double scale;
};
using AttentionLoop = void (*)(const AttentionRow &);

// Of `count` uniform numbers, blocks of sixteen, normal ones.
using NormalsLoop = void (*)(float *values, std::size_t count, float mean, float std, bool is_standard);

// Numbers of two bytes to single precision, or back.
using ConversionLoop = void (*)(const void *from, void *to, std::size_t count);

// Windows of planes (depth, height, width), boxes of which an axis says for each window where it begins, where it ends, and how much it
// counts. Those of the width from `regular[0]` to `regular[1]` are as many taps, and each begins `stride` after the one before.
struct Boxes {
    const std::int64_t *begin[3], *end[3], *count[3];
    std::size_t in[3], out[3], step[3];
    std::size_t regular[2], stride;
    const void *x;
    void *out_values;
    std::int64_t *indices;  // of maxima; null where there are none
    const std::int32_t *places;  // of the `taps` of all windows, one tap of all of them after another; null where lines are worked on
    std::size_t taps;

    std::size_t plane() const { return in[0] * in[1] * in[2]; }
    std::size_t windows() const { return out[0] * out[1] * out[2]; }
};
// Of planes `from` to `to`, with room for a line of the input and one of windows.
using BoxesLoop = void (*)(const Boxes &, std::size_t from, std::size_t to, void *room);

// Places of alignments of labels (ctc_functions.cpp), logarithms of probabilities in double: out[i] = row[i] + the logarithm of the sum
// of what came from before[i], from before[i + step], and from before[i + 2 * step] where `jumps` is 0 and not -inf.
struct Alignments {
    const double *before, *jumps, *row;
    double *out;
    std::ptrdiff_t step;
    std::size_t count;
};
using AlignmentsLoop = void (*)(const Alignments &);
// out[i] = exp(alpha[i] + beta[i] - row[i] + loss)
using SharesLoop = void (*)(const double *alpha, const double *beta, const double *row, double loss, double *out, std::size_t count);
// out[i] = exp(x[i]) - totals[i], and nan where x is -inf
using LessSharesLoop = void (*)(const void *x, const double *totals, void *out, std::size_t count);

// Places of a grid in images (grid_functions.cpp).
enum GridMode { BILINEAR, NEAREST, BICUBIC, GRID_MODES };
enum GridPadding { ZEROS, BORDER, REFLECTION, GRID_PADDINGS };
struct Grid {
    std::size_t samples, channels, spatial[3], places, rank, mode, padding, align_corners, orders[3];  // of derivatives, by coordinate

    std::size_t plane() const { return spatial[0] * spatial[1] * spatial[2]; }
    double scale(std::size_t size) const { return static_cast<double>(align_corners ? size - 1 : size) / 2; }
};
constexpr std::int32_t GRID_FRAME = 2;   // zeros on each side of an image, which is what is seen wherever there is no image
constexpr std::size_t GRID_BLOCK = 64;  // places that are worked on together
// Of `count` places the positions by coordinate, and where their values lie; the framed images are (channels, size).
struct GridBlock {
    const void *positions;
    std::size_t count;
    const std::size_t *frame;
    std::size_t size;
    void *framed, *values;
};
using GridLoop = void (*)(const Grid &, const GridBlock &);

enum SweepKind {
    GELU, GELU_TANH, SILU, MISH, SIGMOID, RELU, LEAKY_RELU, ELU, SOFTPLUS, LOG_SIGMOID, HARDTANH, HARDSIGMOID, HARDSWISH,
    GELU_SLOPE, GELU_TANH_SLOPE, SILU_SLOPE, MISH_SLOPE, SIGMOID_SLOPE, TANH_SLOPE, RELU_SLOPE, LEAKY_RELU_SLOPE, ELU_SLOPE,
    SOFTPLUS_SLOPE, LOG_SIGMOID_SLOPE, HARDTANH_SLOPE, HARDSIGMOID_SLOPE, HARDSWISH_SLOPE, THRESHOLD_SLOPE, SHRINK_SLOPE,
    SUM, DIFFERENCE, PRODUCT, QUOTIENT, OPPOSITE, TANH, ERF,
    SMOOTH_L1, SMOOTH_L1_SLOPE, HUBER, HUBER_SLOPE, ERFINV, SOFTSHRINK, SIGN, HYPOTENUSE, FINITE, GATED, GATE_SLOPE, THRESHOLD, HARDSHRINK, LOG1P,
    ERFC, LOG_GAMMA, LOG_ADD_EXP, LOG_ADD_EXP_2, FMOD, REMAINDER, FMOD_NUMBER, REMAINDER_NUMBER, SUM_NUMBER, DIFFERENCE_NUMBER, PRODUCT_NUMBER, QUOTIENT_NUMBER,
    SWEEPS
};
enum RowsKind { SOFTMAX, SOFTMAX_SLOPE, LOG_SOFTMAX, LOG_SOFTMAX_SLOPE, LAYER_NORM, LAYER_NORM_SLOPES, ROWS };
enum ScanKind { RUNNING_SUM, RUNNING_SUM_BACK, RUNNING_PRODUCT, LAST_MAXIMUM, LAST_MINIMUM, SCANS };
enum ConversionKind { SINGLE_OF_HALF, HALF_OF_SINGLE, SINGLE_OF_BRAIN, BRAIN_OF_SINGLE, CONVERSIONS };
enum FoldKind { SUMS, NUMBER_SUMS, SQUARES, PRODUCTS, MAXIMA, MINIMA, FOLDS };
enum ColumnsKind { COLUMN_SOFTMAX, COLUMN_SOFTMAX_SLOPE, COLUMN_LOG_SOFTMAX, COLUMN_LOG_SOFTMAX_SLOPE, COLUMN_KINDS };
enum StepKind { ADAM, SGD, RMSPROP, STEPS };
constexpr int NEEDED[STEPS] = {2, 0, 1};  // states
enum BoxesKind { BOX_MAXIMA, BOX_MEANS, BOX_MEANS_BACKWARD, BOXES };
enum ChannelsKind { CHANNEL_MOMENTS, BATCH_NORM, BATCH_NORM_BACKWARD, BATCH_NORM_GIVEN, GROUP_NORM, GROUP_NORM_BACKWARD, CHANNEL_DOTS, CHANNELS };
// The first four of these, of channels of one number a sample: by stripes of them.
enum { COLUMN_NORMS = BATCH_NORM_GIVEN + 1 };

// The loops of one instruction set: of float in [0], of double in [1].
struct Set {
    const char *name;
    std::size_t width;  // of a vector, in bytes
    SweepLoop sweeps[SWEEPS][2];
    RowsLoop rows[ROWS][2];
    RowsLoop folds[FOLDS][2];
    RowsLoop scans[SCANS][2];
    RowsLoop across[COLUMN_KINDS][2];
    ChannelsLoop channels[CHANNELS][2];
    ChannelsLoop column_norms[COLUMN_NORMS][2];
    RowsLoop column_sums[2], block_sums[2], sums_of_blocks[2];
    ColumnsLoop columns[2];
    ProductsLoop products[2];
    DotsLoop dots[2];
    LstmLoop lstm[2];
    LstmBackLoop lstm_back[2];
    AttentionLoop attention_weights[2], attention_slopes[2];
    StepLoop steps[STEPS][2];
    BoxesLoop boxes[BOXES][2];
    AlignmentsLoop alignments;
    SharesLoop shares;
    LessSharesLoop less_shares[2];
    NormalsLoop normals;
    ConversionLoop conversions[CONVERSIONS];
    RowsLoop half_norms[2], half_norm_slopes[2], half_norm_sums[2];  // of float16, of bfloat16; the last by columns
    TilesLoop tiles[2];
    DistancesLoop distances[2];
    DistanceSlopesLoop distance_slopes[2];
    MixtureLoop mixtures[2];
    RangeLoop ranges[2];
    GridLoop grids[2], grids_back[2];
};

// Null where they are for another processor.
const Set *set_base();
const Set *set_v3();
const Set *set_v4();

}  // namespace rushlight
