"""What programs of users have found: each line, and each short program, prints what it prints with PyTorch."""

from __future__ import annotations

import collections
import warnings

import pytest
import torch

import rushlight


def said(line: str, package) -> list[str]:
    """What a line gives, or its error, and the warnings on the way, without where PyTorch's source has them."""
    names = {"torch": package, "F": package.nn.functional, "pytree": package.utils._pytree, "collections": collections}
    names |= {"x": package.ones(2, 3), "q": package.arange(4.0), "autocast": package.autocast("cpu")}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", "Sparse C.. tensor support is in beta")
        try:
            found = str(eval(line, names))
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    return [found, *(f"{one.category.__name__}: {str(one.message).partition(' (Triggered')[0]}" for one in told)]


LINES = [
    *(f"x.{name}({given})" for name in ("prod", "max", "min") for given in ("None", "None, True", "keepdim=True", "dim=None")),
    *(f"torch.{name}(x, {given})" for name in ("prod", "max", "min") for given in ("None", "None, True", "keepdim=True")),
    *(f"{call}{given})" for call in ("x.std(", "torch.var(x, ", "torch.std_mean(x, ") for given in (
        "None, None", "None", "unbiased=None", "None, False, True", "dim=None, correction=0", "0, None", "False")),
    *(f"torch.rsub(q, {given})" for given in ("2, 3", "q, 3", "2, alpha=3", "2, 3, 4", "2, 'a'", "alpha=2")),
    *(f"x.unflatten(0, {sizes})" for sizes in ("3", "'a'", "[2]", "()")),
    "torch.unflatten(x, 0, None)",
    *(f"torch.normal({given}, out=torch.zeros({out})).shape" for out in ("2", "0", "3", "2, 3") for given in (
        "torch.zeros(3), torch.ones(3)", "0.0, torch.ones(3)", "torch.zeros(3, 1), torch.ones(3)")),
    "type('Own', (torch.FloatTensor,), {})",
    "type('Own', (torch.LongTensor,), {})",
    *(f"torch.{name}()" for name in ("get_autocast_gpu_dtype", "get_autocast_cpu_dtype", "is_autocast_cpu_enabled")),
    *(f"autocast(lambda: torch.margin_ranking_loss(*[q.to(torch.{kind})] * 3).dtype)()" for kind in ("float32", "bfloat16", "half")),
    *(f"autocast(lambda: torch._addmm_activation(*[x[:, :2].to(torch.{kind})] * 3).dtype)()" for kind in ("float32", "half")),
    *(f"torch.margin_ranking_loss(q, q.view(4, 1), torch.ones(4), 0.5{reduction})" for reduction in ("", ", 1", ", 2")),
    "torch.eye(34).to_sparse()",
    "torch.eye(34).to_sparse_csr()",
    "torch.eye(34, dtype=torch.cfloat).to_sparse_csc()",
    "torch.arange(60.0).view(2, 30).to_sparse(1).requires_grad_()",
    "torch.zeros(2, 3).to_sparse()",
    *(f"pytree.treespec_dumps(pytree.tree_structure({tree}))" for tree in (
        "{'a': [1, (2, None)], 'b': collections.OrderedDict(x=1)}", "collections.defaultdict(list, a=[1])", "3",
        "collections.deque([1], maxlen=3)", "{torch: 1}", "x.max(0)", "torch.Size([1])")),
    *(f"pytree.treespec_loads(pytree.treespec_dumps(pytree.tree_structure({tree})))" for tree in (
        "{'a': [1, (2, None)]}", "collections.defaultdict(list, a=[1])", "collections.deque([1], maxlen=3)")),
    *(f"pytree.treespec_loads({text!r})" for text in (
        "[2, {}]", '[1, {"type": "no.such", "context": "null", "children_spec": []}]')),
    "pytree.treespec_dumps(3)",
    "pytree.treespec_dumps(pytree.tree_structure(3), 2)",
    "pytree.treespec_pprint(pytree.tree_structure({'a': [1, 2]}))",
]  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_line(line: str) -> None:
    assert said(line, rushlight) == said(line, torch)


PROGRAMS = {
    "named and own nodes are written as JSON": """
        pytree = torch.utils._pytree
        Point = collections.namedtuple("Point", "x y")
        yield lambda: pytree.treespec_dumps(pytree.tree_structure(Point(1, 2)))
        pytree._register_namedtuple(Point, serialized_type_name="test.Point")
        yield lambda: pytree.treespec_dumps(pytree.tree_structure(Point(1, 2)))
        yield lambda: pytree.treespec_loads(pytree.treespec_dumps(pytree.tree_structure(Point(1, 2)))) == pytree.tree_structure(Point(1, 2))
        for name, ways in (("A", {}), ("B", dict(serialized_type_name="test.B")), ("C", dict(serialized_type_name="test.C",
                to_dumpable_context=lambda context: ["q", context], from_dumpable_context=lambda kept: kept[1]))):
            Own = type(name, (), {})
            pytree.register_pytree_node(Own, lambda own: ([1], "context"), lambda parts, context: Own(), **ways)
            yield lambda: pytree.treespec_dumps(pytree.tree_structure([Own()]))
            yield lambda: pytree.treespec_loads(pytree.treespec_dumps(pytree.tree_structure([Own()])))
        yield lambda: pytree.register_pytree_node(type("D", (), {}), list, list, to_dumpable_context=list)""",
    "the storage of a wrapper": """
        def wrapper(shape, **more):
            return torch.Tensor._make_wrapper_subclass(Wrapper, shape, **more)
        class Wrapper(torch.Tensor):
            __torch_dispatch__ = classmethod(lambda cls, func, types, args=(), kwargs=None: NotImplemented)
        for one in (wrapper((2, 3)), wrapper((0,)), wrapper((2, 3), strides=(1, 2), storage_offset=4), wrapper((2,), storage_size=99)):
            storage = one.untyped_storage()
            yield lambda: (storage.nbytes(), len(storage), storage.device, storage.is_shared(), storage.resizable())
            yield lambda: (one.data_ptr(), one.storage_offset(), one.stride())
            yield lambda: storage._cdata == one.untyped_storage()._cdata
            for call in (storage.data_ptr, storage.clone, storage.tolist):
                yield call if len(storage) else lambda: None""",
    "what is written keeps its identity": """
        from_alias = torch.utils._python_dispatch.return_and_correct_aliasing
        aten = torch.ops.aten
        class Holder(torch.Tensor):
            @staticmethod
            def __new__(cls, held):
                return torch.Tensor._make_wrapper_subclass(cls, held.shape, dtype=held.dtype)
            def __init__(self, held):
                self.held = held
            @classmethod
            def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
                plain = [one.held if isinstance(one, Holder) else one for one in args]
                return from_alias(func, args, kwargs or {}, Holder(func(*plain)))
        x = Holder(torch.arange(6.0))
        yield lambda: x.add_(1) is x
        yield lambda: x.zero_() is x
        yield lambda: x.add(1) is x
        yield lambda: x.held""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    def run(package) -> list[str]:
        names = {"torch": package, "collections": collections}
        exec(f"def program():{PROGRAMS[name]}", names)
        lines = []
        for call in names["program"]():
            try:
                lines.append(str(call()))
            except Exception as error:
                lines.append(f"{type(error).__name__}: {error}")
        return lines

    assert run(rushlight) == run(torch)
