"""torch.fx on random modules: the graphs and the code are PyTorch's, and every form of a traced module computes what the module does."""

from __future__ import annotations

import copy
import pickle
import random

import pytest
import torch
import torch.fx.passes.shape_prop

import rushlight
import rushlight.fx.passes.shape_prop

KINDS = (
    "linear convolution activation function method sequence parameter buffer twice pieces mapping shape norm residual".split()
)


def make(module, seed: int):
    """A module of ``seed``'s own kind; the class is the same on both sides but for what it is made of."""
    nn = module.nn
    draw = random.Random(seed)

    class Random(nn.Module):
        def __init__(self):
            super().__init__()
            self.plan = []
            for number in range(draw.randrange(2, 7)):
                kind, name = draw.choice(KINDS), f"l{number}"
                self.plan.append((kind, name, draw.randrange(4)))
                if kind == "linear":
                    setattr(self, name, nn.Linear(4, 4))
                elif kind == "convolution":
                    setattr(self, name, nn.Conv1d(1, 1, 3, padding=1))
                elif kind == "sequence":
                    setattr(self, name, nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Dropout(0.0)))
                elif kind == "activation":
                    setattr(self, name, draw.choice([nn.ReLU, nn.GELU, nn.Tanh, nn.SiLU])())
                elif kind == "norm":
                    setattr(self, name, nn.LayerNorm(4))
                elif kind == "parameter":
                    setattr(self, name, nn.Parameter(module.randn(4)))
                elif kind == "buffer":
                    self.register_buffer(name, module.randn(4))

        def forward(self, x, *, scale=2.0):
            first = x
            for kind, name, choice in self.plan:
                if kind in ("linear", "sequence", "activation", "norm"):
                    x = getattr(self, name)(x)
                elif kind == "convolution":
                    x = getattr(self, name)(x.unsqueeze(1)).squeeze(1)
                elif kind == "function":
                    x = (module.sin, nn.functional.relu, module.abs, lambda one: module.clamp(one, min=-1.0, max=1.0))[choice](
                        x
                    )
                elif kind == "method":
                    x = (x.exp() if choice == 0 else x.mean(1, keepdim=True) + x if choice == 1 else x.view(-1, 4) if choice == 2
                         else x.transpose(0, 1).transpose(0, 1))  # fmt: skip
                elif kind in ("parameter", "buffer"):
                    x = x * getattr(self, name)
                elif kind == "twice":
                    x = x + x
                elif kind == "pieces":
                    x = module.cat([x[:, :2], x[:, 2:]], dim=-1)
                elif kind == "mapping":
                    x = {"kept": x, "other": [x, 1]}["kept"]
                elif kind == "shape":
                    x = x.reshape(x.size(0), -1)
                else:
                    x = x + first
            return x * scale, {"out": x.sum()}

    module.manual_seed(seed)
    return Random(), module.randn(3, 4)


def traced(module, seed: int) -> list[str]:
    """The text of the graph, before and after it is changed, and of shapes."""
    root, x = make(module, seed)
    graph_module = module.fx.symbolic_trace(root)
    text = [graph_module.code, str(graph_module.graph)]
    module.fx.passes.shape_prop.ShapeProp(graph_module).propagate(x)
    for node in graph_module.graph.nodes:
        meta = node.meta.get("tensor_meta")
        if hasattr(meta, "shape"):
            text.append(f"{node.name} {tuple(meta.shape)} {meta.dtype} {meta.requires_grad} {tuple(meta.stride)}")
    for node in graph_module.graph.nodes:
        if node.op == "call_function" and node.target is module.sin:
            with graph_module.graph.inserting_after(node):
                other = graph_module.graph.call_function(module.cos, (node.args[0],))
                node.replace_all_uses_with(other)
            graph_module.graph.erase_node(node)
    graph_module.graph.lint()
    graph_module.recompile()
    return [*text, graph_module.code, str(graph_module)]


@pytest.mark.parametrize("seed", range(30))
def test_graphs_are_pytorchs(seed):
    assert traced(rushlight, seed) == traced(torch, seed)


@pytest.mark.parametrize("seed", range(30))
def test_every_form_computes_the_same(seed):
    root, x = make(rushlight, seed)
    expected = root(x)[0]
    graph_module = rushlight.fx.symbolic_trace(root)
    forms = {
        "traced": graph_module,
        "pickled": pickle.loads(pickle.dumps(graph_module)),
        "copied": copy.deepcopy(graph_module),
        "transformed": rushlight.fx.Transformer(graph_module).transform(),
        "traced again": rushlight.fx.symbolic_trace(graph_module),
    }
    for name, form in forms.items():
        assert rushlight.equal(form(x)[0], expected), name
        assert form.code == graph_module.code, name
    assert rushlight.equal(rushlight.fx.Interpreter(graph_module).run(x)[0], expected)
    if expected.requires_grad:
        expected.sum().backward()
        wanted = {name: one.grad for name, one in root.named_parameters() if one.grad is not None}
        root.zero_grad()
        graph_module(x)[0].sum().backward()
        found = dict(graph_module.named_parameters())
        assert all(rushlight.equal(found[name].grad, grad) for name, grad in wanted.items())
