"""Modules: registers, state, hooks, copies, lazy shapes, packed sequences."""

from __future__ import annotations

import copy
import gc
import pickle

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence, unpad_sequence


def net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))


def test_names_are_found_once_and_in_order() -> None:
    shared = nn.Linear(2, 2)
    model = nn.ModuleDict({"a": shared, "b": nn.ModuleList([shared, nn.Linear(2, 1, bias=False)])})
    assert [name for name, _ in model.named_parameters()] == ["a.weight", "a.bias", "b.1.weight"]
    assert list(model.state_dict()) == ["a.weight", "a.bias", "b.0.weight", "b.0.bias", "b.1.weight"]
    assert [name for name, _ in model.named_modules()] == ["", "a", "b", "b.1"]


def test_an_attribute_moves_between_registers() -> None:
    module = nn.Module()
    module.x = nn.Parameter(torch.zeros(1))
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'x'"):
        module.x = torch.zeros(1)
    module.x = None
    assert list(module.parameters()) == [] and "x" in module._parameters
    del module.x
    module.register_buffer("x", torch.zeros(1))
    module.x = nn.Parameter(torch.zeros(1))
    assert list(module._buffers) == [] and list(module._parameters) == ["x"]
    del module.x
    module.x = nn.Linear(1, 1)
    assert list(module._parameters) == [] and list(module._modules) == ["x"]
    del module.x
    with pytest.raises(AttributeError, match="'Module' object has no attribute 'x'"):
        _ = module.x


def test_buffers_of_modules_that_register_them_as_of_old() -> None:
    class Counting(nn.Module):
        calls = 0

        def register_buffer(self, name: str, tensor: torch.Tensor | None) -> None:  # type: ignore[override]
            self.calls += 1
            super().register_buffer(name, tensor)

    module = Counting()
    module.a = nn.Buffer(torch.zeros(1))
    assert (list(module.state_dict()), module.calls) == (["a"], 1)
    with pytest.raises(RuntimeError, match="without the persistent argument is not allowed"):
        module.b = nn.Buffer(torch.zeros(1), persistent=False)
    assert [name for name, _ in module.named_buffers()] == ["a"]


def test_loading_names_all_that_does_not_fit() -> None:
    layer = nn.Linear(2, 3)
    with pytest.raises(RuntimeError) as error:
        layer.load_state_dict({"weight": torch.zeros(2, 2), "x": torch.zeros(1)})
    text = str(error.value)
    assert text.startswith("Error(s) in loading state_dict for Linear:")
    assert text.index('Missing key(s) in state_dict: "bias"') < text.index('Unexpected key(s) in state_dict: "x"')
    assert "size mismatch for weight" in text
    keys = layer.load_state_dict({"bias": torch.ones(3), "x": torch.zeros(1)}, strict=False)
    assert keys.missing_keys == ["weight"] and keys.unexpected_keys == ["x"]
    assert layer.bias.tolist() == [1.0, 1.0, 1.0]


def test_state_shares_memory_and_copies_do_not() -> None:
    model = net()
    others = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    model.state_dict()["0.bias"].fill_(7.0)
    assert model[0].bias.tolist() == [7.0] * 4
    for other in others:
        assert isinstance(other[0].bias, nn.Parameter) and 7.0 not in other[0].bias.tolist()


def test_modes_and_dtypes_reach_all_modules() -> None:
    model = net().double().eval()
    assert not any(module.training for module in model.modules())
    assert {value.dtype for value in model.state_dict().values()} == {torch.float64, torch.int64}
    with pytest.raises(TypeError, match="only accepts floating point"):
        model.to(torch.int64)


def test_hooks_run_in_order_and_replace() -> None:
    layer, seen = nn.Linear(2, 2), []
    layer.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
    handle = layer.register_forward_hook(lambda module, args, out: seen.append(args[0].tolist()) or out + 1)
    layer.register_full_backward_hook(lambda module, into, out: seen.append(out[0].tolist()) or (into[0] * 10,))
    x = torch.ones(1, 2, requires_grad=True)
    out = layer(x)
    assert torch.allclose(out, torch.nn.functional.linear(x * 2, layer.weight, layer.bias) + 1)
    out.sum().backward()
    assert torch.allclose(x.grad, 20 * layer.weight.sum(0))
    assert seen == [[[2.0, 2.0]], [[1.0, 1.0]]]
    handle.remove()
    assert torch.allclose(layer(x), torch.nn.functional.linear(x * 2, layer.weight, layer.bias))


def test_parameters_stay_on_the_quick_path_and_are_leaves() -> None:
    parameter = nn.Parameter(torch.ones(2))
    assert type(parameter * 2) is torch.Tensor and parameter.is_leaf and parameter.requires_grad
    (parameter * 3).sum().backward()
    assert parameter.grad.tolist() == [3.0, 3.0]


def test_lazy_shapes_are_kept_through_a_state_dict() -> None:
    lazy = nn.LazyLinear(2)
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        _ = lazy.weight.shape
    lazy.load_state_dict(nn.Linear(5, 2).state_dict())
    lazy(torch.zeros(1, 5))
    assert type(lazy) is nn.Linear and lazy.in_features == 5


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_packed_sequences_give_what_each_gives_alone(kind: type[nn.RNNBase]) -> None:
    model = kind(3, 4, num_layers=2, bidirectional=True)
    sequences = [torch.randn(length, 3) for length in (2, 5, 3)]
    packed, last = model(pack_sequence(sequences, enforce_sorted=False))
    padded, lengths = pad_packed_sequence(packed)
    assert lengths.tolist() == [2, 5, 3]
    for number, sequence in enumerate(sequences):
        out, state = model(sequence)
        assert torch.allclose(padded[: len(sequence), number], out, atol=1e-6)
        for batch, alone in zip(*((last, state) if kind is nn.LSTM else ((last,), (state,))), strict=True):
            assert torch.allclose(batch[:, number], alone, atol=1e-6)


def test_gradients_are_clipped_together() -> None:
    first, second = (torch.zeros(n, requires_grad=True) for n in (1, 1))
    first.grad, second.grad = torch.tensor([3.0]), torch.tensor([4.0])
    assert float(nn.utils.clip_grad_norm_([first, second], 1.0)) == 5.0
    assert first.grad.item() == pytest.approx(0.6) and second.grad.item() == pytest.approx(0.8)
    second.grad.fill_(float("inf"))
    with pytest.raises(RuntimeError, match="non-finite"):
        nn.utils.clip_grad_norm_([first, second], 1.0, error_if_nonfinite=True)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_a_layer_of_lstm_in_one_op_is_what_its_steps_are(bias: bool, backwards: bool) -> None:
    """The fused kernel, its derivative and the derivative that records itself, against the steps one by one."""
    from rushlight.ops import recurrent
    from rushlight.ops.public import ops

    torch.manual_seed(0)
    shapes = [(5, 2, 4), (12, 4), (12, 3), (12,), (12,), (2, 3), (2, 3)]
    leaves = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    x, w, u, b, d, h, c = leaves
    weights = [w, u, b, d, None] if bias else [w, u, None, None, None]
    fused = ops.lstm_layer(x, *weights[:4], h, c, backwards)[:3]
    out, (last_h, last_c) = recurrent._along(
        recurrent._lstm_step, x, (h, c), weights, backwards
    )  # double precision goes step by step
    used = [leaf for leaf in leaves if bias or leaf.ndim > 1]
    results = []
    for outputs in (fused, (out, last_h, last_c)):
        total = sum((one * one).sum() for one in outputs)
        first = torch.autograd.grad(total, used, create_graph=True)
        second = torch.autograd.grad(sum((one * one).sum() for one in first), used, retain_graph=True)
        results.append([*outputs, *torch.autograd.grad(total, used), *first, *second])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other)


def test_loading_leaves_nothing_to_the_collector() -> None:
    model = net()
    state = copy.deepcopy(model).state_dict()
    gc.collect()
    gc.disable()
    try:
        model.load_state_dict(state)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_old_statistics_of_instance_norm_are_explained() -> None:
    plain = nn.InstanceNorm1d(2)
    with pytest.raises(
        RuntimeError, match=r'Unexpected running stats buffer\(s\) "running_mean" and "running_var" for Instance'
    ):
        plain.load_state_dict({"running_mean": torch.zeros(2), "running_var": torch.ones(2)})


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("lengths", [[4, 2, 1], [2, 4, 1]])
def test_packing_and_padding_and_both_their_derivatives(batch_first: bool, lengths: list[int]) -> None:
    x = torch.arange(24.0, dtype=torch.float64).reshape(4, 3, 2).requires_grad_()
    is_sorted = lengths == sorted(lengths, reverse=True)

    def packed(x: torch.Tensor) -> torch.Tensor:
        given = x.transpose(0, 1) if batch_first else x
        return pack_padded_sequence(given, lengths, batch_first, is_sorted)

    first = packed(x)
    assert first.batch_sizes.tolist() == [3, 2, 1, 1]
    assert first.data[:3, 0].tolist() == [0.0, 2.0, 4.0] if is_sorted else [2.0, 0.0, 4.0]
    back, counts = pad_packed_sequence(first, batch_first, padding_value=-1.0, total_length=5)
    back = back.transpose(0, 1) if batch_first else back
    assert counts.tolist() == lengths
    for number, length in enumerate(lengths):
        assert torch.equal(back[:length, number], x[:length, number])
        assert (back[length:, number] == -1).all()
    assert torch.autograd.gradcheck(lambda x: packed(x).data.sin(), x)
    assert torch.autograd.gradgradcheck(lambda x: pad_packed_sequence(packed(x))[0].sin(), x)


def test_packed_sequences_convert_as_tensors_do() -> None:
    packed = pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    for name, dtype in (("double", torch.float64), ("long", torch.int64), ("char", torch.int8), ("byte", torch.uint8)):
        assert getattr(packed, name)().data.dtype == dtype
    assert packed.long() is packed
    assert packed.cpu() is packed


def test_sequences_that_cannot_be_padded_or_packed() -> None:
    with pytest.raises(RuntimeError, match="received an empty list of sequences"):
        pad_sequence([])
    with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 0, but got int"):
        pad_sequence([torch.ones(1), 2])
    with pytest.raises(RuntimeError, match="Cannot pack empty tensors"):
        pack_padded_sequence(torch.zeros(0, 0), [])
    with pytest.raises(RuntimeError, match="has to be greater than 0"):
        pack_padded_sequence(torch.zeros(2, 2), [2, 0])
    one, other = unpad_sequence(torch.arange(6).reshape(3, 2), torch.tensor([3, 1]))
    assert (one.tolist(), other.tolist()) == ([0, 2, 4], [1])


def test_functions_that_models_hold_are_pickled_by_name() -> None:
    layer = nn.TransformerEncoderLayer(4, 2, 8)
    assert pickle.loads(pickle.dumps(layer)).activation is torch.nn.functional.relu
    for function in (torch.tanh, torch.nn.functional.silu, torch.nn.functional.gelu, nn.init.xavier_uniform_):
        assert pickle.loads(pickle.dumps(function)) is function


def test_a_layer_norm_of_no_samples_passes_gradcheck() -> None:
    x = torch.zeros(0, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(nn.LayerNorm(3).double(), x)
