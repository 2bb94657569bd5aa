"""What functions in the rules' texts mean that a reader of NumPy or PyTorch does not know: one clause each, in both languages.

All others are in ``KNOWN``. That no text has a function beside these is held in tests/explain/test_meanings.py, and for the texts of all
programs in tests/conformance/test_explain.py.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from .words import MARK, Said

# As NumPy, PyTorch, Python or mathematics have them.
KNOWN = frozenset(
    "abs affine_grid_generator argsort as_strided block channel_shuffle cholesky_solve concat conj conjugate cos cosh cross cumsum det diag "
    "diagonal digamma erf exp exp2 eye flip floor gamma gather i0 i0e i1 i1e imag index_select inv isfinite len log lu_solve "
    "masked_scatter masked_select matrix_exp maximum mean min mm nll_loss norm one_hot ones outer permute_dims pinv pixel_shuffle "
    "pixel_unshuffle polygamma range real repeat reshape rot90 select sgn sigmoid sign sin sinh slice softmax solve solve_triangular split "
    "sqrt stack sum take tanh transpose tril triu trunc tuple unbind unfold var vector_norm view_as_complex view_as_real where zeros "
    "zeta".split()
)

# `{word}` is the function.
MEANINGS: dict[str, tuple[str, str]] = {
    # places
    "place": ("`place` puts g into zeros, where that was taken", "`place` 把 g 放进全零张量中原来取出的位置"),
    "added": ("`added` adds g into zeros, where the index points", "`added` 按索引把 g 累加进全零张量"),
    "add_along": (
        "`add_along` adds g into zeros at the indices along that axis",
        "`add_along` 沿该轴按索引把 g 累加进全零张量",
    ),
    "cleared": ("`cleared` is g with 0 at those places", "`cleared` 是在那些位置置 0 的 g"),
    "hit": ("`hit` is true where the index points along that axis", "`hit` 在索引沿该轴指到的位置为真"),
    "taken": ("`taken` is true where the index points", "`taken` 在索引指到的位置为真"),
    "keep_at": ("`keep_at` is g where something is stored, else 0", "`keep_at` 在存有元素处取 g，其余为 0"),
    "index": ("`index(g, i)` is g[i]", "`index(g, i)` 即 g[i]"),
    "distinct": ("`distinct` is the index without repetitions", "`distinct` 是去掉重复的索引"),
    "embed_slice": ("`embed_slice` puts g into zeros, at that slice", "`embed_slice` 把 g 放进全零张量的那个切片"),
    "embed_diagonal": (
        "`embed_diagonal` puts g into zeros, on that diagonal",
        "`embed_diagonal` 把 g 放到全零张量的那条对角线上",
    ),
    "diagonal_scatter": (
        "`diagonal_scatter(g, 0, ...)` is g with 0 on that diagonal",
        "`diagonal_scatter(g, 0, ...)` 是该对角线置 0 的 g",
    ),
    "as_strided_scatter": (
        "`as_strided_scatter(g, 0, ...)` is g with 0 where the view lay",
        "`as_strided_scatter(g, 0, ...)` 是视图所在处置 0 的 g",
    ),
    "as_strided_adjoint": (
        "`as_strided_adjoint` adds g into zeros, where `as_strided` took each element",
        "`as_strided_adjoint` 把 g 累加进全零张量中 `as_strided` 取出各元素的位置",
    ),
    "gather_strided": (
        "`gather_strided` takes of g what `as_strided` would",
        "`gather_strided` 像 `as_strided` 那样从 g 中取元素",
    ),
    "masked_select_adjoint": (
        "`masked_select_adjoint` puts g into zeros, where the mask is true",
        "`masked_select_adjoint` 把 g 放进全零张量中掩码为真处",
    ),
    "masked_scatter_adjoint": (
        "`masked_scatter_adjoint` is what of g lies under the mask, in order, then zeros",
        "`masked_scatter_adjoint` 依次取 g 在掩码下的元素，其余补 0",
    ),
    "take_adjoint": (
        "`take_adjoint` adds g into zeros, where `take` took each element",
        "`take_adjoint` 把 g 累加进全零张量中 `take` 取出各元素的位置",
    ),
    "take_along": ("`take_along` takes at the indices along that axis", "`take_along` 沿该轴按索引取元素"),
    "take_at": ("`take_at(g, i)` is g[i]", "`take_at(g, i)` 即 g[i]"),
    "put_at": ("`put_at` puts g into zeros, where the indices point", "`put_at` 把 g 放进全零张量中索引指到的位置"),
    "take_reduced": (
        "`take_reduced` takes at the indices that the reduction found",
        "`take_reduced` 取归约所找到的索引处的元素",
    ),
    "put_reduced": (
        "`put_reduced` puts g into zeros, where the reduction found its values",
        "`put_reduced` 把 g 放进全零张量中归约取到值的位置",
    ),
    "share": ("`share` divides g equally among the elements that equal the result", "`share` 把 g 平均分给等于结果的各元素"),
    "gather_share": (
        "`gather_share` is the mean of g over the elements that equal the result",
        "`gather_share` 是 g 在等于结果的各元素上的平均",
    ),
    "cropped": ("`cropped` is g without what was padded", "`cropped` 是去掉填充部分的 g"),
    "cut": ("`cut` is the first part, of that shape", "`cut` 取开头该形状的部分"),
    "filled": ("`filled` puts a matrix into zeros of that shape, top left", "`filled` 把矩阵放进该形状全零张量的左上角"),
    "half_of": (
        "`half_of(x, axis, 0)` is the first half along that axis, 1 the second",
        "`half_of(x, axis, 0)` 是沿该轴的前一半，1 是后一半",
    ),
    "blocks": ("`blocks` are the parts of g where each matrix lies", "`blocks` 是 g 中各矩阵所在的部分"),
    "roll_back": ("`roll_back` rolls the other way", "`roll_back` 向反方向滚动"),
    "unrepeat": ("`unrepeat` adds up the copies that were made", "`unrepeat` 把复制出的各份加起来"),
    "shift": ("`shift` moves by one place along that axis, and 0 comes in", "`shift` 沿该轴移动一位，空出处补 0"),
    "fold_windows": ("`fold_windows` adds each window back where it was taken", "`fold_windows` 把每个窗口加回取出它的位置"),
    "im2col": ("`im2col` is `F.unfold`: each window as a column", "`im2col` 即 `F.unfold`：每个窗口成为一列"),
    "col2im": ("`col2im` is `F.fold`: each column added where its window was", "`col2im` 即 `F.fold`：把每一列加回窗口原处"),
    "mirrored_pad": ("`mirrored_pad` pads with the elements within", "`mirrored_pad` 用内部元素填充"),
    "mirrored_pad_adjoint": (
        "`mirrored_pad_adjoint` adds what is padded to the elements that it repeats",
        "`mirrored_pad_adjoint` 把填充处加到被重复的元素上",
    ),
    "pad_packed": (
        "`pad_packed` spreads the packed rows, with 0 where a sequence has ended",
        "`pad_packed` 展开打包的行，序列结束处为 0",
    ),
    "pack_padded": ("`pack_padded` takes the rows at which a sequence has something", "`pack_padded` 取序列仍有元素处的行"),
    # pictures
    "conv": ("`conv` is the convolution", "`conv` 是卷积"),
    "conv_input_grad": (
        "`conv_input_grad` is the transposed convolution: g through the weights, back to the input",
        "`conv_input_grad` 是转置卷积：g 经权重回到输入",
    ),
    "conv_weight_grad": (
        "`conv_weight_grad` sums, for each weight, g times the input that it met",
        "`conv_weight_grad` 对每个权重累加 g 乘以它遇到的输入",
    ),
    "avg_pool2": ("`avg_pool2` is the mean of each window", "`avg_pool2` 是各窗口的平均"),
    "avg_pool_adjoint": (
        "`avg_pool_adjoint` divides g equally within each window",
        "`avg_pool_adjoint` 把 g 在各窗口内平均分配",
    ),
    "adaptive_avg_pool2": ("`adaptive_avg_pool2` is the mean of each window", "`adaptive_avg_pool2` 是各窗口的平均"),
    "adaptive_avg_pool_adjoint": (
        "`adaptive_avg_pool_adjoint` divides g equally within each window",
        "`adaptive_avg_pool_adjoint` 把 g 在各窗口内平均分配",
    ),
    "pool_gather": ("`pool_gather` takes of g where each window had its largest", "`pool_gather` 在各窗口最大值处取 g"),
    "pool_scatter": (
        "`pool_scatter` adds g into zeros, where each window had its largest",
        "`pool_scatter` 把 g 累加进全零张量中各窗口最大值处",
    ),
    "affine_grid_adjoint": (
        "`affine_grid_adjoint` sums g times each point of the grid before the map",
        "`affine_grid_adjoint` 累加 g 乘以变换前的各网格点",
    ),
    "grid_sampler2": ("`grid_sampler2` is `F.grid_sample`", "`grid_sampler2` 即 `F.grid_sample`"),
    "grid_sampler_adjoint": (
        "`grid_sampler_adjoint` adds g to the pixels that a sample was made of, by their weights",
        "`grid_sampler_adjoint` 按权重把 g 加回构成采样的各像素",
    ),
    "grid_derivative": (
        "`grid_derivative` is how a sample changes when its point moves along coordinate i",
        "`grid_derivative` 是采样点沿坐标 i 移动时采样值的变化率",
    ),
    # rows of a table
    "embedding_adjoint": (
        "`embedding_adjoint` adds each row of g to the row that was looked up",
        "`embedding_adjoint` 把 g 的每一行加到被查的那一行",
    ),
    "embedding_but": ("`embedding_but` looks rows up, 0 for the padding", "`embedding_but` 查表取行，填充处为 0"),
    "bags": ("`bags` is the bag that each index is in", "`bags` 是每个索引所属的袋"),
    "bag_sizes": ("`bag_sizes` is how many are in each bag", "`bag_sizes` 是每袋的元素个数"),
    "bag_argmax": (
        "`bag_argmax` is the row that is largest in each bag, -1 where there is none",
        "`bag_argmax` 是每袋中最大的行，没有时为 -1",
    ),
    "often": ("`often` is how often an index comes", "`often` 是索引出现的次数"),
    # sums, and what is beside them
    "cumsum_from_end": ("`cumsum_from_end` adds up from the end", "`cumsum_from_end` 从末尾起累加"),
    "line_sums": ("`line_sums` are the sums along that dimension", "`line_sums` 是沿该维的和"),
    "least_one": ("`least_one(n)` is n, 1 where that is 0", "`least_one(n)` 即 n，为 0 处取 1"),
    "recurrence": (
        "`recurrence(a, b)` is s[i] = b[i] + a[i] * s[i - 1]",
        "`recurrence(a, b)` 即 s[i] = b[i] + a[i] * s[i - 1]",
    ),
    "rows": ("`rows(g)` has an axis more, to go with the matrix", "`rows(g)` 多一个轴，以便与矩阵相乘"),
    "flat": ("`flat` joins all axes but the last", "`flat` 合并除最后一轴外的所有轴"),
    "chosen": ("`chosen` is 1 at each target's class, else 0", "`chosen` 在目标类别处为 1，其余为 0"),
    "weights": ("`weights` are the classes' weights, along the classes", "`weights` 是沿类别排列的类别权重"),
    "label_counts": (
        "`label_counts` is how often each class is a label of its row",
        "`label_counts` 是每个类别在该行标签中出现的次数",
    ),
    "pair_differences": (
        "`pair_differences` is x[i] - x[j] of all pairs i < j",
        "`pair_differences` 是所有 i < j 的 x[i] - x[j]",
    ),
    "pair_differences_adjoint": (
        "`pair_differences_adjoint` adds for each pair to x[i], and takes from x[j]",
        "`pair_differences_adjoint` 对每一对加到 x[i]、从 x[j] 减去",
    ),
    "trilinear": (
        "`trilinear(a, w, b)` is the sum over i, j of a[i] * w[:, i, j] * b[j]",
        "`trilinear(a, w, b)` 是对 i、j 求和的 a[i] * w[:, i, j] * b[j]",
    ),
    # matrices
    "half": ("`half` is the lower triangle, its diagonal halved", "`half` 是下三角，对角线减半"),
    "gaps": ("`gaps(s)` is s[j] - s[i], infinite for i = j", "`gaps(s)` 即 s[j] - s[i]，i = j 时为无穷"),
    "unit": ("`unit` is the lower triangle with 1 on the diagonal", "`unit` 是对角线为 1 的下三角"),
    "below": ("`below` puts columns side by side, and keeps what is below the diagonal", "`below` 把各列并排，只留对角线以下"),
    "rows_swapped": ("`rows_swapped` swaps rows as the pivots say", "`rows_swapped` 按主元交换各行"),
    "rows_swapped_back": ("`rows_swapped_back` undoes the pivots' swaps", "`rows_swapped_back` 撤销主元的行交换"),
    "H": (
        "`H(i, j)` is the product of the reflectors from i to before j, v[i] and t[i] a reflector's vector and factor, k their number",
        "`H(i, j)` 是从 i 到 j 之前各反射的乘积，v[i]、t[i] 是反射的向量与系数，k 是个数",
    ),
    # transforms, recurrences, draws
    "fft_c2c": ("`fft_c2c` is the Fourier transform", "`fft_c2c` 是傅里叶变换"),
    "fft_r2c": ("`fft_r2c` is the Fourier transform of real numbers", "`fft_r2c` 是实数的傅里叶变换"),
    "fft_c2r": ("`fft_c2r` is the inverse Fourier transform, to real numbers", "`fft_c2r` 是得到实数的傅里叶逆变换"),
    "scale_part": (
        "`scale_part(x, axis, start, count, by)` multiplies so many entries from start",
        "`scale_part(x, axis, start, count, by)` 把从 start 起的 count 项乘以 by",
    ),
    "before": ("`before` is the state before each step", "`before` 是每一步之前的状态"),
    "gates_backward": (
        "`gates_backward` is what arrives at the gates, from the last step back to the first",
        "`gates_backward` 是从最后一步往回传到各门的梯度",
    ),
    "cell_backward": (
        "`cell_backward` is what arrives at the first cell, by way of all steps",
        "`cell_backward` 是经所有步传到初始单元的梯度",
    ),
    "ctc_backward": (
        "`ctc_backward` is how the loss changes with each log probability, over all alignments",
        "`ctc_backward` 是损失对各对数概率的变化率，遍及所有对齐",
    ),
    "segment_reduce_backward": (
        "`segment_reduce_backward` sends the g of a segment to its elements",
        "`segment_reduce_backward` 把每段的 g 送回该段的元素",
    ),
    "standard_gamma_grad": (
        "`standard_gamma_grad` is how a draw changes with its shape parameter",
        "`standard_gamma_grad` 是样本随形状参数的变化率",
    ),
    "rrelu_noise_backward": ("`rrelu_noise_backward` is g times the slope drawn", "`rrelu_noise_backward` 是 g 乘以抽到的斜率"),
}

for _loss in ("mse_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "binary_cross_entropy"):
    MEANINGS[f"{_loss}_backward"] = (
        f"`{_loss}_backward` is g times the derivative of `{_loss}`", f"`{_loss}_backward` 是 g 乘以 `{_loss}` 的导数",
    )  # fmt: skip
for _name in ("nearest", "nearest_exact", "linear", "linear_antialias", "cubic", "cubic_antialias"):
    for _rank in (1, 2, 3):
        _word = f"interpolate_{_name}{_rank}"
        MEANINGS[_word] = (f"`{_word}` is `F.interpolate`", f"`{_word}` 即 `F.interpolate`")
        MEANINGS[f"{_word}_adjoint"] = (
            f"`{_word}_adjoint` adds g to the elements that a point was made of, by their weights",
            f"`{_word}_adjoint` 按权重把 g 加回构成各点的元素",
        )


def functions_in(text: str) -> list[str]:
    """The functions that a text calls, in their order, each once.

    >>> functions_in("g * s * (1 + x * (1 - s)) where s = sigmoid(x) + net.f(x)")
    ['sigmoid']
    """
    return list(dict.fromkeys(re.findall(r"(?<![\w.])([^\W\d]\w*)\(", text)))


def meanings(generic: str, text: str) -> list[Said]:
    """A clause for each function of a rule that is not known; ``text`` is the rule with the user's names and numbers.

    >>> meanings("place(g, axis, index)", "place(g, 1, slice(0, 2, 1))")[0].plain("en")
    'place puts g into zeros at [:, 0:2]'
    """
    found = []
    for word in functions_in(generic):
        if word in MEANINGS:
            said = SAID_OF.get(word, _as_it_stands)(text, MEANINGS[word])
            found.append(Said(*(one.replace("`", MARK) for one in said)))
    return found


def _as_it_stands(text: str, meaning: tuple[str, str]) -> tuple[str, str]:
    return meaning


def _at(text: str, meaning: tuple[str, str]) -> tuple[str, str]:
    """Of one place the place itself: axis 1 and slice(0, 2, 1) are `[:, 0:2]`."""
    call = re.search(r"(?<![\w.])place\(.*?, (\d+), (-?\d+|slice\([^()]*\))\)", text)
    if call is None:
        return meaning
    where = call[2]
    if where.startswith("slice"):
        start, stop, step = (ast.unparse(one) for one in ast.parse(where, mode="eval").body.args)  # type: ignore[attr-defined]
        where = f"{start}:{stop}" + ("" if step == "1" else f":{step}")
    where = f"[{':, ' * int(call[1])}{where}]"
    return f"`place` puts g into zeros at `{where}`", f"`place` 把 g 放进全零张量的 `{where}`"


SAID_OF: dict[str, Callable[[str, tuple[str, str]], tuple[str, str]]] = {"place": _at}
