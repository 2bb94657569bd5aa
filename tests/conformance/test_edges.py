"""Numbers at the edge: each expression gives what it gives in PyTorch, values, dtype, layout and errors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import rushlight

HALF = ("torch.float16", "torch.bfloat16")
LIMITS = ("-inf, inf", "0, inf", "-inf, 5", "-1.8e38, 1.702e38", "-40000, 40000", "inf, inf", "-inf, -inf")
INTEGERS = ("int64", "int32", "int8", "uint8", "bool")
COMPLEX = "torch.tensor([1 + 2j, complex(inf, 1), complex(inf, -inf), complex(nan, inf)] * 5, dtype=torch.complex128)"
VALUES = "torch.tensor([0.5, -0.5, 0.3, -0.3, 0.30078125, 0.1, 3.0, -7.0, nan]"

EXPRESSIONS = [
    *(f"torch.median(torch.zeros(0, dtype=torch.{kind}))" for kind in ("int64", "int8", "uint8", "float32")),
    *(f"F.softshrink({VALUES}, dtype={kind}), {limit})" for kind in HALF for limit in (0.1, 0.3, 0.5, 2.7)),
    *(f"gradient(F.{name}, {VALUES}, dtype={kind}), {limit})"
      for name in ("softshrink", "hardshrink") for kind in (*HALF, "torch.float32") for limit in (0.1, 0.3, 0.5)),
    *(f"make_tensor(torch.{kind}, {limits})" for kind in ("float32", "float16", "bfloat16", "complex64") for limits in LIMITS),
    *(f"make_tensor(torch.{kind}, {limits})" for kind in INTEGERS for limits in LIMITS[:3]),
    "make_tensor(torch.int64, 2**63 - 1, inf)",
    "make_tensor(torch.int64, -2**63, 2**63)",
    *(f"torch.gradient(torch.arange(5.0) ** 2, spacing={spacing})" for spacing in (
        "torch.tensor(2.0)", "torch.tensor(2)", "torch.tensor([2.0])", "torch.arange(5.0)", "(torch.arange(5.0),)",
        "(torch.tensor([2.0]),)", "(torch.tensor([2.0, 3.0]),)", "(torch.tensor([0.0, 1.0, 3.0, 4.0]),)",
        "[torch.tensor(2.0)]", "torch.tensor(1 + 2j)", "'a'")),
    "F.max_pool3d(volume[0], 2)",
    "torch.ones(2).new_empty_strided((2, 3), (1,))",
    "torch.ones(2).new_empty_strided((2,), (1, 2, 3))",
    "torch.meshgrid(torch.ones(2), torch.ones(2, device='meta'), indexing='ij')",
    "torch.ones(1).as_subclass(int)",
    "torch.ones(1).as_subclass(3)",
    "torch.Tensor._make_subclass(int, torch.ones(1))",
    *(f"torch.ones(2).to_sparse().{name}({divisor})" for name in ("div", "true_divide", "floor_divide", "div_", "__truediv__")
      for divisor in ("torch.ones(2)", "torch.ones(1)", "torch.ones(2).to_sparse()", "torch.tensor(2.0).to_sparse()")),
    "torch.ones(2) / torch.ones(2).to_sparse()",
    "torch.distributions.kl_divergence(torch.distributions.Normal(0.0, 1.0), torch.distributions.Poisson(1.0))",
    "F.max_pool3d(volume, 2)",
    "F.max_pool3d(volume[0], 2, return_indices=True)[1]",
    "F.max_pool3d(volume[0].contiguous(), 2)",
    "gradient(F.max_pool3d, volume[0], 2)",
    *(f"{COMPLEX} {sum}" for sum in ("+ inf", "- inf", "- complex(inf, 1)", "+ torch.tensor(inf)", "* inf", "/ inf", "+ 3")),
    *(f"{call}({COMPLEX}, torch.tensor([inf, -inf, 1.0, nan] * 5), alpha={alpha})" for call in ("torch.add", "torch.sub")
      for alpha in (1, 2)),
    *(f"{COMPLEX}.{call}" for call in ("add_(inf)", "sub_(inf)", f"add_({COMPLEX})", f"sub_({COMPLEX}, alpha=2)")),
    "inf - torch.tensor([complex(inf, 1), 2])",
    "torch.tensor([inf, 1.0]) + torch.tensor([complex(1, inf), complex(inf, inf)])",
    *(f"F.interpolate(torch.linspace(-3, 3, 32, dtype={kind}).view(1, 2, 4, 4), {size}, None, 'bicubic', {corners}, None, {smooth})"
      for kind in HALF for size in ((7, 5), (8, 8)) for corners in (True, False) for smooth in (False, True)),
    *(f"F.adaptive_{kind}_pool{rank}d(torch.ones(1, 1, *[2] * {rank}), None)" for kind in ("avg", "max") for rank in (2, 3)),
    *(f"torch.set_num_threads({count})" for count in ("2**31", "2**32", "-2**40")),
    *(f"F.max_unpool{rank}d(torch.ones({shape}), torch.zeros({shape}){kind}, 2)" for rank, kind, shape in (
        (2, ".long()", "1, 1"), (3, ".long()", "1, 1, 1"), (2, ".long()", "1, 1, 0, 1"), (3, "", "1, 1, 1, 1, 1"))),
    *(f"F.batch_norm(torch.ones(2, 3), torch.zeros(3{one}), torch.ones(3{other}), training={training})"
      for one, other in ((", requires_grad=True", ""), ("", ", requires_grad=True")) for training in (True, False)),
    *(f"F.fractional_max_pool3d(torch.ones(1, 1, 5, 5, 5), {kernel}, {size})" for kernel in (1, 2, (1, 2, 2), (2, 1, 1), (2, 2))
      for size in (3, (4, 5, 4), (3, 4, 4), (4, 4, 3), (5, 4, 4), (3, 3), -1, "None, (0.5, 0.5)")),
    *(f"F.fractional_max_pool{rank}d(torch.ones(5, 5), 2, {size})" for rank in (2, 3) for size in (3, "None, (0.5, 0.5)")),
    *(f"F.adaptive_{kind}_pool{rank}d(torch.ones({shape}), {size})" for kind in ("avg", "max")
      for rank, shape in ((1, "5"), (2, "5, 5"), (3, "5, 5, 5"), (3, "1, 0, 5, 5, 5"), (3, "1, 1, 5, 5, 5"))
      for size in (2, -1, 2.5, True, (2, 2), (-1, 2, 2))),
    *(f"torch.{name}(torch.tensor([0.6, 1.6, 0.6]), 0, out=torch.zeros({shape}, dtype=torch.{kind}))" for name, shape in (
        ("cumsum", "3"), ("cumprod", "3"), ("sum", "()"), ("prod", "()")) for kind in ("int64", "float64", "float16")),
    *(f"torch.{name}(torch.ones({y}), dx={dx})" for name in ("trapezoid", "cumulative_trapezoid")
      for y in ("2", "2, dtype=torch.int32") for dx in (
          "torch.tensor(2)", "torch.tensor(2.5)", "torch.tensor([2.0])", "torch.tensor(2.0, requires_grad=True)", "True",
          "torch.tensor(True)", "2j", "torch.tensor(2j)", "np.float64(2)")),
    *(f"torch.bincount(torch.tensor({x}, dtype=torch.{kind}), {weights}, 2)" for kind in ("uint8", "int64", "uint16")
      for x, weights in (("[1, 3]", "torch.ones(2)"), ("[1, 3]", "torch.ones(2).int()"), ("[]", "torch.ones(0)"), ("[]", None))),
    *(f"torch.Stream(device={device})" for device in ("'cuda'", "3.5")),
    *(f"torch.addr(torch.ones(2, 2, dtype=torch.{bias}), torch.ones(2, dtype=torch.{a}), torch.tensor([0, 3], dtype=torch.{b}){factors})"
      for bias, a, b in (("float32", "int64", "int64"), ("int64", "float32", "int64"), ("float16", "int64", "bfloat16"),
                         ("int8", "int32", "uint8"), ("complex64", "float64", "int64"), ("bool", "bool", "bool"))
      for factors in ("", ", beta=2.5", ", beta=0, alpha=2", ", alpha=True, beta=False", ", alpha=2j", ", alpha=2.5")),
    *(f"torch.linalg.lstsq(torch.zeros({a}), torch.zeros({b}), driver='{driver}')[{part}]" for a, b in (
        ("1, 0, 2", "1, 0, 2"), ("0, 2, 2", "0, 2, 1"), ("2, 0, 0", "2, 0, 0"), ("1, 3, 0", "1, 3, 1"), ("1, 2, 2", "4, 2, 0"),
        ("4, 0, 2, 2", "1, 2, 1")) for driver in ("gels", "gelsd", "gelsy") for part in (1, 2, 3)),
    *(f"torch.linalg.vector_norm(torch.ones(2), {order})" for order in ("2 + 0j", "1j", "complex(inf)")),
    *(f"torch.cosine_similarity(torch.tensor([[1, 2, 3]], dtype=torch.int8), torch.ones(1, 3, dtype=torch.{kind}))"
      for kind in ("float32", "float64", "int64")),
    *(f"torch._int_mm({a}, {b})" for a, b in (
        ("torch.full((2, 3), 100, dtype=torch.int8)", "torch.full((3, 2), -100, dtype=torch.int8)"),
        ("torch.full((2, 3), 200, dtype=torch.uint8)", "torch.full((3, 2), -100, dtype=torch.int8)"),
        ("torch.ones(0, 3, dtype=torch.int8)", "torch.ones(3, 2, dtype=torch.int8)"), ("torch.ones(2, 2)", "torch.ones(2, 2)"),
        ("torch.ones(2, dtype=torch.int8)", "torch.ones(2, 2, dtype=torch.int8)"),
        ("torch.ones(2, 3, dtype=torch.int8)", "torch.ones(2, 2, dtype=torch.int8)"))),
    *(f"torch._int_mm(torch.ones(2, 3, dtype=torch.int8), torch.ones(3, 2, dtype=torch.int8), out=torch.zeros({shape}, dtype={kind}))"
      for shape, kind in (("2, 2", "torch.int32"), ("2, 3", "torch.int32"), ("2, 2", "torch.int8"))),
    *(f"torch._addmm_activation(torch.tensor([1.0, -1.0]), torch.eye(2), -torch.eye(2), beta=2, use_gelu={gelu})" for gelu in (0, 1)),
    "torch.margin_ranking_loss(torch.ones(3, 2), torch.zeros(3, 2), torch.tensor([1.0, -1.0]), 0.5)",
    "F.margin_ranking_loss(torch.ones(3, 2), torch.zeros(3, 2), torch.tensor([1.0, -1.0]), 0.5)",
    *(f"torch.masked._reduction_identity('{op}', torch.ones(2, dtype=torch.{kind}))"
      for op in ("sum", "prod", "amax", "argmin", "norm", "median", "logsumexp", "cumprod", "nothing")
      for kind in ("float32", "int8", "bool", "uint8")),
    "torch.masked._reduction_identity('norm', torch.ones(2), -inf)",
    *(f"torch.masked._input_mask(torch.ones(2, 3), mask={mask})" for mask in ("None", "torch.tensor([1, 0, 1])", "torch.ones(4)")),
    *(f"torch._validate_compressed_sparse_indices({rows}, torch.tensor({lines}), torch.tensor({places}), {lengths}, 2) or torch.ones(1)"
      for rows in (True, False) for lines, places, lengths in (
          ([0, 1, 2], [1, 2], "2, 3"), ([0, 1], [1, 2], "2, 3"), ([0, 1, 2], [1, 2], "2, 2"), ([0, 1, 2], [1], "2, 3"),
          ([1, 1, 2], [1, 2], "2, 3"), ([0, 2, 1], [1, 2], "2, 3"), ([0, 2, 2], [2, 1], "2, 3"), ([0, 4, 2], [1, 1], "2, 3"))),
    *(f"torch._validate_sparse_coo_tensor_args({places}, torch.ones(2), {size})" for places, size in (
        ("torch.tensor([[0, 2]])", (2,)), ("torch.tensor([0, 1])", (2,)), ("torch.tensor([[0, -1]])", (2,)),
        ("torch.tensor([[0, 1.0]])", (2,)), ("torch.tensor([[0, 1]])", (2, 2)))),
    *(f"torch._validate_sparse_{kind}_tensor_args(torch.tensor({lines}), torch.tensor({places}), torch.ones(2), (2, 2))"
      for kind in ("csr", "csc") for lines, places in (([0, 1], [0, 1]), ([1, 1, 2], [0, 1]), ([0, 1, 2], [0, 5]), ([0, 2, 1], [0, 1]))),
    "F.embedding_bag(torch.arange(7), torch.linspace(-3, 3, 21, dtype=torch.float16).view(7, 3), torch.tensor([0, 3, 3]))",
    *(f"F.interpolate(torch.linspace(-3, 5, {2 * 5 ** rank}, dtype={kind}).view(1, 2, {'5, ' * rank}), {size}, "
      f"mode='{mode}', align_corners={corners})"
      for kind in HALF for rank, mode in ((1, "linear"), (2, "bilinear"), (3, "trilinear"))
      for size in ("size=7", "scale_factor=1.7") for corners in (True, False)),
    *(f"F.conv{kind}(torch.ones({sizes}), {weight}, {more}).shape"
      for kind, weight in (("1d", "torch.ones(2, 2, 1)"), ("_transpose1d", "torch.ones(2, 2, 1)"))
      for sizes in ("1, 2, 0", "2, 0", "0, 2, 3") for more in ("padding=1", "stride=2", "bias=torch.ones(2).double()")),
    "F.conv_transpose1d(torch.ones(0, 2, 0), torch.ones(2, 2, 1), padding=1)",
    *(f"F.conv{kind}(torch.ones({sizes}), torch.ones(2, 2, 1, 1, 1, dtype=torch.{dtype}), padding={padding}).shape"
      for kind in ("3d", "_transpose3d") for sizes in ("1, 2, 0, 3, 3", "1, 2, 3, 3, 0", "0, 2, 0, 3, 3")
      for padding in (0, 1) for dtype in ("float32", "float64")),
    *(f"F.conv{kind}(torch.ones(1, 2, 3, 3), torch.ones({taps})).shape" for kind in ("2d", "_transpose2d")
      for taps in ("2, 2, 0, 1", "2, 2, 1, 0")),
    "F.conv3d(torch.ones(1, 2, 3, 3, 3), torch.ones(2, 2, 0, 1, 1))",
    "F.conv_transpose3d(torch.ones(1, 2, 3, 3, 3), torch.ones(2, 2, 0, 1, 1))",
    "F.conv_transpose2d(torch.ones(1, 2, 3, 3), torch.ones(2, 0, 1, 1))",
    "F.conv_transpose1d(torch.ones(1, 2, 3), torch.ones(2, 2, 0))",
    "torch.embedding_bag(torch.ones(3, 2), torch.tensor([0, 1]), torch.tensor([0]), False, 0, False, None, False, None)[0]",
]  # fmt: skip


def outcome(expression: str, module) -> object:
    functional = module.nn.functional
    module.manual_seed(0)

    def gradient(function, x, *args):
        leaf = x.detach().requires_grad_()
        function(leaf, *args).sum().backward()
        return leaf.grad

    names = {
        "torch": module,
        "F": functional,
        "z": lambda shape, kind="float32": module.zeros(shape, dtype=getattr(module, kind)),
        **{kind: kind for kind in ("float16", "bfloat16", "float32", "float64", "complex64", "bool", *INTEGERS)},
        "inf": float("inf"),
        "nan": float("nan"),
        "np": np,
        "gradient": gradient,
        "make_tensor": lambda dtype, low, high: module.testing.make_tensor(6, dtype=dtype, device="cpu", low=low, high=high),
        "volume": module.arange(192.0).reshape(1, 3, 4, 4, 4).contiguous(memory_format=module.channels_last_3d),
    }
    try:
        found = eval(expression, names)
    except Exception as error:
        return type(error).__name__, str(error)
    if isinstance(found, module.Size):
        return found
    tensors = found if isinstance(found, tuple) else (found,)
    return [(str(one.dtype), tuple(one.shape), one.stride(), one.tolist()) for one in tensors]


@pytest.mark.filterwarnings("ignore:Passing `low==high`:FutureWarning")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(expression):
    expected, found = outcome(expression, torch), outcome(expression, rushlight)
    if isinstance(expected, tuple):
        assert found == expected
        return
    for one, other in zip(expected, found, strict=True):
        assert other[:3] == one[:3]
        np.testing.assert_array_equal(other[3], one[3])


# Of several wrong things about arguments the one is said that PyTorch comes upon first; z(...) are zeros, of a dtype.
WRONG_LOSSES = [
    *(f"F.huber_loss(z(3, {a}), z({shape}, {b}))" for a, b in (("uint8", "int64"), ("int64", "uint8"), ("int8", "bool"))
      for shape in ("()", 3)),
    *(f"F.multilabel_soft_margin_loss(z(()), z({shape}){more})" for shape in ("()", 3) for more in ("", ", reduction='none'")),
    *(f"F.soft_margin_loss(z({shape}, {kind}), z({other}, {target}))" for shape, other in ((2, "(3, 2)"), (2, 3), ("()", 2), (2, "()"))
      for kind in ("float32", "int64", "bool") for target in ("float64", "int64", "complex64")),
    "F.soft_margin_loss(z(2), z(3), reduction='x')",
    *(f"F.nll_loss(z({shape}), z((), {kind}))" for shape in ("(0, 3, 2)", "(0, 3, 2, 1)", "(0, 3, 2, 1, 1)") for kind in ("int64", "float32")),
    *(f"F.nll_loss(z({shape}, {kind}), z({classes}, {target}), reduction='none')" for kind in ("float32", "int64") for shape, classes in (
        (3, 1), (3, "()"), ("(2, 3, 1)", "(2, 1)"), ("(0, 3, 2)", "(0, 2)")) for target in ("int64", "uint8")
      if (kind, target) != ("int64", "uint8")),
    *(f"F.cross_entropy(z({shape}, {kind}), z({target}), reduction='none')" for shape, target in (
        ("(2, 0)", "()"), (0, "(2, 0)"), ("(0, 3, 2)", 1), ("(2, 0)", "(2, 0)")) for kind in ("int64", "bool")),
    *(f"torch.{name}(z({shape}, int64), 1)" for name in ("softmax", "log_softmax") for shape in ("(2, 0)", "(2, 1)", 2)),
    *(f"F.{name}_margin_loss(z({shape}, {kind}), z({target}, {other}), reduction='none')" for name, shape, target in (
        ("multi", 2, "()"), ("multi", "(1, 2)", "()"), ("multi", "(0, 2)", 0), ("multilabel", 2, 2), ("multilabel", "(0, 2)", "(0, 2)"))
      for kind in ("float32", "int64") for other in ("int64", "int32", "bool", "float32") if shape != "(0, 2)" or kind == "float32"),
]  # fmt: skip
WRONG_FACTORS = [
    *(f"torch.{name}(z({bias}), z({one}), z({other}))" for name in ("addbmm", "baddbmm") for bias, one, other in (
        ("()", "()", "()"), ("()", 2, "()"), (2, "(1, 3)", 3), (2, "(1, 3)", "(1, 2, 1)"), (1, "(1, 3)", "(1, 2, 1)"),
        (1, "(1, 3, 2)", "(2, 1, 1)"), (1, "(1, 3, 2)", "(1, 3, 1)"), ("1, float64", "(1, 3, 2)", "(1, 3, 1)"),
        ("1, float64", "(1, 3)", "(1, 2, 1)"), ("1, float64", "(1, 3, 2)", "(1, 2, 1)"), (1, "(1, 3, 2)", "(1, 2, 1), float64"),
        ("2, float64", "(1, 3, 2)", "(1, 2, 1)"), ("(5, 1, 1, 1)", "(1, 3, 2)", "(1, 2, 1)"), (1, "(1, 3, 3)", "(1, 3, 1, 1)"))),
    *(f"torch.addmv(z({bias}), z((3, 2)), z({vector}))" for bias in ("()", 4) for vector in (2, 3)),
    *(f"F.bilinear(z({one}), z({other}), z({weight}))" for one, other, weight in (
        ("()", "()", "(2, 2, 3)"), (2, 3, 2), (2, 3, "(2, 2)"), (2, 3, "()"), (2, 3, "(2, 2, 3)), z(()"), (2, 3, "(2, 2, 3)), z(3, float64"),
        ("2, float64", "(3, 3)", "(2, 2, 3)"), (2, "(3, 3)", "(2, 2, 3)"))),
    *(f"torch.linalg.solve{end}(z({a}, {kind}), z({b}{other}){more})" for end in ("", "_ex")
      for kind in ("float16", "bfloat16", "float64", "int64") for a, b in (("()", "()"), ("(2, 3)", 2), ("(1, 1)", 2), ("(1, 1)", "()"))
      for other in ("", f", {kind}") for more in ("", ", left=False")),
    *(f"torch.linalg.solve(z((1, 1), {kind}), z(1, {kind}), left=False)" for kind in ("float64", "float16")),
    *(f"torch.linalg.solve(z((1, 1), {kind}), z(1, {kind}))" for kind in ("float16", "bfloat16")),
    *(f"torch.{name}(z({a}), z({b}))" for name in ("vdot", "linalg.vecdot", "linalg.cross", "cosine_similarity") for a, b in (
        (0, 2), (1, 2), (2, 3), ("()", "()"), ("()", 3), ("2, float64", 2), ("3, bool", "3, int64"), ("3, int64", "3, bool"))),
    *(f"torch.linalg.multi_dot([z({a}), z({b})])" for a, b in ((0, 2), (0, "(2, 3)"), ("(2, 3)", 2), ("(2, 3)", "(2, 3)"))),
    *(f"z({shape}).index_add(0, torch.tensor({places}), z({source}))" for shape, places, source in (
        (3, "[5]", 1), (3, "[-5]", 1), (3, "9", 1), (3, "9", "()"), (0, "[0, 9]", 2), ("()", "1", "()"), ("(3, 2)", "[5]", "(1, 2)"))),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Using a target size:UserWarning")
@pytest.mark.parametrize("expression", [*WRONG_LOSSES, *WRONG_FACTORS])
def test_what_is_asked_first(expression):
    assert outcome(expression, rushlight) == outcome(expression, torch)


OLDER = [
    *(f"torch.{name}(2, torch.ones({bias}), {alpha}torch.ones({a}), torch.ones({b}))" for name, bias, a, b in (
        ("addmm", "2, 2", "2, 3", "3, 2"), ("addmv", "2", "2, 3", "3"), ("addr", "2, 2", "2", "2"), ("addbmm", "2, 2", "1, 2, 2", "1, 2, 2"),
        ("baddbmm", "1, 2, 2", "1, 2, 2", "1, 2, 2")) for alpha in ("", "3, ")),
    *(f"torch.ones(2, 2).{name}({factors}torch.ones(2, 3), torch.ones(3, 2))" for name in ("addmm", "addmm_")
      for factors in ("2, ", "2, 3.5, ")),
    *(f"torch.ones(2, 2).{name}(2, torch.ones(2, 2), torch.ones(2, 2))" for name in ("addcmul", "addcmul_", "addcdiv", "addcdiv_")),
    "torch.ones(2).addmv_(2, torch.ones(2, 3), torch.ones(3))",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:This overload of:UserWarning")
@pytest.mark.parametrize("expression", OLDER)
def test_factors_in_front(expression):
    assert outcome(expression, rushlight) == outcome(expression, torch)


def test_factors_in_front_are_one_or_two():
    with pytest.raises(TypeError):
        rushlight.addmm(2, rushlight.ones(2, 2), 3, 4, rushlight.ones(2, 3), rushlight.ones(3, 2))


PROGRAMS = {
    "what is conjugated is written": """
        z = torch.tensor([1 + 2j, 3 - 4j])
        c, part, back = z.conj(), z.conj().imag, z.conj().conj()
        z[0] = 5j
        yield c, part, back, c.resolve_conj(), c + 0
        back.mul_(2)
        torch.add(z, 1, out=z)
        yield z, c, part, back, c @ c
        yield z._version, c._version, back._version""",
    "what is negated is written": """
        x = torch.tensor([1.0, 2.0])
        n = x._neg_view()
        x.mul_(3)
        yield n, n.sum()
        n[0] = 7
        yield x, n, x._version, n._version""",
    "what is conjugated is written and recorded": """
        z = torch.tensor([1 + 2j, 3 - 4j], requires_grad=True)
        y = z * 1
        c, other = y.conj(), y.conj()
        y.mul_(2j)
        c[0].mul_(3)
        yield c, other, type(c.grad_fn).__name__
        (c * c + other * y).real.sum().backward()
        yield z.grad, y._version, c._version, other._version""",
    "what was saved of a conjugate has changed": """
        z = torch.tensor([1 + 2j], requires_grad=True) * 1
        c = z.conj()
        square = c * c
        z.mul_(2)
        try:
            square.real.sum().backward()
        except RuntimeError as error:
            yield "modified by an inplace operation" in str(error)""",
    "an optimizer and a pass write what is conjugated": """
        p = torch.nn.Parameter(torch.tensor([1 + 2j, 2 - 1j]))
        p.grad = torch.tensor([1 + 1j, 1j])
        c, g = p.detach().conj(), p.grad.conj()
        for optimizer in (torch.optim.SGD([p], 0.5), torch.optim.Adagrad([p], 0.5)):
            optimizer.step()
            yield c
        p.real.sum().backward()
        yield g""",
    "labels that name the blank": """
        probabilities = torch.arange(60.0).view(6, 2, 5).sin().log_softmax(-1).requires_grad_()
        for labels in ([[0, 1, 2], [3, 0, 0]], [[0, 0, 0], [1, 2, 3]], [[1, 0, 1], [0, 2, 0]]):
            for blank in range(3):
                loss = F.ctc_loss(probabilities, torch.tensor(labels), (6, 5), (3, 2), blank, "none")
                (gradient,) = torch.autograd.grad(loss.sum(), probabilities)
                yield loss, gradient""",
    "a pool of the input's own size runs backward twice": """
        for rank in (1, 2, 3):
            x = torch.arange(2.0 * 3**rank).view(1, 2, *[3] * rank).requires_grad_()
            y = getattr(F, f"adaptive_avg_pool{rank}d")(x, 3).sum()
            y.backward()
            try:
                y.backward()
            except RuntimeError as error:
                yield str(error)""",
    "what is not deterministic in PyTorch is refused or warned of": """
        for only in (False, True):
            torch.use_deterministic_algorithms(True, warn_only=only)
            try:
                for accumulate in (False, True):
                    yield torch.zeros(3).put_(torch.tensor([0]), torch.ones(1), accumulate)
            except RuntimeError as error:
                yield str(error)
            for rank in (1, 2, 3):
                try:
                    x = torch.ones(1, 1, *[1] * rank)
                    yield getattr(F, f"max_unpool{rank}d")(x, x.long() - 1, 2)
                except RuntimeError as error:
                    yield str(error)
        torch.use_deterministic_algorithms(False)""",
    "a gradient scaler's two operators": """
        gradients, found = [torch.tensor([1.0, 2.0]), torch.tensor([float("inf")])], torch.zeros(1)
        torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, torch.tensor([0.5]))
        yield *gradients, found
        scale, rounds = torch.tensor([4.0]), torch.tensor([1], dtype=torch.int32)
        for bad in (0.0, 1.0, 0.0):
            yield torch._amp_update_scale_(scale, rounds, torch.tensor([bad]), 2.0, 0.5, 2), scale, rounds""",
    "a traced program in parts": """
        from importlib import import_module
        split = import_module(f"{torch.__name__}.fx.passes.split_module").split_module
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.s = torch.nn.Linear(2, 2), torch.nn.Sequential(torch.nn.Linear(2, 2))
                self.p = torch.nn.Parameter(torch.ones(2))
            def forward(self, x, k=2):
                y = self.a(x).relu()
                z = self.s(y) + self.p
                w = torch.sin(z)
                return z * y, w - k
        net = Net()
        for rule in (lambda n: n // 3, lambda n: n % 2, lambda n: 0, lambda n: n, lambda n: 9 - n):
            traced, names, count = torch.fx.symbolic_trace(net), {}, iter(range(100))
            try:
                parts = split(traced, net, lambda node: rule(next(count)), names)
            except RuntimeError as error:
                yield str(error)
                continue
            yield parts.code, *(part.code for _, part in parts.named_children() if hasattr(part, "code"))
            yield str(names), str(list(parts.state_dict())), torch.equal(parts(torch.ones(2))[1], net(torch.ones(2))[1])""",
    "gradients of layer norm in few digits": """
        for kind in (torch.bfloat16, torch.float16):
            for of_weight in (kind, torch.float32):
                for rows, length in ((5, 8), (40, 30), (300, 17)):
                    x, g = ((torch.arange(rows * length) * step % 127 / 64).view(rows, length).to(kind) for step in (37, 53))
                    weight, bias = ((torch.arange(length) * step % 17 / 8).to(of_weight) for step in (5, 7))
                    weight.requires_grad_(), bias.requires_grad_()
                    F.layer_norm(x, (length,), weight, bias).backward(g - 1)
                    yield weight.grad, bias.grad""",
    "means of bags in few digits": """
        for kind in (torch.bfloat16, torch.float16, torch.float32):
            for cotangent in (13.0, 5.0, 19.0):
                weight = torch.zeros(3, 1, dtype=kind, requires_grad=True)
                y = F.embedding_bag(torch.tensor([0, 1, 1, 1, 2, 2, 0, 0]), weight, torch.tensor([0, 7]))
                y.backward(torch.full((2, 1), cotangent, dtype=kind))
                yield weight.grad""",
    "halves between two bfloat16s, added in bags": """
        for kind, mode in product((torch.bfloat16, torch.float16), ("sum", "mean", "max")):
            for without in (None, 1):
                weight = (torch.arange(12) * 37 % 51 / 16).view(4, 3).to(kind).requires_grad_()
                rows = torch.arange(60) * 7 % 4
                y = F.embedding_bag(rows, weight, torch.arange(0, 60, 3), mode=mode, padding_idx=without)
                y.backward((torch.arange(60) * 23 % 41 / 32 - 0.5).view(20, 3).to(kind))
                yield y.float(), weight.grad.float()""",
    "strides of what is kept, bounded or rolled": """
        x = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last)
        y = torch.rand(2, 3, 4, 5)
        for dim in (0, 1, 2, 3, (1, 2), (0, 1), (2, 3), (1, 3)):
            for kept in (False, True):
                yield [getattr(torch, name)(x, dim, keepdim=kept).stride() for name in ("sum", "mean", "amax", "all", "any", "nansum")]
            yield torch.count_nonzero(x, dim).stride()
        yield [torch.lerp(*three).stride() for three in product((x, y), repeat=3)]
        yield [torch.clamp(*three).stride() for three in product((x, y), repeat=3)]
        for shifts, dims in ((1, None), (0, 0), (1, 1), (3, 1), ((0, 1), (1, 2)), ((1, 1), (1, 2))):
            yield x.roll(shifts, dims).stride()""",
    "windows of one value, said by a tensor": """
        for name in ("bartlett", "blackman", "hamming", "hann", "kaiser"):
            for kind in (torch.bool, torch.float16, torch.float32, torch.int64):
                yield getattr(torch.signal.windows, name)(torch.ones((), dtype=kind))""",
    "types that traced modules are annotated with": """
        net = torch.nn.Sequential(torch.nn.Linear(1, 1))
        for module in (net, net[0], torch.nn.Embedding(2, 2), torch.nn.MSELoss(), torch.nn.Identity()):
            yield torch.fx.symbolic_trace(module).code""",
    "each of a batch is written at its own places": """
        x, places = torch.arange(6.0).reshape(2, 3), torch.tensor([[0, 1], [2, 1]])
        def filled(row, at, value=0, accumulate=False):
            return row.clone().index_put_((at,), torch.as_tensor(value, dtype=row.dtype), accumulate=accumulate)
        yield torch.vmap(filled)(x, places), torch.vmap(filled, (0, None))(x, places[0])
        yield torch.vmap(filled, (0, 0, None, None))(x, places, 5, True), torch.vmap(filled)(x, places, x[:, 0])
        yield torch.vmap(torch.vmap(filled))(x[None], places[None])""",
    "lists of tensors of one type": """
        tensors = [torch.zeros(size, dtype=kind) for size, kind in (
            (2, torch.float32), (3, torch.float64), (5, torch.float32), (1, torch.float64), (9, torch.float64), (0, torch.int32))]
        for limit in (0, 16, 24, 40, 1000):
            yield [[(str(one.dtype), one.numel()) for one in taken] for taken in torch._utils._take_tensors(iter(tensors), limit)]""",
}


def check_same(found: object, expected: object) -> None:
    if not hasattr(expected, "dtype"):
        assert found == expected
        return
    assert str(found.dtype) == str(expected.dtype)
    close = (
        0 if expected.dtype.itemsize == 2 else 1e-5 if str(expected.dtype) in ("torch.float32", "torch.complex64") else 1e-12
    )
    np.testing.assert_allclose(np.array(found.tolist()), np.array(expected.tolist()), rtol=close, atol=close)


@pytest.mark.filterwarnings("ignore:.*deterministic implementation:UserWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    def run(module) -> list[object]:
        names = {"torch": module, "F": module.nn.functional, "product": itertools.product}
        exec(f"def program():{PROGRAMS[name]}", names)
        return [one for found in names["program"]() for one in (found if isinstance(found, tuple) else (found,))]

    for found, expected in zip(run(rushlight), run(torch), strict=True):
        check_same(found, expected)


class Column:
    """A sequence whose items are NumPy's numbers and which is iterated over in Python's, as pandas.Series."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, place: int):
        return self.array[place]

    def __iter__(self):
        return iter(self.array.tolist())


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "int32", "int8", "uint8", "bool"])
def test_a_column_of_a_data_frame_keeps_its_dtype(kind):
    column = Column(np.arange(3).astype(kind))
    for make in ("tensor", "as_tensor"):
        expected, found = (getattr(module, make)(column) for module in (torch, rushlight))
        assert str(found.dtype) == str(expected.dtype)
        assert found.tolist() == expected.tolist()
        nested = [str(getattr(module, make)([column, [1, 0, 1]]).dtype) for module in (torch, rushlight)]
        assert nested[0] == nested[1]
