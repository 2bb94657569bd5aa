"""The functions that no ``__torch_function__`` takes over, by the namespace they are in: what makes tensors, switches, questions."""

from __future__ import annotations

NAMES = {
    "torch": (
        "arange are_deterministic_algorithms_enabled as_strided as_tensor asarray bartlett_window blackman_window broadcast_shapes "
        "can_cast clear_autocast_cache compile empty empty_permuted empty_strided eye fill from_file from_numpy frombuffer full "
        "get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_default_device get_default_dtype "
        "get_deterministic_debug_mode get_float32_matmul_precision get_num_interop_threads get_num_threads get_rng_state "
        "hamming_window hann_window initial_seed is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled "
        "is_autocast_cpu_enabled is_autocast_enabled is_deterministic_algorithms_warn_only_enabled is_grad_enabled "
        "is_inference_mode_enabled is_storage is_tensor is_warn_always_enabled kaiser_window linspace load logspace manual_seed "
        "normal ones promote_types rand rand_like randint randint_like randn randn_like randperm range result_type save scalar_tensor "
        "seed set_autocast_cache_enabled set_autocast_dtype set_autocast_enabled set_default_device set_default_tensor_type "
        "set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal set_num_interop_threads set_num_threads "
        "set_printoptions set_rng_state set_warn_always sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor "
        "sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor sym_constrain_range sym_constrain_range_for_size sym_fresh_size tensor "
        "tril_indices triu_indices typename use_deterministic_algorithms vander vmap zeros"
    ).split(),
    "torch.nn.functional": ("upsample upsample_bilinear upsample_nearest").split(),
    "torch.Tensor": (
        "as_subclass eig lstsq new new_empty new_empty_strided new_full new_ones new_tensor new_zeros solve stride symeig "
        "to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr"
    ).split(),
}
