"""Names that libraries import at the top: there, and right where one process on a CPU gives them a meaning."""

from __future__ import annotations

from importlib import import_module

import pytest

import rushlight as torch
from rushlight.overrides import TorchFunctionMode

NAMES = {
    "utils._device": "DeviceContext device_decorator set_device",
    "utils._traceback": "CapturedTraceback format_frame format_traceback_short shorten_filename",
    "utils.collect_env": "SystemEnv get_env_info get_os get_pip_packages get_pretty_env_info main run",
    "utils.model_zoo": "load_url tqdm",
    "utils.data.graph": "traverse traverse_dps",
    "distributed.device_mesh": "DeviceMesh init_device_mesh",
    "distributed.tensor": "DTensor DeviceMesh Partial Placement Replicate Shard distribute_module distribute_tensor",
    "distributed.tensor.parallel": "ColwiseParallel RowwiseParallel SequenceParallel parallelize_module loss_parallel",
    "distributed.fsdp": "FullyShardedDataParallel FSDPModule MixedPrecision ShardingStrategy StateDictType fully_shard",
    "distributed.fsdp.fully_sharded_data_parallel": "FullyShardedDataParallel FullStateDictConfig BackwardPrefetch CPUOffload",
    "distributed.fsdp.wrap": "ModuleWrapPolicy always_wrap_policy lambda_auto_wrap_policy size_based_auto_wrap_policy",
    "distributed.checkpoint": "load save",
    "distributed.checkpoint.state_dict": "StateDictOptions get_model_state_dict get_optimizer_state_dict set_model_state_dict",
    "amp.grad_scaler": "GradScaler OptState",
    "hub": "tqdm",
    "_C": "ScriptMethod _TensorBase _is_tracing _jit_set_profiling_executor _jit_set_profiling_mode _jit_override_can_fuse_on_gpu",
    "_custom_ops": "impl impl_abstract",
    "_dynamo.utils": "is_compile_supported",
    "_guards": "active_fake_mode detect_fake_mode",
    "_functorch.vmap": "_add_batch_dim _broadcast_to_and_flatten _get_name _maybe_remove_batch_dim _remove_batch_dim",
    "ao.quantization": "DeQuantStub QuantStub QuantWrapper",
    "backends.opt_einsum": "enabled is_available strategy",
    "distributed._composable.fsdp": "FSDPModule fully_shard",
    "distributed._tensor.experimental": "implicit_replication",
    "distributed.constants": "default_pg_timeout",
    "fx.graph_module": "_USER_PRESERVED_ATTRIBUTES_KEY",
    "jit.annotations": "BroadcastingList2 List",
    "onnx": "register_custom_op_symbolic symbolic_opset11",
    "onnx.symbolic_helper": "parse_args",
    "optim.optimizer": "ParamsT _default_to_fused_or_foreach _use_grad_for_differentiable",
    "utils._pytree": "Context MappingKey SequenceKey",
    "utils.data._utils.pin_memory": "pin_memory",
    "utils.data.dataloader": "_collate_fn_t",
}


@pytest.mark.parametrize("module", NAMES)
def test_names_can_be_imported(module):
    found = import_module(f"rushlight.{module}")
    assert [name for name in NAMES[module].split() if not hasattr(found, name)] == []


def test_what_would_need_other_processes_says_so():
    from rushlight.distributed import device_mesh, fsdp, tensor

    for call in (device_mesh.DeviceMesh, device_mesh.init_device_mesh, fsdp.FullyShardedDataParallel, tensor.distribute_tensor):
        with pytest.raises(ValueError, match="Default process group has not been initialized"):
            call()
    assert not isinstance(torch.ones(1), tensor.DTensor)
    assert not isinstance(torch.nn.Linear(1, 1), fsdp.FullyShardedDataParallel | fsdp.FSDPModule)


def test_placements_are_values():
    from rushlight.distributed.tensor import Partial, Replicate, Shard

    assert {Shard(0), Shard(0), Shard(1), Replicate(), Replicate(), Partial()} == {Shard(0), Shard(1), Replicate(), Partial()}
    assert Shard(1).is_shard(1) and not Shard(1).is_shard(0) and Partial().is_partial()


def test_a_state_of_one_process_is_loaded_again():
    from rushlight.distributed.checkpoint import state_dict

    model, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    model.bias.requires_grad_(False)
    frozen = state_dict.StateDictOptions(ignore_frozen_params=True)
    assert list(state_dict.get_model_state_dict(model, options=frozen)) == ["weight"]
    state_dict.set_model_state_dict(other, state_dict.get_model_state_dict(model))
    assert torch.equal(other.weight, model.weight)


def test_wrap_policies():
    from rushlight.distributed.fsdp import wrap

    linear = torch.nn.Linear(1, 1)
    assert wrap.transformer_auto_wrap_policy(linear, False, 0, {torch.nn.Linear})
    assert not wrap.lambda_auto_wrap_policy(linear, False, 0, lambda module: False)
    assert wrap.size_based_auto_wrap_policy(linear, False, 10, min_num_params=10)


class CountingDataPipe:
    """A pipe of data as libraries write them."""

    def __init__(self, *sources: object) -> None:
        self.sources, self.told = sources, {}

    def apply_sharding(self, count: int, own: int) -> None:
        self.told["sharding"] = (count, own)

    def set_shuffle(self, shuffle: bool = True) -> None:
        self.told["shuffle"] = shuffle

    def set_seed(self, seed: int) -> None:
        self.told["seed"] = seed


def test_pipes_that_hang_together_are_told_once_each():
    from rushlight.utils.data import graph_settings
    from rushlight.utils.data.graph import traverse_dps

    inner = CountingDataPipe()
    outer = CountingDataPipe(inner, CountingDataPipe(inner))
    assert len(graph_settings.get_all_graph_pipes(traverse_dps(outer))) == 3
    graph_settings.apply_sharding(outer, 4, 1)
    graph_settings.apply_shuffle_settings(outer, shuffle=False)
    graph_settings.apply_random_seed(outer, torch.Generator().manual_seed(0))
    assert inner.told.keys() == {"sharding", "shuffle", "seed"}
    assert inner.told["sharding"] == (4, 1)


def test_a_step_put_in_later_calls_its_hooks():
    class Still(torch.optim.Optimizer):
        pass

    calls = []
    Still.step = lambda self, closure=None: calls.append("step")
    optimizer = Still([torch.zeros(1)], {})
    optimizer.register_step_post_hook(lambda *args: calls.append("hook"))
    optimizer._patch_step_function()
    optimizer._patch_step_function()
    optimizer.step()
    assert calls == ["step", "hook"]


def test_a_stream_of_the_cpu_is_done():
    with torch.Stream(device="cpu") as stream:
        stream.wait_stream(torch.Stream())
    assert stream == torch.Stream() and stream.query()
    assert torch.DeviceObjType.get() is torch.DeviceObjType.get()


def test_functional_knows_grad():
    assert torch.nn.functional.grad is torch.nn.grad


def test_stubs_of_quantization_change_nothing():
    from rushlight.ao.quantization import QuantWrapper

    model = torch.nn.Linear(2, 2)
    assert torch.equal(QuantWrapper(model)(torch.ones(2)), model(torch.ones(2)))


def test_switches_of_the_script_compiler_give_what_they_were():
    from rushlight import _C

    assert [_C._jit_set_profiling_mode(value) for value in (False, True)] == [True, False]


def test_a_step_is_recorded_where_the_optimizer_is_differentiable():
    from rushlight.optim.optimizer import _use_grad_for_differentiable

    class Plain(torch.optim.SGD):
        @_use_grad_for_differentiable
        def step(self):
            return torch.is_grad_enabled()

    weight = torch.nn.Parameter(torch.ones(1))
    assert [Plain([weight], lr=0.1, differentiable=value).step() for value in (False, True)] == [False, True]


def test_a_level_of_vmap_is_entered_and_left_by_hand():
    from rushlight._C._functorch import _vmap_increment_nesting, pop_dynamic_layer_stack
    from rushlight._functorch.vmap import _add_batch_dim, _maybe_remove_batch_dim

    level = _vmap_increment_nesting(3, "error")
    try:
        doubled = _add_batch_dim(torch.arange(6.0).reshape(2, 3), 1, level) * 2
        assert doubled.shape == (2,)
        assert _maybe_remove_batch_dim("f", doubled, level, 3, 0).tolist() == [[0, 6], [2, 8], [4, 10]]
        with pytest.raises(ValueError, match="`f` can not return a BatchedTensor when out_dim is None"):
            _maybe_remove_batch_dim("f", doubled, level, 3, None)
    finally:
        pop_dynamic_layer_stack()


def test_filters_of_torchaudio_feed_back(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libtorchaudio.so").touch()
    torch.ops.load_library(tmp_path / "lib" / "libtorchaudio.so")
    padded = torch.zeros(1, 1, 5)
    torch.ops.torchaudio._lfilter_core_loop(torch.ones(1, 1, 3), torch.tensor([[0.25, -0.5, 1.0]]), padded)
    assert padded.tolist() == [[[0.0, 0.0, 1.0, 1.5, 1.5]]]
    wave, out, last = torch.tensor([[1.0, 2.0]]), torch.zeros(1, 2), [torch.zeros(1), torch.zeros(1)]
    torch.ops.torchaudio._overdrive_core_loop(wave, wave, *last, out)
    assert out.tolist() == [[1.25, pytest.approx(2.49625)]]


def test_a_checkpoint_is_written_and_read(tmp_path):
    from rushlight.distributed import checkpoint

    model, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    with pytest.warns(UserWarning, match="assuming the intent is to save in a single process"):
        checkpoint.save({"model": model, "steps": [1, 2]}, checkpoint_id=tmp_path)
    checkpoint.async_save({"model": model, "steps": [1, 2]}, checkpoint_id=tmp_path / "later").result()
    for folder in (tmp_path, tmp_path / "later"):
        torch.nn.init.zeros_(other.weight)
        state = {"model": other, "steps": None}
        checkpoint.load(state, checkpoint_id=folder, no_dist=True)
        assert torch.equal(other.weight, model.weight)
        assert state["steps"] == [1, 2]
    with pytest.raises(checkpoint.CheckpointException, match=r"Missing key in checkpoint state_dict: more"):
        checkpoint.load({"more": 1}, checkpoint_id=tmp_path, no_dist=True)
    checkpoint.load(
        {"more": 1}, checkpoint_id=tmp_path, no_dist=True, planner=checkpoint.DefaultLoadPlanner(allow_partial_load=True)
    )
    with pytest.raises(RuntimeError, match="`checkpoint_id` must be specified"):
        checkpoint.save({})


def test_a_mode_that_may_be_asked_is_told():
    """tensordict takes a longer way where a mode watches."""
    asked = torch._C._is_torch_function_mode_enabled
    within = []

    class Watching(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            within.append(asked())
            return function(*args, **(kwargs or {}))

    assert not asked()
    with Watching():
        assert asked()
        torch.ones(2).add(1)
        with torch._C.DisableTorchFunctionSubclass():
            assert asked()
        with torch._C.DisableTorchFunction():
            assert not asked()
    assert within == [False, False] and not asked()


def test_switches_are_free_for_a_while(monkeypatch):
    """MONAI sets the determinism of backends so."""
    monkeypatch.setattr(torch.backends._Flags, "frozen", False)
    torch.backends.disable_global_flags()
    with pytest.raises(KeyError), vars(torch.backends)["__allow_nonbracketed_mutation"]():
        assert not torch.backends.flags_frozen()
        raise KeyError
    assert torch.backends.flags_frozen()


def test_switches_of_attention_tell_what_was_said() -> None:
    cuda, kernels = torch.backends.cuda, torch.nn.attention
    cuda.enable_flash_sdp(False)
    try:
        assert not cuda.flash_sdp_enabled() and cuda.math_sdp_enabled() and cuda.mem_efficient_sdp_enabled()
    finally:
        cuda.enable_flash_sdp(True)
    with kernels.sdpa_kernel([kernels.SDPBackend.MATH]):
        assert cuda.math_sdp_enabled() and not cuda.flash_sdp_enabled() and not cuda.cudnn_sdp_enabled()
    with cuda.sdp_kernel(enable_math=False):
        assert cuda.flash_sdp_enabled() and not cuda.math_sdp_enabled()
    assert cuda.flash_sdp_enabled() and cuda.math_sdp_enabled() and not cuda.is_flash_attention_available()


def test_references_are_the_operators():
    refs = import_module("rushlight._refs")
    conversions, nn = import_module("rushlight._refs._conversions"), import_module("rushlight._refs.nn.functional")
    assert refs.add is torch.add and refs.special.entr is torch.special.entr and refs.fft.rfft is torch.fft.rfft
    assert refs.linalg.vector_norm is torch.linalg.vector_norm and nn.gelu is torch.nn.functional.gelu
    assert refs.float(torch.ones(1, dtype=torch.int64)).dtype is torch.float32  # torch.float is no function
    assert conversions.cdouble(torch.ones(1)).dtype is torch.complex128 and conversions.polar is torch.polar
    for owner in (refs, refs.special, conversions, nn):
        with pytest.raises(AttributeError):
            owner.nonsense  # noqa: B018


def test_seeding_asks_whether_the_process_was_forked() -> None:
    """As delu does before it seeds the generators of all devices."""
    assert not any(one._is_in_bad_fork() for one in (torch.cuda, torch.mps, torch.xpu))
    assert torch.cuda.default_generators == ()


def test_a_star_takes_the_functions_of_a_namespace():
    taken: dict[str, object] = {}
    exec("from rushlight.fft import *; from rushlight.special import *", taken)
    assert taken["ihfft"] is torch.fft.ihfft and taken["zeta"] is torch.special.zeta and "np" not in taken
