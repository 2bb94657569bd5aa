// The loops of one instruction set. Before including it say which: RUSHLIGHT_SET (its namespace), WIDTH (of a vector, in bytes), FUSES
// (whether it multiplies and adds at once) and CONVERTS (whether it has instructions to and from half precision).

namespace rushlight {
namespace RUSHLIGHT_SET {

#include "vectors.h"

#include "sweeps.h"

#include "bends.h"

#include "special.h"

#include "chains.h"

#include "halves.h"

#include "rows.h"

#include "sums.h"

#include "folds.h"

#include "scans.h"

#include "columns.h"

#include "channels.h"

#include "column_norms.h"

#include "boxes.h"

#include "lines.h"

#include "tiles.h"

#include "distances.h"

#include "ranges.h"

#include "gates.h"

#include "grids.h"

#include "attention_rows.h"

#include "steps.h"

#include "alignments.h"

#include "normals.h"

#define BOTH(loop) {loop<float>, loop<double>}
#define HALVES(loop) {loop<single_of_half, half_of_single>, loop<single_of_brain, brain_of_single>}
#define VALUES(F) {sweep<F, float, false>, sweep<F, double, false>}
#define FOLD(F) {fold_rows<float, F>, fold_rows<double, F>}
#define SCAN(CHAIN, BACK) {scan<float, CHAIN, BACK>, scan<double, CHAIN, BACK>}
#define SLOPES(F) {sweep<F, float, true>, sweep<F, double, true>}

static Set loops(const char *name) {
    return {name,
            WIDTH,
            {VALUES(Gelu), VALUES(GeluTanh), VALUES(Silu), VALUES(Mish), VALUES(Sigmoid), VALUES(Relu), VALUES(LeakyRelu), VALUES(Elu),
             VALUES(Softplus), VALUES(LogSigmoid), VALUES(Hardtanh), VALUES(Hardsigmoid), VALUES(Hardswish), SLOPES(GeluSlope),
             SLOPES(GeluTanhSlope), SLOPES(SiluSlope), SLOPES(MishSlope), SLOPES(SigmoidSlope), SLOPES(TanhSlope), SLOPES(ReluSlope),
             SLOPES(LeakyReluSlope), SLOPES(EluSlope), SLOPES(SoftplusSlope), SLOPES(LogSigmoidSlope), SLOPES(HardtanhSlope),
             SLOPES(HardsigmoidSlope), SLOPES(HardswishSlope), SLOPES(ThresholdSlope), SLOPES(ShrinkSlope), SLOPES(Sum), SLOPES(Difference),
             SLOPES(Product), SLOPES(Quotient), VALUES(Opposite), VALUES(Tanh), VALUES(Erf), SLOPES(SmoothL1), SLOPES(SmoothL1Slope), SLOPES(Huber),
             SLOPES(HuberSlope), VALUES(Erfinv), VALUES(Softshrink), VALUES(Sign), SLOPES(Hypotenuse),
             VALUES(Finite), SLOPES(Gated), SLOPES(GateSlope), VALUES(Threshold), VALUES(Hardshrink), VALUES(Log1p),
             VALUES(Erfc), VALUES(LogGamma), SLOPES(LogAddExp), SLOPES(LogAddExp2), SLOPES(Fmod), SLOPES(Remainder), VALUES(ByNumber<Fmod>),
             VALUES(ByNumber<Remainder>), VALUES(ByNumber<Sum>), VALUES(ByNumber<Difference>), VALUES(ByNumber<Product>), VALUES(ByNumber<Quotient>)},
            {BOTH(softmax), BOTH(softmax_backward), BOTH(log_softmax), BOTH(log_softmax_backward), BOTH(layer_norm), BOTH(layer_norm_backward)},
            {FOLD(InOrder<All>), FOLD(InOrder<Numbers>), FOLD(Squares), FOLD(Folded<Products>), FOLD(Folded<Maxima>), FOLD(Folded<Minima>)},
            {SCAN(RunningSum, false), SCAN(RunningSum, true), SCAN(RunningProduct, false), SCAN(LastMaximum, false), SCAN(LastMinimum, false)},
            {BOTH(columns_softmax), BOTH(columns_softmax_backward), BOTH(columns_log_softmax), BOTH(columns_log_softmax_backward)},
            {BOTH(channel_moments), BOTH(batch_norm), BOTH(batch_norm_backward), BOTH(batch_norm_given), BOTH(group_norm), BOTH(group_norm_backward), BOTH(channel_dots)},
            {BOTH(moments_of_columns), BOTH(norm_of_columns), BOTH(norm_of_columns_backward), BOTH(norm_of_columns_given)},
            BOTH(sum_columns),
            BOTH(sum_blocks),
            BOTH(sum_of_blocks),
            BOTH(add_columns),
            BOTH(products),
            BOTH(dots),
            BOTH(lstm_step),
            BOTH(lstm_step_back),
            BOTH(attention_weights),
            BOTH(attention_slopes),
            {BOTH(adam_step), BOTH(sgd_step), BOTH(rmsprop_step)},
            {BOTH(box_maxima), BOTH(box_means), BOTH(box_means_backward)},
            alignments,
            shares,
            BOTH(less_shares),
            normals,
            {single_of_half, half_of_single, single_of_brain, brain_of_single},
            HALVES(layer_norm_of_halves),
            HALVES(norm_slopes_of_halves),
            HALVES(norm_sums_of_halves),
            BOTH(tiles),
            BOTH(distances),
            BOTH(distance_slopes),
            BOTH(mixture),
            BOTH(range),
            {grid_block<float, false>, grid_block<double, false>},
            {grid_block<float, true>, grid_block<double, true>}};
}

}  // namespace RUSHLIGHT_SET
}  // namespace rushlight
