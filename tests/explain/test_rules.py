"""Rules as text: how many are mathematics, and the user's names in them. That they are true is held in tests/conformance/test_readable.py."""

import ast

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend.unbroadcast import unbroadcast
from rushlight.explain.readable import READABLE
from rushlight.explain.rules import form_of, pieces, renamed
from rushlight.ops.table import table

ONE_CASE = {
    "reduction": "mean", "ord": 3, "left": True, "upper": False, "exponent": 3, "transposed": False, "accumulate": False, "p": 2,
    "sparse": False, "onesided": True, "indices": (0,), "is_causal": False, "weight": True, "reduce": "amax", "include_self": True,
    "reverse": False, "transpose": False, "unitriangular": False, "adjoint": False, "backwards": False, "mode": "mean", "but": -1,
    "by_frequency": False,
}  # fmt: skip


def kinds():
    found = {}
    for name, op in table.items():
        if name.startswith("test_"):
            continue
        for source in op.sources:
            found[name, source] = form_of(op, source, {**dict(op.params), **ONE_CASE})
    return found


def test_all_rules_are_mathematics():
    derivable = {key: kind for key, (_, kind) in kinds().items() if kind != "none"}
    assert [key for key, kind in derivable.items() if kind == "code"] == []
    assert sum(kind == "given" for kind in derivable.values()) >= 350


def test_texts_are_expressions_that_name_what_the_op_has():
    for text, kind in kinds().values():
        if kind == "given":
            for _, expression in pieces(text):
                ast.parse(expression, mode="eval")
    assert {(name, source) for name, forms in READABLE.items() for source in forms} <= {*kinds()}


@pytest.mark.parametrize(
    ("program", "texts"),
    [
        (lambda x, y: x * y, ["g * y", "g * x"]),
        (lambda x, y: x**3, ["g * 3 * x ** 2"]),
        (lambda x, y: x**2, ["g * 2 * x"]),
        (lambda x, y: x / y, ["g / y", "-g * x / y ** 2"]),
        (lambda x, y: (x + y) * 2, ["g * 2", "g * (x + y)"]),
        (lambda x, y: torch.softmax(x, 0), ["out * (g - sum(g * out, 0))"]),
        (lambda x, y: x @ y.T, ["g @ y.T.T", "x.T @ g"]),
        (lambda x, y: torch.nn.functional.linear(x, y), ["g @ y", "x.T @ g"]),
        (lambda x, y: torch.nn.functional.silu(x), ["g * s * (1 + x * (1 - s)) where s = sigmoid(x)"]),
        (lambda x, y: x.masked_fill(~(y > 0), 0.0), ["g * (y > 0)"]),
        (lambda x, y: x[0], ["place(g, 0, 0)"]),
        (lambda x, y: x.reshape(4), ["g.reshape((2, 2))"]),
    ],
)
def test_the_users_names_stand_in_the_texts(program, texts):
    x, y = (torch.ones(2, 2, requires_grad=True) for _ in "xy")
    with torch.explain() as story:
        x * 1, y * 1
        program(x, y)
    node = story.recording["nodes"][story.recording["events"][-1]["node"]]
    assert [rule["text"] for rule in node["rules"]] == [text.replace(".T.T", "") for text in texts]


@pytest.mark.parametrize(
    ("write", "part"),
    [
        (lambda n, y: n.__setitem__((0, 1), y[0] * 3), "[0, 1]"),
        (lambda n, y: n[1:].mul_(2), "[1:]"),
        (lambda n, y: n[:, 2].mul_(y[:3]), "[:, 2]"),
        (lambda n, y: n.T[1].mul_(y[0]), "[:, 1]"),
        (lambda n, y: n.T.mul_(y[:3]), ".T"),
        (lambda n, y: n.view(-1)[3:6].copy_(y[:3]), "as_strided({}, (3,), (1,), 3)"),
        (lambda n, y: n.view(2, 6).mul_(3), ".reshape((2, 6))"),
        (lambda n, y: n[::2, 1:3].add_(y[:2]), "[::2, 1:3]"),
        (lambda n, y: n[2, ::2].exp_(), "[2, ::2]"),
        (lambda n, y: n.diagonal().sigmoid_(), "as_strided({}, (3,), (5,), 0)"),
        (lambda n, y: n[1].fill_(3), "[1]"),
        (lambda n, y: n[:, 3:].pow_(2), "[:, 3:]"),
        (lambda n, y: n[:, 1:3].T.mul_(y[:3]), "[:, 1:3].T"),
    ],
)
def test_writes_through_views(write, part):
    """What the base's node sends on, worked out from its texts."""
    torch.manual_seed(0)
    x, y = torch.rand(3, 4, requires_grad=True), torch.rand(4, requires_grad=True)
    with torch.explain() as story:
        n = x * 1
        write(n, y)
        (n * torch.rand(3, 4)).sum().backward()
    nodes = story.recording["nodes"]
    node = next(one for one in nodes if one["name"] == "CopySlices")
    event = next(one for one in story.recording["events"] if one["kind"] == "run" and one["node"] == node["id"])
    g = np.array(event["arrived"][0]["data"], np.float32)
    for sent in event["sent"]:
        rule = node["rules"][sent["edge"]]
        part = part if "{" in part else "{}" + part
        assert rule["generic"] == "g" or part.format("g") in rule["generic"]
        wanted = np.array(sent["value"]["data"], np.float32)
        found = written_out(rule["generic"], g, n.detach().numpy(), nodes[node["id"] - 1], story.recording["tensors"])
        np.testing.assert_allclose(unbroadcast(found, wanted.shape, wanted.dtype), wanted, rtol=1e-5)
    assert event["sent"]


@pytest.mark.parametrize(
    ("write", "part"),
    [
        (lambda z: z.real.mul_(2), "g.real"),
        (lambda z: z.imag[1:].mul_(2), "g.imag[1:]"),
        (lambda z: torch.view_as_real(z)[0].mul_(2), "view_as_real(g)[0]"),
    ],
)
def test_writes_to_the_halves_of_complex_numbers(write, part):
    with torch.explain() as story:
        z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True) * 1
        write(z)
        z.abs().sum().backward()
    node = next(one for one in story.recording["nodes"] if one["name"] == "CopySlices")
    event = next(one for one in story.recording["events"] if one["kind"] == "run" and one["node"] == node["id"])
    assert node["rules"][0]["text"] == f"g where {part} = {part} * 2"
    g, wanted = (
        np.array([complex(*one.values()) for one in value["data"]])
        for value in (event["arrived"][0], event["sent"][0]["value"])
    )
    part = {"g.real": g.real, "g.imag[1:]": g.imag[1:]}.get(part, g.view(float).reshape(2, 2)[0])
    part *= 2
    assert g == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("write", "text"),
    [
        (lambda z: z.conj().mul_(1j), "conjugate(conjugate(g) * conj(1j))"),
        (lambda z: z.conj().conj().mul_(1j), "conjugate(conjugate(conjugate(conjugate(g)) * conj(1j)))"),
        (lambda z: z.conj()[0].fill_(2j), "conjugate(c) where c[0] = 0; c = conjugate(g)"),
        (lambda z: z.conj().imag.fill_(3.0), "conjugate(c) where c.imag = 0; c = conjugate(g)"),
        (lambda z: z.conj()[1:].conj()[0].mul_(2), None),
        (lambda z: z[1:].conj().imag.fill_(3.0), "g where g[1:] = conjugate(c); c.imag = 0; c = conjugate(g[1:])"),
        (lambda z: z.conj().real.add_(1), "g"),
        (lambda z: z.imag._neg_view().mul_(3), "g where g.imag = -(-g.imag * 3)"),
        (
            lambda z: torch.view_as_complex(torch.view_as_real(z))[1:].mul_(1j),
            "g where g[1:] = g[1:] * conj(1j)",
        ),
    ],
)
def test_writes_through_conjugates(write, text):
    with torch.explain() as story:
        z = torch.tensor([1 + 2j, 3 - 1j, 0.5j], dtype=torch.complex128, requires_grad=True) * 1
        write(z)
        z.abs().sum().backward()
    node = next(one for one in story.recording["nodes"][::-1] if one["name"] == "CopySlices")
    assert text in (None, node["rules"][0]["text"])
    check_write(story, node)


@pytest.mark.parametrize(
    ("write", "part"),
    [
        (lambda y: torch.view_as_complex(y).mul_(1j), "view_as_complex(g)"),
        (lambda y: torch.view_as_complex(y)[1:].mul_(1j), "view_as_complex(g)[1:]"),
        (lambda y: torch.view_as_complex(y[:, 1])[::2].mul_(1j), None),
    ],
)
def test_writes_to_halves_seen_as_complex_numbers(write, part):
    with torch.explain() as story:
        y = torch.rand((3, 2) if part else (3, 2, 2), dtype=torch.float64, requires_grad=True) * 1
        write(y)
        (y * torch.rand(y.shape, dtype=torch.float64)).sum().backward()
    node = next(one for one in story.recording["nodes"] if one["name"] == "CopySlices")
    assert part is None or node["rules"][0]["text"] == f"g where {part} = {part} * conj(1j)"
    check_write(story, node)


def check_write(story, node):
    """What is sent to the base, worked out from the text as it stands: what is behind it comes first."""
    event = next(one for one in story.recording["events"] if one["kind"] == "run" and one["node"] == node["id"])
    g, wanted = plain_numbers(event["arrived"][0]["data"]), plain_numbers(event["sent"][0]["value"]["data"])
    scope = {
        "g": g, "conjugate": np.conjugate, "conj": np.conjugate, "view_as_complex": lambda one: one.view(complex)[..., 0],
        "as_strided": torch_strided,
    }  # fmt: skip
    (_, head), *behind = pieces(node["rules"][0]["text"])
    for name, expression in reversed(behind):
        scope["_value"] = np.array(eval(expression, scope))
        exec(f"{name} = _value" if name.isidentifier() or name[-1] == "]" or "." in name else f"{name}[...] = _value", scope)
    assert np.asarray(eval(head, scope)) * np.ones_like(wanted) == pytest.approx(wanted)


def plain_numbers(data):
    if isinstance(data, list):
        return np.array([plain_numbers(one) for one in data])
    return complex(data["re"], data["im"]) if isinstance(data, dict) else data


def written_out(text, g, out, inner, tensors):
    """A text's value, with what the write's own node was made of."""
    scope = {"g": g, "out": out, "exponent": 2, "as_strided": torch_strided}
    for one in inner["inputs"]:
        told = one["text"] if one["tensor"] is None else tensors[one["tensor"]]["value"]["data"]
        scope[one["name"]] = np.array(told, np.float32)
    (_, head), *behind = pieces(text)
    for name, expression in reversed(behind):  # what becomes of the part of g last
        scope["_value"] = np.array(eval(expression, scope))
        scope["g"] = g.copy()
        exec(f"{name} = _value" if name.isidentifier() or name[-1] == "]" else f"{name}[...] = _value", scope)
    return np.asarray(eval(head, scope))


def torch_strided(array, shape, strides, offset):
    apart = [one * array.itemsize for one in strides]
    return np.lib.stride_tricks.as_strided(array.reshape(-1)[offset:], shape, apart)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda a, x: torch.mm(a, x), lambda a, x, g: a.T @ g),
        (lambda a, x: torch.mv(a, x[:, 0]), lambda a, x, g: a.T @ g),
        (lambda a, x: torch.mm(x.T, a.T), lambda a, x, g: g @ a.T),
    ],
)
def test_products_with_sparse_matrices(program, expected):
    """Sparse matrices are no part of PyTorch's samples: what the texts say of them, worked out with the dense ones."""
    whole = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    with torch.explain() as story:
        out = program(whole.to_sparse(), x)
        out.backward(torch.ones_like(out))
    recording = story.recording
    run = next(event for event in recording["events"] if event["kind"] == "run")
    op = recording["nodes"][run["node"]]["op"]
    assert form_of(table[op], "x", {})[1] == "given"
    a = whole if op != "mm_by_sparse" else whole.T
    text = form_of(table[op], "x", {})[0]
    assert eval(text, {"a": a, "g": torch.ones_like(out)}).tolist() == run["sent"][0]["value"]["data"]
    assert expected(a, x, torch.ones_like(out)).tolist() == run["sent"][0]["value"]["data"]


def test_a_sum_with_a_sparse_product():
    whole = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    bias, x = torch.ones(2, 2, requires_grad=True), torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    sparse = whole.to_sparse().requires_grad_()
    with torch.explain() as story:
        torch.sparse.addmm(bias, sparse, x, beta=2, alpha=3).sum().backward()
    assert "sparse_addmm" in {node["op"] for node in story.recording["nodes"]}
    op = table["sparse_addmm"]
    g = torch.ones(2, 2)
    names = {
        "a": whole,
        "x": x,
        "g": g,
        "alpha": 3,
        "beta": 2,
        "indices": None,
        "keep_at": lambda values, _: values * (whole != 0),
    }
    expected = {source: eval(form_of(op, source, {})[0], names) for source in op.sources}
    assert expected["bias"].tolist() == bias.grad.tolist()
    assert expected["x"].tolist() == x.grad.tolist()
    assert expected["a"].tolist() == sparse.grad.to_dense().tolist()


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_what_is_stored(name):
    whole = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    sparse, g = whole.to_sparse().requires_grad_(), torch.tensor([[1.0, 5.0, -2.0], [3.0, 0.5, 1.0]])
    out = getattr(torch.sparse, name)(sparse, 1)
    (expected,) = torch.autograd.grad(out.to_dense(), sparse, g)
    names = {
        "out": out.detach().to_dense(), "g": g, "indices": None, "exp": torch.exp, "keep_at": lambda values, _: values * (whole != 0),
        "line_sums": lambda values: values.sum(1, True),
    }  # fmt: skip
    assert torch.allclose(eval(form_of(table["sparse_" + name], "x", {})[0], names), expected.to_dense())


def test_products_at_places():
    whole = torch.tensor([[1.0, 0.0], [2.0, 3.0]])
    sampled, g = whole.to_sparse_csr().requires_grad_(), torch.tensor([[1.0, 5.0], [-2.0, 4.0]])
    x, y = torch.tensor([[1.0, 2.0, 0.5], [3.0, 4.0, 1.0]], requires_grad=True), torch.rand(3, 2, requires_grad=True)
    out = torch.sparse.sampled_addmm(sampled, x, y, beta=2, alpha=3)
    expected = torch.autograd.grad(out.to_dense(), (sampled, x, y), g)
    names = {
        "x": x, "y": y, "g": g, "alpha": 3, "beta": 2, "indices": None, "keep_at": lambda values, _: values * (whole != 0),
    }  # fmt: skip
    for source, wanted in zip("axy", expected, strict=True):
        found = eval(form_of(table["sampled_addmm"], source, {})[0], names)
        assert torch.allclose(found, wanted.to_dense() if source == "a" else wanted)


def test_eigenvalues_that_are_complex():
    a = torch.tensor([[0.0, -2.0, 0.5], [1.0, 0.3, 0.0], [0.2, 0.1, 3.0]], dtype=torch.float64, requires_grad=True)
    values, vectors = torch.linalg.eig(a)
    g0 = torch.tensor([1.0 + 2.0j, -1.0, 0.5j], dtype=torch.complex128)
    g1 = vectors.detach() @ torch.diag(torch.tensor([1.0, -2.0, 0.5], dtype=torch.complex128))  # no phase is asked for
    (found,) = torch.autograd.grad([values, vectors], a, [g0, g1])

    def gaps(s):
        return s[None, :] - s[:, None] + torch.diag(torch.full((3,), 1e200, dtype=torch.float64))

    text, kind = form_of(table["eig"], "a", {})
    assert kind == "given"
    scope = {
        "values": values, "vectors": vectors, "g0": g0, "g1": g1, "inv": torch.linalg.inv, "diag": torch.diag, "diagonal": torch.diagonal,
        "gaps": gaps, "real": torch.real, "conjugate": torch.conj,
    }  # fmt: skip
    for name, expression in reversed(pieces(text)):
        scope[name] = eval(expression, scope)
    assert torch.allclose(scope[""].real, found)


def test_words_of_a_rule_are_told_apart_from_the_users_names():
    assert renamed("g * s where s = sigmoid(x)", {"x": "s", "s": "no"}) == "g * s_ where s_ = sigmoid(s)"
    assert renamed("g * b", {"a": "alpha", "b": "g"}) == "g_ * g"
    assert renamed("g * b", {"a": "alpha", "b": "net.g"}) == "g * net.g"


def texts(story):
    """The rules' texts of each node that ran, in its order."""
    nodes = story.recording["nodes"]
    ran = [nodes[event["node"]] for event in story.recording["events"] if event["kind"] == "run"]
    return [[rule["text"] for rule in node["rules"]] for node in ran]


def test_a_tensor_with_the_name_of_a_word_changes_the_word_in_all_rules():
    with torch.explain() as story:
        g = torch.tensor(3.0, requires_grad=True)
        out = torch.tensor([1.0, 2.0], requires_grad=True)
        n = out * g
        s = n.exp().mean()
        s.backward()
    assert texts(story) == [["g_ / n_"], ["g_ * out_"], ["g_ * g", "g_ * out"]]
    kept = [one["text"] for node in story.recording["nodes"] for one in node["saved"]]
    assert sorted(kept) == ["g", "out", "out_"]
    told = str(story)
    assert "g_ = [10.04 201.7]" in told and "g_ * out_" in told
    assert "g_</small>" in story.form(".html")


def test_a_result_with_a_name_is_called_by_it():
    with torch.explain() as story:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = torch.tanh(x)
        y.sigmoid().sum().backward()
    assert texts(story) == [["g"], ["g * out * (1 - out)"], ["g * (1 - y ** 2)"]]


def test_of_what_was_put_together_each_gets_its_part():
    with torch.explain() as story:
        a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        (torch.stack([a, b]) * 2).sum().backward()
        torch.cat([a, b]).sum().backward()
    assert texts(story)[2] == ["g[0]", "g[1]"]
    assert texts(story)[4] == ["split(g, 0)[0]", "split(g, 0)[1]"]


def test_dimensions_in_another_order_are_put_back():
    with torch.explain() as story:
        x = torch.ones(2, 3, requires_grad=True)
        y = torch.ones(2, 3, 4, requires_grad=True)
        x.permute(1, 0).sum().backward()
        y.permute(1, 2, 0).sum().backward()
    assert [texts(story)[1], texts(story)[3]] == [["g.T"], ["permute_dims(g, (2, 0, 1))"]]


@pytest.mark.parametrize(
    "function",
    [
        lambda z, w: z * w, lambda z, w: z / w, lambda z, w: z**3, lambda z, w: z**w, lambda z, w: z @ w, lambda z, w: z - w,
        lambda z, w: torch.addmm(z, z, w), lambda z, w: z.exp(), lambda z, w: z.log(), lambda z, w: z.sin(), lambda z, w: z.tanh(),
        lambda z, w: z.sqrt(), lambda z, w: z.abs(), lambda z, w: z.conj(), lambda z, w: z.reciprocal(), lambda z, w: z.mean(),
        lambda z, w: z.sigmoid(), lambda z, w: z.cosh(), lambda z, w: z.atan(), lambda z, w: z.rsqrt(), lambda z, w: z.t(),
        lambda z, w: z.square(), lambda z, w: z.sum(), lambda z, w: z.log1p(), lambda z, w: z.pow(-0.5), lambda z, w: 2 / z,
        lambda z, w: z.prod(), lambda z, w: torch.dot(z[0], w[0]), lambda z, w: torch.vdot(z[0], w[0]), lambda z, w: z.cumsum(0),
    ],
)  # fmt: skip
def test_rules_of_complex_numbers_conjugate_where_they_do(function):
    z = torch.tensor([[1 + 2j, -0.5j], [0.3 - 1j, 2.0]], dtype=torch.complex128, requires_grad=True)
    w = torch.tensor([[0.5 - 1j, 1 + 1j], [2j, -1.5]], dtype=torch.complex128, requires_grad=True)
    with torch.explain() as story:
        out = function(z, w)
        g = (torch.ones_like(out) * (1 if out.dtype == torch.float64 else 0.7 - 0.4j)).resolve_conj()
        out.backward(g)
    runs = [event for event in story.recording["events"] if event["kind"] == "run"]
    node = story.recording["nodes"][runs[0]["node"]]
    scope = {name: getattr(torch, name) for name in dir(torch) if not name.startswith("_")}
    scope |= {"conjugate": torch.conj, "z": z, "w": w, "out": out, "g_": g, "n": z.numel(), "t": torch.t}
    scope |= {"cumsum_from_end": lambda x, axis: x.flip(axis).cumsum(axis).flip(axis)}
    for sent in runs[0]["sent"]:
        shown = eval(node["rules"][sent["edge"]]["text"], scope) * torch.ones_like(
            z if node["inputs"][0]["text"] == "z" else z[0]
        )
        want = torch.tensor(
            [
                complex(one["re"], one["im"])
                for row in sent["value"]["data"]
                for one in (row if isinstance(row, list) else [row])
            ]
        )
        assert torch.allclose(shown.reshape(-1).resolve_conj(), want.to(torch.complex128), 1e-4), node["rules"]
